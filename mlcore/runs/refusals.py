"""What a method refuses of the rows it would be fitted to, known before anything is fitted."""

from __future__ import annotations

import logging
import threading
from collections.abc import Collection, Iterable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.preparation.chain import Prepared
from mlcore.preparation.once import prepared_once
from mlcore.runs.fitting import check_prepared, steps_of
from mlcore.runs.run import Run
from mlcore.spine.errors import MlcoreError

QUICK = 0.5  # seconds of preparation that a page waits for before it says what a run costs
MOST_VALUES = 2**21  # prepared in the process that asks: 16 MB, 0.15 s by the usual steps
MOST_KNOWN = 256  # answers about a data set, and candidates of a search that are asked

LOG = logging.getLogger(__name__)

_KNOWN: WeakKeyDictionary[Dataset, dict[Run, str | None]] = WeakKeyDictionary()
_CHANGING = threading.Lock()


def refusal(run: Run, dataset: Dataset) -> str | None:
    """Why preparation or method refuse all rows of the data at the door, as a sentence, or None.

    None too where the preparation is long or the table large, or where asking ends in an error
    that is no refusal: then the fit says it. Asked once.
    """
    return _refusal(run, dataset) if _is_quick([run.preparation], dataset) else None


def _refusal(run: Run, dataset: Dataset) -> str | None:
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

    An error stands for a run whose settings contradict each other. None too where preparing the
    rows for all of them, once a preparation, would be long, or where they are very many.
    """
    first, preparations = None, set()
    for i, run in enumerate(runs):
        if isinstance(run, MlcoreError):
            reason = str(run)
        else:
            preparations.add(run.preparation)
            is_asked = i < MOST_KNOWN and _is_quick(preparations, dataset)
            reason = _refusal(run, dataset) if is_asked else None
        if reason is None:
            return None
        first = first or reason
    return first


def prepared_if_it_can_be(run: Run, dataset: Dataset) -> Prepared | None:
    """All rows as the whole fit is given them; None where preparing them fails: then the fit says
    why."""
    try:
        return prepared_once(steps_of(run), dataset, np.arange(dataset.n), run.seed)
    except MlcoreError:
        return None
    except Exception:  # a fault of a step ends its run, not the page around it
        LOG.exception("%s: the rows could not be prepared before the run", run.method.title())
        return None


def _asked(run: Run, dataset: Dataset) -> str | None:
    rows = np.arange(dataset.n)
    try:
        prepared = prepared_once(steps_of(run), dataset, rows, run.seed)
        check_prepared(run.method, prepared, dataset, rows, run.seed)
    except MlcoreError as error:
        return str(error)
    except Exception:  # a fault of a method ends its run, not the page around it
        LOG.exception("%s could not be asked before the run", run.method.title())
    return None


def _is_quick(preparations: Collection[tuple[Any, ...]], dataset: Dataset) -> bool:
    """Whether preparing all rows so takes no time and room to speak of, by the cards of the
    steps."""
    n, p = dataset.n, sum(max(len(c.levels), 1) for c in dataset.columns)
    steps = (step for preparation in preparations for step in preparation if step.card.cost)
    took = sum(step.card.cost(n, p, step)[0] for step in steps)
    return took <= QUICK and n * p * len(preparations) <= MOST_VALUES
