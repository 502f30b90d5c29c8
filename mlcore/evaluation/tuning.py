"""Tuning with nested cross-validation: inner folds choose the settings, outer folds score them.

The choice is repeated inside every outer fold, on its training rows alone, so the outer score is
that of the whole procedure and owes nothing to the choice. The best inner score is the largest of
many noisy ones: it is optimistic, and by how much is shown beside it.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.carry import (
    FoldResult,
    does_not_apply,
    fit_prepared,
    scored_fold,
    scoring_of,
    splits_of,
    versions,
)
from mlcore.component import Card, enter
from mlcore.data.dataset import Dataset
from mlcore.data.table import Table
from mlcore.errors import DataError, MlcoreError, ParamError
from mlcore.evaluation.paths import with_value
from mlcore.evaluation.scoring import Metric
from mlcore.evaluation.search import Candidate
from mlcore.evaluation.splits import Split
from mlcore.evaluation.tuned import ALL_ROWS, Chosen, Judged, Tuned, outer_score, settings
from mlcore.listing import function
from mlcore.params import integer, part, parts, text
from mlcore.preparation.chain import Prepared, prepare
from mlcore.run import AnyRun, Run

TIE = 1e-12  # means closer than this are ties, which the smaller spread decides


@enter(Card("tuning", "Tuning", ("run",), kind="run"))
@dataclass(frozen=True, kw_only=True)
class Tuning(AnyRun):
    """Which settings suit this data, and how good is a method whose settings are chosen so?"""

    carried_by = "mlcore.evaluation.tuning"

    data: Any = part("table", slot="data", doc="The table and what was decided about it.")
    preparation: tuple[Any, ...] = parts(
        ("impute", "one_hot", "standardise"),
        slot="preparation",
        doc="Steps that are fitted inside every training fold, in this order.",
    )
    method: Any = part("kmeans", slot="method", doc="What is tuned.")
    search: Any = part("grid_search", slot="search", doc="Which settings are tried.")
    evaluation: Any = part("k_fold", slot="splits", doc="How rows are left out to score.")
    metric: str = text("", doc="The measure that chooses, by name; the first if empty.")
    seed: int = integer(0, low=0, high=2**31 - 1, soft=(0, 99), doc="Start of all randomness.")

    def run(self, candidate: Candidate = ()) -> Run:
        """The single run with these settings; ParamError where they contradict each other."""
        found = Run(
            data=self.data,
            preparation=self.preparation,
            method=self.method,
            evaluation=self.evaluation,
            seed=self.seed,
        )
        for path, value in candidate:
            found = with_value(found, path, value)
        return found

    @classmethod
    def of(cls, run: Run, search: Any = "grid_search", metric: str = "") -> Tuning:
        """The tuning of a run's method."""
        return cls(
            data=run.data, preparation=run.preparation, method=run.method, search=search,
            evaluation=run.evaluation, metric=metric, seed=run.seed,
        )  # fmt: skip


@function(
    "nested_cross_validate",
    title="Nested cross-validation",
    sources=("cs1:nested_cv", "prac:nested_selection", "epfl:refit_final"),
)
def carry_out(
    run: Tuning, held: Mapping[str, Table] | None = None
) -> Generator[Judged | Chosen, None, Tuned]:
    """Search on all rows, then within each outer fold; yield every candidate and every choice.

    DataError where the method does not apply, or where no candidate can be judged on all rows. An
    outer fold in which none can is a failed fold.
    """
    work = _Work(run, held)
    events: list[Judged | Chosen] = []
    everything = Split(np.arange(work.dataset.n), np.arange(0))
    for stage, split in enumerate([everything, *work.outer], start=ALL_ROWS):
        for event in work.stage(stage, split):
            events.append(event)
            yield event
    found = _outcome(work, events)
    assert found is not None  # there was a stage
    return found


def carried_out(run: Tuning, held: Mapping[str, Table] | None = None) -> Tuned:
    """Carry out a tuning to its end."""
    work = carry_out(run, held)
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value


def so_far(
    run: Tuning, events: Sequence[Judged | Chosen], held: Mapping[str, Table] | None = None
) -> Tuned | None:
    """What is known from these events, also after a stop; None before the first."""
    return _outcome(_Work(run, held), events) if events else None


