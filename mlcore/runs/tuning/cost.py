"""What a tuning will cost, before it begins."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.runs.carry import splits_of
from mlcore.runs.cost import estimate as estimate_run
from mlcore.runs.cost import kept
from mlcore.runs.tuning.judging import inner_splits
from mlcore.runs.tuning.search import Candidate
from mlcore.runs.tuning.tuning import Tuning
from mlcore.spine.errors import ParamError

A_CANDIDATE = 700.0  # bytes of its scores in one stage, beside one an inner fold; measured


class Preview(NamedTuple):
    """What a tuning will cost."""

    candidates: int
    fits: int
    seconds: float
    size: float  # bytes
    kept: float  # bytes of its outcome

    def over(self) -> str:
        """The numbers of candidates and of fits, in words."""
        return f"{self.candidates} candidates, {self.fits} fits"


def estimate(tuning: Tuning, dataset: Dataset) -> Preview:
    """What carrying out will take, before it begins."""
    base = tuning.run()
    candidates = tuning.search.candidates(base, tuning.seed)
    outer = len(splits_of(base, dataset))
    inner = len(inner_splits(tuning, dataset, np.arange(dataset.n)))
    costs = [_cost(tuning, candidate, dataset, outer) for candidate in candidates]
    seconds = sum(c for c, _ in costs) * inner * (outer + 1)
    size = max((s for _, s in costs), default=0.0)
    judged = len(candidates) * (outer + 1)
    stays = kept(base, dataset) + judged * (A_CANDIDATE + 8.0 * inner)
    return Preview(len(candidates), judged * inner + outer, seconds, size, stays)


def _cost(
    tuning: Tuning, candidate: Candidate, dataset: Dataset, outer: int
) -> tuple[float, float]:
    """Seconds of one fit with these settings, and bytes; nothing for those that contradict."""
    try:
        run = tuning.run(candidate)
    except ParamError:
        return 0.0, 0.0
    seconds, size = estimate_run(run, dataset)
    return seconds / (outer + 1), size
