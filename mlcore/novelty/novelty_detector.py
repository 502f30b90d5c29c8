"""Novelty detection by a threshold on a score: what scores below lies outside."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

from mlcore.distances.neighbours import search_seconds
from mlcore.distances.pairwise import apart, frame_of_fit
from mlcore.spine.asking import can
from mlcore.spine.capabilities import (
    GivesDensity,
    GivesOwnDensity,
    HasCenters,
    HasNotes,
    ScoresRows,
)
from mlcore.spine.component import Card, enter
from mlcore.spine.method import Given, Method
from mlcore.spine.novelty import Line, NoveltyFit, contamination, line_at
from mlcore.spine.params import part, real


@dataclass(frozen=True, eq=False, kw_only=True)
class NoveltyDetectorFit(NoveltyFit):
    """What scores rows, and where the line is."""

    scorer: Any  # a fit that scores rows, gives a density, or has prototypes

    @property
    def score_name(self) -> str:  # pyrefly: ignore[bad-override]  # a constant elsewhere
        """What the score is called."""
        if can(self.scorer, ScoresRows):
            return self.scorer.score_name
        is_density = can(self.scorer, GivesDensity)
        return "log-density" if is_density else "minus the distance to the nearest center"

    @property
    def notes(self) -> tuple[str, ...]:
        """What the scorer decided while it was fitted."""
        return self.scorer.notes if can(self.scorer, HasNotes) else ()

    def holds_together(self) -> bool:
        """Whether the scorer does."""
        return self.scorer.holds_together()

    def usualness(self, X: Any) -> np.ndarray:
        """The score of each row, shape (m,): minus a distance, or the log-density in nats."""
        return _scores(self.scorer, self._rows(X))


def _cost(n: int, p: int, method: NoveltyDetector) -> tuple[float, float]:
    inner = method.scorer.card.cost
    if inner is not None:
        seconds, size = inner(n, p, method.scorer)
        return 2 * seconds + 1e-8 * n * n, size
    return 1e-3 + search_seconds(n, p) + 1e-5 * n, 48.0 * n * p


@enter(
    Card(
        "novelty_detector",
        "Threshold on a score",
        ("novelty",),
        sources=("cs1:membership_2nn", "cs1:novelty_as_classifier"),
        scores=("novelty_scores",),
        random=True,
        cost=_cost,
        formula=r"x \text{ is inside} \iff s(x) \ge t, \quad "
        r"\Pr\left(s(x_i) < t\right) \approx \text{share outside}",
        synonyms=(
            "novelty detector", "anomaly score", "k-nearest-neighbour novelty", "density threshold",
        ),
        line="a threshold on how usual a row is",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class NoveltyDetector(Method):
    r"""Calls a row new where a score of how usual it is falls below a threshold.

    A scorer learns the rows: by the distance to neighbours, a density, or prototypes such as the
    centers of k-means, of which the nearest counts. The threshold is the quantile of the scores of
    the fitted rows below which the share outside lies; where the scorer can tell, no row vouches
    for itself there. Or it is given: minus 7 with two neighbours on body sizes in kg and cm is the
    rule of the notes.

    Use it where hardly any or no examples of what is new exist. As good as its scorer: distances
    and kernels ask for columns of one scale and few of them, and with one threshold for all places
    thin regions of usual rows are lost. Rows that should not have been learned raise no alarm where
    they lie together. Missing values are taken where the scorer takes them. Costs what the scorer
    costs: O(n^2 p) for distances in many columns.
    """

    scorer: Any = part(
        "neighbour_distance", slot="scorer", label="Score", doc="How usual a row is."
    )
    contamination: float | None = contamination("the given threshold")
    threshold: float | None = real(
        None,
        soft=(-20.0, 0.0),
        symbol="t",
        or_none="from the share outside",
        doc="Least score of a row inside, in units of the score; it goes before the share.",
    )

    def conflict(self) -> str | None:
        """There must be a share or a threshold."""
        if self.contamination is None and self.threshold is None:
            return f"{self.title()} needs a share outside or a threshold. Give one of them."
        return None

    def takes_missing(self) -> bool:
        """Whether the scorer does."""
        return self.scorer.takes_missing()

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """What the scorer says."""
        return self.scorer.applies(X)

    def _fit(self, given: Given) -> NoveltyDetectorFit:
        fit = self.scorer.fit(given.X, columns=given.columns, seed=given.seed)
        own = _own(fit, given.X)
        line = line_at(own, self.contamination, nan)
        if self.threshold is not None:
            # One rounding below, so that a row exactly there lies inside.
            line = Line(float(np.nextafter(self.threshold, -np.inf)), nan)
        return NoveltyDetectorFit(
            made_by=self,
            columns=given.columns,
            scorer=fit,
            own_usualness=own,
            threshold=line.threshold,
            share_asked=line.share_asked,
        )


def _own(fit: Any, X: np.ndarray) -> np.ndarray:
    """The scores of the fitted rows, (n,), by the others where the scorer can leave one out."""
    if can(fit, ScoresRows):
        return fit.own_usualness
    return fit.own_log_density() if can(fit, GivesOwnDensity) else _scores(fit, X)


def _scores(fit: Any, X: np.ndarray) -> np.ndarray:
    """How usual rows X, shape (m, p), are to the fit of a scorer, shape (m,)."""
    if can(fit, ScoresRows):
        return fit.usualness(X)
    if can(fit, GivesDensity):
        return fit.log_density(X)
    assert can(fit, HasCenters)
    frame = frame_of_fit(fit)
    return -apart(frame, frame.placed(X), frame.placed(fit.centers)).min(axis=1)
