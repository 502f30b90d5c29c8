"""Permutation importance over the folds: what the score on rows left out loses by a shuffle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.evaluation.explaining.permutation import orders_within, permutation_importance
from mlcore.evaluation.metrics.metric import Metric
from mlcore.evaluation.splits import Split
from mlcore.evaluation.spread import spreads
from mlcore.runs.carry import judge_of
from mlcore.runs.explaining.alike import alike, stand_ins
from mlcore.runs.explaining.model import Model, position_of
from mlcore.runs.explaining.question import Question
from mlcore.runs.run import Run
from mlcore.spine import random
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, columns, integer, text
from mlcore.spine.wording import count, in_sentence, listed, rough

ALONE, CONDITIONAL, TOGETHER = "alone", "conditional", "together"


class FoldImportance(NamedTuple):
    """What the shuffles of one fold cost."""

    k: int
    metric: Metric
    lost: np.ndarray  # (variables, shuffles) how much worse the score was; negative is better
    score: float  # without a shuffle
    n_rows: int


class Importances(NamedTuple):
    """What variables are worth to the models of the folds, on the rows that they left out."""

    variables: tuple[str, ...]  # (p,) each, or groups that are shuffled together
    members: tuple[tuple[int, ...], ...]  # (p,) positions of the variables of each
    way: str
    same: tuple[tuple[str, ...], ...]  # variables that stand in for each other
    metric: Metric
    folds: np.ndarray  # (k,) from 1
    lost: np.ndarray  # (p, k) means over the shuffles
    mean: np.ndarray  # (p,) over the folds
    sd: np.ndarray  # (p,) over the folds; NaN for one
    shuffles: int
    n_rows: int  # that were left out, in all folds


def cost_in_words(importances: Importances, at: int) -> str:
    """What the score loses by a shuffle of one of them: accuracy is 0.24 ± 0.04 worse on ..."""
    mean, sd = float(importances.mean[at]), float(importances.sd[at])
    title, where = (
        in_sentence(importances.metric.title),
        f"on {count(importances.n_rows, 'row')} left out",
    )
    if mean <= 0:
        return f"{title} is no worse {where}"
    spread = f" ± {rough(sd, sd)}" if np.isfinite(sd) else ""
    return f"{title} is {rough(mean, sd)}{spread} worse {where}"


@enter(
    Card(
        "importance",
        "Permutation importance",
        ("question",),
        kind="part",
        peer="sklearn.inspection.permutation_importance",
    )
)
@dataclass(frozen=True, kw_only=True)
class Importance(Question):
    """Which variables carry the predictions?

    Each variable is shuffled among the rows that a fold left out, and the loss of the score is
    taken: a variable as the table has it, before the preparation, so all columns that were made of
    it are shuffled together. Variables that say the same stand in for each other, and both look
    unimportant: among rows that are alike in the others what is lost is what a variable says beyond
    them, and with its stand-ins what all of them say. On training rows a model that learned noise
    by heart would call noise important.
    """

    shuffles: int = integer(
        10, low=1, high=1000, soft=(5, 50), label="Shuffles per fold",
        doc="How often each variable is shuffled in each fold; their mean is one dot.",
    )  # fmt: skip
    way: str = choice(
        ALONE, ALONE, CONDITIONAL, TOGETHER, label="Shuffled",
        doc="A variable alone; among rows that are alike in the others, by which it is predicted "
        "with a tree: what it says beyond them; or together with those that say the same "
        "(associations of 0.7 and more).",
    )  # fmt: skip
    group: tuple = columns(
        doc="Variables that are shuffled at once, and no others, whatever is said of the shuffle; "
        "empty for all.",
    )
    metric: str = text("", doc="The measure that is lost, by name; the first if empty.")

    def models(self, dataset: Dataset, splits: Sequence[Split]) -> tuple[int, ...]:
        """All folds; refused for a group with variables that the data has not."""
        self._members(dataset)
        return super().models(dataset, splits)

    def answer(self, model: Model, k: int) -> FoldImportance:
        """The losses in one fold."""
        case, metric = model.case(), self.measure(model.run)
        judge = judge_of(model.run)
        sign = 1.0 if metric.better == "higher" else -1.0

        def score(X: np.ndarray) -> float:
            return sign * judge.score(case.on(model.rows(X)), metric)

        X = model.dataset.X[model.split.test]
        rng = random.generator(model.run.seed, "permutation importance", k)
        lost = permutation_importance(
            score, X, self._orders(model, rng), self._members(model.dataset)
        )
        return FoldImportance(k, metric, lost, sign * score(X), len(X))

    def _orders(self, model: Model, rng: np.random.Generator) -> np.ndarray:
        """Permutations of the rows left out, (shuffles, m), or (variables, shuffles, m)."""
        if self.way == CONDITIONAL and not self.group:
            groups = [alike(model, j) for j in range(len(model.dataset.columns))]
            return np.stack([orders_within(each, self.shuffles, rng) for each in groups])
        return np.array([rng.permutation(len(model.split.test)) for _ in range(self.shuffles)])

    def _members(self, dataset: Dataset) -> tuple[tuple[int, ...], ...]:
        """The variables that are shuffled together, by their positions."""
        if self.way == TOGETHER and not self.group:
            return stand_ins(dataset)
        if self.group:
            return (tuple(position_of(dataset, name) for name in dict.fromkeys(self.group)),)
        return tuple((j,) for j in range(len(dataset.columns)))

    def measure(self, run: Run) -> Metric:
        """The measure that is lost. Raises ParamError where the method has none of this name."""
        return judge_of(run).of_rows.metric(self.metric)

    def joined(self, answers: Sequence[FoldImportance], dataset: Dataset) -> Importances:
        """A dot a fold and variable, and what they are on average."""
        lost = np.stack([fold.lost.mean(axis=1) for fold in answers], axis=1)
        sd = spreads(lost, axis=1) if len(answers) > 1 else np.full(len(lost), np.nan)
        names, members = [column.name for column in dataset.columns], self._members(dataset)
        return Importances(
            tuple(" + ".join(names[j] for j in group) for group in members),
            members,
            self.way,
            tuple(tuple(names[j] for j in g) for g in stand_ins(dataset) if len(g) > 1),
            answers[0].metric,
            np.array([fold.k + 1 for fold in answers]),
            lost,
            lost.mean(axis=1),
            sd,
            self.shuffles,
            sum(fold.n_rows for fold in answers),
        )

    def predictions(self, run: Any, dataset: Dataset, n_folds: int) -> float:
        """Every row once a variable and shuffle."""
        return float(dataset.n * len(self._members(dataset)) * self.shuffles)

    def scorings(self, dataset: Dataset, n_folds: int) -> int:
        """Every shuffle of every variable in every fold."""
        return n_folds * len(self._members(dataset)) * self.shuffles

    def about(self) -> str:
        """With the variables that are shuffled together."""
        return f"{self.title()} of {listed(self.group)} together" if self.group else self.title()
