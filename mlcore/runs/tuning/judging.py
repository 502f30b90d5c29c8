"""Judging the candidates of a tuning on inner folds: each is a call of its own, in any process."""

from __future__ import annotations

import time
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.evaluation.splits import Split, Splits
from mlcore.preparation.chain import Prepared, prepare
from mlcore.runs.carry import does_not_suit, judge_of, splits_of
from mlcore.runs.fitting import arranged, case_of, fit_prepared, steps_of
from mlcore.runs.in_blocks import together
from mlcore.runs.run import Run
from mlcore.runs.tuning.search import Candidate
from mlcore.runs.tuning.tuned import ALL_ROWS, Judged
from mlcore.spine.errors import DataError, MlcoreError, ParamError

if TYPE_CHECKING:
    from mlcore.runs.tuning.tuning import Tuning


class Problem:
    """The data, the folds and the candidates of a tuning. Raises DataError if it does not apply."""

    def __init__(self, tuning: Tuning, dataset: Dataset) -> None:
        self.tuning, self.dataset, base = tuning, dataset, tuning.run()
        if reason := does_not_suit(base, dataset):
            raise DataError(reason)
        self.judge = judge_of(base)
        self.metric = self.judge.metric(tuning.metric)
        self.outer = splits_of(base, dataset)
        self.paths = tuning.search.paths(base)
        self.candidates: tuple[Candidate, ...] = tuning.search.candidates(base, tuning.seed)
        self.runs = [self._run(candidate) for candidate in self.candidates]

    def _run(self, candidate: Candidate) -> Run | MlcoreError:
        try:
            return self.tuning.run(candidate)
        except ParamError as error:
            return error

    def by_preparation(self) -> list[int]:
        """The candidates, those of equal preparations one after the other."""
        steps = [run.preparation if isinstance(run, Run) else None for run in self.runs]
        first = {preparation: k for k, preparation in reversed(list(enumerate(steps)))}
        return sorted(range(len(steps)), key=lambda k: first[steps[k]])

    def target(self, rows: np.ndarray) -> np.ndarray | None:
        """The target of the rows at these positions, both shape (m,); None without a target."""
        return None if self.dataset.y is None else self.dataset.y[rows]


def judge(tuning: Tuning, dataset: Dataset, stage: int, candidate: int) -> Judged:
    """One candidate on the inner folds of a stage: of an outer fold's training rows, or of all."""
    began = time.perf_counter()
    scores, failure = _stage(tuning, dataset, stage).scores(candidate)
    return Judged(stage, candidate, scores, time.perf_counter() - began, failure=failure)


# Candidates of a stage come one after the other, and where stages meet, of two.
@lru_cache(maxsize=2)
def _stage(tuning: Tuning, dataset: Dataset, stage: int) -> _Stage:
    return _Stage(Problem(tuning, dataset), stage)


class _Stage:
    """The inner folds of one stage; equal preparations are fitted once."""

    def __init__(self, problem: Problem, stage: int) -> None:
        self._problem = problem
        n = problem.dataset.n
        rows = np.arange(n) if stage == ALL_ROWS else problem.outer[stage].train
        self._inner = inner_splits(problem.tuning, problem.dataset, rows)
        self._cached: tuple[Any, dict[int, Prepared]] = ((), {})  # of the last preparation alone

    def scores(self, candidate: int) -> tuple[np.ndarray, str]:
        """One score an inner fold, NaN where there is none, and why the first is missing."""
        scores, failure = np.full(len(self._inner), np.nan), ""
        run = self._problem.runs[candidate]
        if not isinstance(run, Run):
            return scores, str(run)
        for f, split in enumerate(self._inner):
            try:
                scores[f] = self._score(run, self._prepared(steps_of(run), f), split)
            except MlcoreError as error:
                failure = failure or str(error)
        return scores, failure

    def _prepared(self, steps: tuple[Any, ...], fold: int) -> Prepared:
        cached = self._cached
        if cached[0] != steps:
            cached = self._cached = (steps, {})
        if fold not in cached[1]:
            data, rows = self._problem.dataset, self._inner[fold].train
            groups = None if data.together is None else data.together[rows]
            y, seed = self._problem.target(rows), self._problem.tuning.seed
            cached[1][fold] = prepare(steps, data.X[rows], y, data.columns, seed, groups)
        return cached[1][fold]

    def _score(self, run: Run, prepared: Prepared, split: Split) -> float:
        data = self._problem.dataset
        fit = fit_prepared(run.method, prepared, data, split.train, run.seed)
        case = case_of(run, fit, prepared, data, split)
        return self._problem.judge.score(case, self._problem.metric)


def inner_splits(tuning: Tuning, dataset: Dataset, rows: np.ndarray) -> Splits:
    """The inner folds of the rows at positions `rows`, shape (m,), as positions in the data set."""

    def own(values: np.ndarray | None) -> np.ndarray | None:
        return None if values is None else values[rows]

    y = own(dataset.y) if dataset.task == "classification" else None
    kept = together(tuning.method, dataset, tuning.search.inner)
    splits = tuning.search.inner.splits(
        len(rows), y=y, groups=own(kept.codes), order=own(dataset.order), seed=tuning.seed,
        unit=kept.unit,
    )  # fmt: skip
    own_splits = splits.changed(lambda split: Split(rows[split.train], rows[split.test]))
    return arranged(tuning.method, dataset, own_splits)