def _outcome(work: _Work, events: Sequence[Judged | Chosen]) -> Tuned | None:
    choices = [e for e in events if isinstance(e, Chosen)]
    return Tuned(
        work.tuning,
        work.metric,
        work.paths,
        work.candidates,
        tuple(e for e in events if isinstance(e, Judged)),
        next((c for c in choices if c.stage == ALL_ROWS), None),
        tuple(c for c in choices if c.stage != ALL_ROWS),
        len(work.outer),
        versions(),
    )


class _Work:
    """The data, the folds and the candidates of a tuning."""

    def __init__(self, tuning: Tuning, held: Mapping[str, Table] | None) -> None:
        self.tuning, self.base = tuning, tuning.run()
        self.dataset: Dataset = tuning.data.dataset(held)
        if reason := does_not_apply(self.base, self.dataset):
            raise DataError(reason)
        self.scoring = scoring_of(self.base)
        self.metric = _metric(self.scoring.metrics(), tuning.metric)
        self.outer = splits_of(self.base, self.dataset)
        self.paths = tuning.search.paths(self.base)
        self.candidates: tuple[Candidate, ...] = tuning.search.candidates(self.base, tuning.seed)
        self.total = (len(self.outer) + 1) * len(self.candidates)
        self.runs = [self._run(candidate) for candidate in self.candidates]

    def stage(self, stage: int, split: Split) -> Generator[Judged | Chosen, None, None]:
        """Every candidate on the inner folds of these training rows, then the choice."""
        before = (stage + 1) * len(self.candidates)
        inner = inner_splits(self.tuning, self.dataset, split.train)
        judged: dict[int, Judged] = {}
        for k, scores, seconds, failure in self._all(inner):
            done = before + len(judged) + 1
            judged[k] = Judged(stage, k, scores, seconds, done, self.total, failure)
            yield judged[k]
        scores = [judged[k].scores for k in range(len(self.candidates))]
        means, spreads = _summary(np.array(scores))
        best = chosen(means, spreads, self.metric.better)
        if best is None and stage == ALL_ROWS:
            raise DataError(_commonest([j.failure for j in judged.values()], self.metric))
        done = before + len(judged)
        fold = None if stage == ALL_ROWS else self._fold(stage, split, best, judged)
        yield Chosen(stage, best or 0, means, spreads, fold, done, self.total)

    def _run(self, candidate: Candidate) -> Run | MlcoreError:
        try:
            return self.tuning.run(candidate)
        except ParamError as error:
            return error

    def _fold(
        self, stage: int, split: Split, best: int | None, judged: Mapping[int, Judged]
    ) -> FoldResult:
        run = None if best is None else self.runs[best]
        if isinstance(run, Run):
            planned = len(self.outer)
            return scored_fold(run, self.dataset, self.scoring, stage, planned, split)
        failure = _commonest([j.failure for j in judged.values()], self.metric)
        return FoldResult(
            stage, len(self.outer), split.train, split.test, {}, {}, {}, failure=failure
        )

    def _all(
        self, inner: Sequence[Split]
    ) -> Generator[tuple[int, np.ndarray, float, str], None, None]:
        """(candidate, scores, seconds, failure); equal preparations are fitted once."""
        by_steps: dict[Any, list[int]] = {}
        for k, run in enumerate(self.runs):
            steps = run.preparation if isinstance(run, Run) else None
            by_steps.setdefault(steps, []).append(k)
        for steps, members in by_steps.items():
            prepared: dict[int, Prepared | MlcoreError] = {}
            for k in members:
                began = time.perf_counter()
                scores, failure = self._scores(k, steps, inner, prepared)
                yield k, scores, time.perf_counter() - began, failure

    def _scores(
        self, k: int, steps: Any, inner: Sequence[Split], prepared: dict[int, Any]
    ) -> tuple[np.ndarray, str]:
        scores, failure, run = np.full(len(inner), np.nan), "", self.runs[k]
        if not isinstance(run, Run):
            return scores, str(run)
        for f, split in enumerate(inner):
            try:
                if f not in prepared:
                    prepared[f] = self._prepared(steps, split)
                scores[f] = self._score(run, prepared[f], split)
            except MlcoreError as error:
                failure = failure or str(error)
        return scores, failure

    def _prepared(self, steps: Any, split: Split) -> Prepared:
        data = self.dataset
        X, y = data.X[split.train], self._target(split.train)
        groups = None if data.groups is None else data.groups[split.train]
        return prepare(steps, X, y, data.columns, self.tuning.seed, groups)

    def _score(self, run: Run, prepared: Prepared, split: Split) -> float:
        fit = fit_prepared(run.method, prepared, self.dataset, split.train, run.seed)
        X, y = prepared.transform(self.dataset.X[split.test]), self._target(split.test)
        scored = self.scoring.scored(fit, X, y, len(self.dataset.classes))
        return float(scored.scores[self.metric.name])

    def _target(self, rows: np.ndarray) -> np.ndarray | None:
        return None if self.dataset.y is None else self.dataset.y[rows]


