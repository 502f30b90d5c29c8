"""Rows that several methods are fitted to are prepared once for all of them."""

from __future__ import annotations

import threading
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from mlcore.preparation.chain import Prepared, prepare
from mlcore.spine.errors import naming
from mlcore.spine.fit import freeze

MOST = 2  # held of a data set: pipelines of a comparison may take turns

_CACHE: WeakKeyDictionary[Any, dict[tuple, Prepared]] = WeakKeyDictionary()
_CHANGING = threading.Lock()


def prepared_once(steps: tuple[Any, ...], dataset: Any, rows: np.ndarray, seed: int) -> Prepared:
    """The steps fitted to some rows of a data set, (m,) positions; remembered for the next call.

    What is remembered is what would be computed again, and goes with the data set. Its `seconds`
    are those of the first time, so that no method looks quicker for coming later.
    """
    key = steps, seed, rows.tobytes()
    with _CHANGING:
        cached = _CACHE.setdefault(dataset, {})
        prepared = cached.get(key)
    if prepared is None:
        y, groups = (None if v is None else v[rows] for v in (dataset.y, dataset.together))
        with naming(dataset.classes):
            prepared = prepare(steps, dataset.X[rows], y, dataset.columns, seed, groups)
        freeze(prepared)  # no method can spoil what the next one is given
        with _CHANGING:
            cached[key] = prepared
            for old in list(cached)[:-MOST]:
                del cached[old]
    return prepared
