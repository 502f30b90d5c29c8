"""Novelty detection judged with and without labels: alarms beside what was asked, rare rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.evaluation.metrics.metric import Metric
from mlcore.evaluation.metrics.ranking import roc_auc
from mlcore.evaluation.scoring import Case, Scored, Scoring, finite
from mlcore.maths.class_scores import the_rarest
from mlcore.spine.asking import can
from mlcore.spine.capabilities import AsksShare
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.novelty import OUTSIDE
from mlcore.spine.registry import lookup

GAP = Metric(
    "share_gap", "Gap to the share asked", "lower",
    "How far the share of rows outside is from the share that was asked for. It says whether the "
    "threshold holds for new rows, not whether the right ones are outside.",
    0, 1,
)  # fmt: skip
SHARE = Metric(
    "share_outside", "Share outside", "lower",
    "Share of rows that are called outside. By itself it says nothing: see the share asked for.",
    0, 1,
)  # fmt: skip
RARE = Metric(
    "rare_auc", "AUC of the rare class", "higher",
    "Where a class is known, which the method never sees: the probability that a row of the class "
    "with fewest rows is less usual than one of the others. 0.5 is chance.",
    0, 1,
)  # fmt: skip


@enter(
    Card(
        "novelty_scores",
        "Scores of novelty detection",
        ("scoring",),
        sources=("cs1:novelty_as_classifier", "cs1:novelty_protocol"),
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class NoveltyScores(Scoring):
    """Whether as many rows left out are outside as was asked, and whether the rare ones are.

    What is new has no labels, so by itself a detector is only known to keep its word: of rows like
    those that it learned, the share asked for raises an alarm. Where the table has classes, which
    the method is not told, the rarest stands for what is new.
    """

    baseline_name = "distance to the mean"

    def metrics(self) -> tuple[Metric, ...]:
        """The gap first: it can always be measured where a share is asked for."""
        return GAP, SHARE, RARE

    def scored(self, case: Case) -> Scored:
        """The measures: without a share asked for no gap, without classes no rare one."""
        fit, X = case.fit, case.test.X
        outside = fit.predict(X)
        share = float((outside == OUTSIDE).mean())
        scores = {SHARE.name: share, GAP.name: abs(share - fit.share_asked)}
        if (rare := rarest_class(case)) is not None:
            assert case.test.y is not None
            scores[RARE.name] = roc_auc(case.test.y == rare, -finite(fit.usualness(X)))
        return Scored(self._complete(scores), outside)

    def baseline_of(self, method: Component) -> Component:
        """The same share of rows outside, by their distance to the mean row."""
        asked: Any = method
        more = {"share": asked.contamination} if can(method, AsksShare) else {}
        return lookup("baseline", "mean_distance")(**more)


def rarest_class(case: Case) -> int | None:
    """The class with fewest rows; None where there are no two classes, or two are as rare."""
    if case.n_classes < 2 or case.test.y is None or case.train.y is None:
        return None
    y = np.concatenate([case.train.y, case.test.y]).astype(np.int64)
    return the_rarest(np.bincount(y, minlength=case.n_classes))