def inner_splits(tuning: Tuning, dataset: Dataset, rows: np.ndarray) -> tuple[Split, ...]:
    """The inner folds of some rows, as positions among all rows of the data set."""

    def own(values: np.ndarray | None) -> np.ndarray | None:
        return None if values is None else values[rows]

    y = own(dataset.y) if dataset.task == "classification" else None
    found = tuning.search.inner.splits(
        len(rows), y=y, groups=own(dataset.groups), order=own(dataset.order), seed=tuning.seed
    )
    return tuple(Split(rows[split.train], rows[split.test]) for split in found)


def chosen(means: np.ndarray, spreads: np.ndarray, better: str) -> int | None:
    """The best mean, of ties that with the smaller spread, then the first; None where none is.

    `means` and `spreads` have shape (candidates,); NaN is a candidate without a score.
    """
    if not np.isfinite(means).any():
        return None
    worth = means if better == "higher" else -means
    ties = worth >= np.nanmax(worth) - TIE
    return int(np.where(ties, np.nan_to_num(spreads, nan=0.0), np.inf).argmin())


def _summary(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of each candidate, shape (candidates,).

    A candidate that lacks a score in some fold has none: its mean would be over easier folds.
    """
    defined = np.isfinite(scores).any(axis=0)  # a fold without a score for anyone is left out
    if not defined.any():
        return np.full(len(scores), np.nan), np.full(len(scores), np.nan)
    kept = scores[:, defined]
    spread = kept.std(axis=1, ddof=1) if kept.shape[1] > 1 else np.full(len(kept), np.nan)
    return kept.mean(axis=1), spread


def _metric(metrics: Sequence[Metric], name: str) -> Metric:
    found = [metric for metric in metrics if not name or metric.name == name]
    if not found:
        known = ", ".join(metric.name for metric in metrics)
        raise ParamError(f"There is no measure {name!r} for this method; choose one of {known}.")
    return found[0]


def _commonest(failures: Sequence[str], metric: Metric) -> str:
    said = [failure for failure in failures if failure]
    why = max(said, key=said.count) if said else f"{metric.title} is defined for none of them."
    return f"No candidate can be judged. {why}"


def report(tuned: Tuned) -> str:
    """The choice and its scores in full precision."""
    name = tuned.metric.title
    lines = [f"{tuned.run.method.title()}, {len(tuned.candidates)} candidates"]
    if tuned.overall is not None:
        lines.append(f"chosen on all rows: {settings(tuned.candidates[tuned.overall.best])}")
    for stage in tuned.stages:
        assert stage.fold is not None  # only all rows have none
        said = stage.fold.failure or repr(outer_score(stage, tuned.metric.name))
        which = settings(tuned.candidates[stage.best])
        inner = float(stage.means[stage.best])
        lines.append(f"  fold {stage.stage + 1}: {said}, inner best {inner!r} with {which}")
    if tuned.scored:
        lines.append(f"{name} on rows left out: mean {float(np.nanmean(tuned.outer))!r}")
        lines.append(f"{name} of the best inside: mean {float(np.nanmean(tuned.inner))!r}")
        lines.append(f"optimism {tuned.optimism!r}")
    return "\n".join(lines)
