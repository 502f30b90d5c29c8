"""What a tuning finds: every candidate on inner folds, every choice on the outer fold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.evaluation.metrics.metric import Metric
from mlcore.evaluation.summary import summary
from mlcore.runs.carry import FoldResult
from mlcore.runs.labels import noun_at
from mlcore.runs.tuning.search import Candidate
from mlcore.spine.fit import freeze

ALL_ROWS = -1  # the stage that searches on all rows, for the settings that are handed over


@dataclass(frozen=True, eq=False)
class Judged:
    """One candidate on the inner folds of one stage: an outer fold, or all rows."""

    stage: int  # outer fold from 0, or ALL_ROWS
    candidate: int
    scores: np.ndarray  # (inner folds,) NaN where it has none
    seconds: float
    failure: str = ""
    done: int = 0  # candidates of all stages, this one too
    total: int = 0

    unit = "candidates"

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def where(self) -> str:
        """Which candidate, and on which rows."""
        rows = "all rows" if self.stage == ALL_ROWS else f"outer fold {self.stage + 1}"
        return f"{rows}, candidate {self.candidate + 1}"


@dataclass(frozen=True, eq=False)
class Chosen:
    """The end of a stage: which candidate won inside, and how it does on test rows."""

    stage: int
    best: int  # position among the candidates
    means: np.ndarray  # (candidates,) over the inner folds; NaN where a candidate failed
    spreads: np.ndarray  # (candidates,) standard deviations
    fold: FoldResult | None  # on the outer test rows; None for all rows
    done: int = 0  # candidates of all stages
    total: int = 0

    unit = "candidates"
    where = ""

    def __post_init__(self) -> None:
        freeze(self)


@dataclass(frozen=True, eq=False)
class Tuned:
    """All results of a search. After a stop some outer folds are missing."""

    run: Any  # the tuning
    metric: Metric
    paths: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    judged: tuple[Judged, ...]
    overall: Chosen | None  # on all rows: its settings are handed over
    stages: tuple[Chosen, ...]  # outer folds that are done
    planned: int
    versions: tuple[tuple[str, str], ...]

    @property
    def inner(self) -> np.ndarray:
        """The best inner score of each outer fold, shape (folds,): optimistic."""
        return np.array([stage.means[stage.best] for stage in self.scored])

    @property
    def outer(self) -> np.ndarray:
        """The score of the chosen settings on the test rows, shape (folds,)."""
        return np.array([outer_score(stage, self.metric.name) for stage in self.scored])

    @property
    def scored(self) -> tuple[Chosen, ...]:
        """The outer folds that have a score."""
        return tuple(s for s in self.stages if s.fold is not None and not s.fold.failure)

    @property
    def optimism(self) -> float:
        """How much better the choice looked inside than it is, in the units of the score."""
        if not self.scored:
            return float("nan")
        sign = 1 if self.metric.better == "higher" else -1
        return sign * summary(self.inner - self.outer).mean

    @property
    def chosen(self) -> Any:
        """The run with the settings that all rows choose; None before that stage is done."""
        return None if self.overall is None else self.run.run(self.candidates[self.overall.best])


def outer_score(stage: Chosen, name: str) -> float:
    """A score of the chosen settings on the outer test rows; NaN without one."""
    return float("nan") if stage.fold is None else float(stage.fold.scores.get(name, np.nan))


def chosen_in_words(tuned: Tuned) -> str:
    """What all rows choose, by the names of the controls: neighbours = 7; "" before that."""
    if tuned.overall is None:
        return ""
    return ", ".join(
        f"{noun_at(tuned.run, path)} = {_short(value)}"
        for path, value in tuned.candidates[tuned.overall.best]
    )


def settings(candidate: Candidate) -> str:
    """The settings of a candidate in one line: alpha = 0.1, solver = svd."""
    return ", ".join(f"{path.rpartition('.')[2]} = {_short(value)}" for path, value in candidate)


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
