"""Five groupings of two bars, and criteria that choose different ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.clustering.dbscan import DBSCAN
from mlcore.clustering.kmeans import KMeans
from mlcore.data.generators.classes.two_bars import HALF
from mlcore.evaluation.comparing.ranking import ranked
from mlcore.evaluation.group_likelihood import (
    SHAPES,
    Information,
    information_by_scatter,
    information_elliptical,
)
from mlcore.evaluation.metrics.groups import adjusted_rand, rss
from mlcore.labs.lab import Lab, row_count
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, real
from mlcore.spine.random import generator

# With a likelihood of each of SHAPES, and without one.
RULES = ("full covariances", "diagonal covariances", "spherical covariances", "scatter alone")
SHOWN = (
    "k-means, 2 groups", "k-means, 4 groups",
    "DBSCAN, small radius", "DBSCAN, medium radius", "DBSCAN, large radius",
)  # fmt: skip
CRITERIA = ("RSS", "AIC", "BIC")
ENOUGH = 4  # rows around a core row
THICK = 0.2  # standard deviation across a bar


class Disagreement(NamedTuple):
    """Five groupings of the same rows, and what the criteria make of them."""

    X: np.ndarray  # (n, 2)
    labels: np.ndarray  # (5, n) -1 for noise
    values: np.ndarray  # (5, 3) scatter within groups, AIC, BIC of the rule; NaN where undefined
    ranks: np.ndarray  # (5, 3) from 1 for the least; what is undefined is last
    chosen: np.ndarray  # (rules, 2) grouping of the least AIC and BIC by each rule
    agreement: np.ndarray  # (5,) adjusted Rand index with the two bars
    rule: int
    shown: int


def _cost(n: int, p: int, it: CriteriaDisagreeLab) -> tuple[float, float]:
    return 0.03 + 4e-7 * it.n_rows**2, 1e6 + 16.0 * it.n_rows**2


@enter(
    Card(
        "criteria_disagree",
        "Criteria that disagree",
        ("lab",),
        sources=("epfl:metric_consensus", "epfl:metric_aic", "epfl:metric_bic", "epfl:metric_rss"),
        random=True,
        cost=_cost,
        formula=r"\mathrm{AIC} = 2 B - 2 \ln L, \quad \mathrm{BIC} = B \ln n - 2 \ln L",
        kind="lab",
        pages=("clustering",),
        synonyms=("AIC of DBSCAN", "BIC of k-means", "consensus rank", "choosing a clustering"),
        line="a criterion chooses by the likelihood in it",
    )
)
@dataclass(frozen=True, kw_only=True)
class CriteriaDisagreeLab(Lab):
    r"""Which grouping AIC and BIC choose depends on the likelihood that is put into them.

    Two long bars are grouped by k-means of 2 and 4 groups and by DBSCAN of three radii. Groups have
    no likelihood of their own, so one is lent to them: each group is a Gaussian, and noise and
    groups of fewer than three rows are one even density over all. With scatter alone RSS stands in
    place of $-2 \ln L$, and noise costs nothing. B counts the parameters.
    """

    tasks = (
        "Compare the rules: which of them takes the two bars for two groups?",
        "Show the grouping with the least RSS, and count its groups and its noise.",
        "Bring the bars together until full covariances no longer choose the medium radius.",
    )
    seen = (
        "RSS, balls and scatter alone prefer the tiny radius, which keeps crumbs and calls half of "
        "the rows noise: crumbs have no scatter. Ellipses pay for every crumb and fit a bar as a "
        "whole, so they take the medium radius, which finds the bars. No criterion is right by "
        "itself, and a mean rank is only as good as what it averages."
    )

    rule: str = choice(RULES[0], *RULES, label="Likelihood", doc="Put into AIC and BIC.")
    small: float = real(
        0.15, above=0.0, soft=(0.05, 0.4), log=True, label="Small radius", doc="Of DBSCAN."
    )
    medium: float = real(
        0.6, above=0.0, soft=(0.3, 1.5), log=True, label="Medium radius", doc="Of DBSCAN."
    )
    large: float = real(
        2.5, above=0.0, soft=(1.0, 5.0), log=True, label="Large radius", doc="Of DBSCAN."
    )
    gap: float = real(
        2.0, low=0.0, high=10.0, soft=(0.5, 4.0), label="Distance of the bars",
        doc="Between their middle lines; they are 8 long.",
    )  # fmt: skip
    shown: str = choice(SHOWN[3], *SHOWN, label="Grouping shown", doc="In the map of the rows.")
    n_rows: int = row_count(300, (100, 1000), low=40, high=2000)

    def conflict(self) -> str | None:
        """Radii that are not what they are called."""
        if self.small < self.medium < self.large:
            return None
        return f"{self.title()}: the radii must rise from small over medium to large. Change one."

    def compute(self, seed: int = 0) -> Disagreement:
        """Group the rows five times, and judge each by every rule."""
        X, bar = self._rows(generator(seed, "rows"))
        methods = [KMeans(n_clusters=k) for k in (2, 4)]
        radii = (self.small, self.medium, self.large)
        labels = [m.fit(X, seed=seed).labels for m in methods]
        labels += [DBSCAN(eps=eps, min_samples=ENOUGH).fit(X).labels for eps in radii]
        rules = np.array([[_information(X, own, k) for own in labels] for k in range(len(RULES))])
        scatter = [rss(X, own) if (own >= 0).any() else np.nan for own in labels]
        rule = RULES.index(self.rule)
        values = np.column_stack([scatter, rules[rule]])
        costs = np.where(np.isnan(values), np.inf, values)
        chosen = np.where(np.isnan(rules), np.inf, rules).argmin(axis=1)
        agreement = np.array([adjusted_rand(bar, own) for own in labels])
        return Disagreement(
            X, np.array(labels), values, ranked(costs.T).T, chosen, agreement, rule,
            SHOWN.index(self.shown),
        )  # fmt: skip

    def _rows(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        bar = np.arange(self.n_rows) % 2
        along = rng.uniform(-HALF, HALF, self.n_rows)
        across = self.gap * (bar - 0.5) + THICK * rng.normal(size=self.n_rows)
        return np.column_stack([along, across]), bar


def _information(X: np.ndarray, labels: np.ndarray, rule: int) -> Information:
    """AIC and BIC of a grouping by a rule; NaN where there is no group."""
    if rule < len(SHAPES):
        return information_elliptical(X, labels, SHAPES[rule])
    if not (labels >= 0).any():
        return Information(float("nan"), float("nan"))
    return information_by_scatter(X, labels)
