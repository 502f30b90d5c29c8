"""What a method refuses of the rows it would be fitted to, known before anything is fitted."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from weakref import WeakKeyDictionary

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.preparation.once import prepared_once
from mlcore.runs.fitting import check_prepared, steps_of
from mlcore.runs.run import Run
from mlcore.spine.errors import MlcoreError

QUICK = 0.5  # seconds of preparation that a page waits for before it says what a run costs
MOST_VALUES = 2**22  # of a table: 32 MB, prepared in the process that asks
MOST_KNOWN = 256  # answers about a data set: candidates of a search are asked one by one

_KNOWN: WeakKeyDictionary[Dataset, dict[Run, str | None]] = WeakKeyDictionary()
_CHANGING = threading.Lock()


def refusal(run: Run, dataset: Dataset) -> str | None:
    """Why preparation or method refuse all rows of the data at the door, as a sentence, or None.

    None too where the preparation is long or the table large: then the fit says it. Asked once.
    """
    if not _is_quick(run, dataset):
        return None
    with _CHANGING:  # another session may forget all answers at any time
        known = _KNOWN.setdefault(dataset, {})
        if run in known:
            return known[run]
    reason = _asked(run, dataset)
    with _CHANGING:
        if len(known) >= MOST_KNOWN:
            known.clear()
        known[run] = reason
    return reason


def refusal_of_all(runs: Iterable[Run | MlcoreError], dataset: Dataset) -> str | None:
    """Why each of several runs is refused, in the sentence of the first; None if one is not.

    An error stands for a run whose settings contradict each other.
    """
    first = None
    for run in runs:
        reason = str(run) if isinstance(run, MlcoreError) else refusal(run, dataset)
        if reason is None:
            return None
        first = first or reason
    return first


def _asked(run: Run, dataset: Dataset) -> str | None:
    rows = np.arange(dataset.n)
    try:
        prepared = prepared_once(steps_of(run), dataset, rows, run.seed)
        check_prepared(run.method, prepared, dataset, rows, run.seed)
    except MlcoreError as error:
        return str(error)
    return None


def _is_quick(run: Run, dataset: Dataset) -> bool:
    """Whether preparing all rows takes no time and room to speak of, by the cards of the steps."""
    n, p = dataset.n, sum(max(len(c.levels), 1) for c in dataset.columns)
    took = sum(step.card.cost(n, p, step)[0] for step in run.preparation if step.card.cost)
    return took <= QUICK and n * p <= MOST_VALUES
