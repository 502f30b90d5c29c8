"""Groups judged without a truth: do they come again, are they apart, is anything in none?"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import nan
from typing import Any

import numpy as np

from mlcore.evaluation.group_likelihood import information_elliptical
from mlcore.evaluation.metrics.groups import adjusted_rand, silhouette_samples
from mlcore.evaluation.metrics.metric import FITTED, RESAMPLES, Metric
from mlcore.evaluation.sampled_rows import OF_MANY, sampled_rows
from mlcore.evaluation.scoring import Case, Scored, Scoring
from mlcore.spine import random
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.registry import lookup
from mlcore.spine.wording import percent

SHARE = 0.8  # of the training rows in a resample: two of them share four rows in five of it
RESAMPLED = 4  # resamples, which make six pairs

STABILITY = Metric(
    "stability", "Stability", "higher",
    f"{RESAMPLED} resamples of {percent(SHARE)} of the training rows are grouped: mean agreement "
    "of two of them on their common rows, as adjusted Rand index. 1 is the same, 0 chance; noise "
    "is one group more. One group of all rows has none: chance makes the same.",
    -1, 1, rows=RESAMPLES,
)  # fmt: skip
SILHOUETTE = Metric(
    "silhouette", "Silhouette of the training rows", "higher",
    "How much nearer training rows are to their own group than to the next, without noise: mean "
    f"over the rows, in prepared coordinates. 1 is far apart, 0 is touching. {OF_MANY} Rows with "
    "missing values are left out: they are at no distance from others.",
    -1, 1, rows=FITTED,
)  # fmt: skip
NOISE = Metric(
    "noise", "Noise among the training rows", "lower",
    "Share of the training rows that are in no group. One group of all rows has none: by itself it "
    "says nothing.",
    0, 1, rows=FITTED,
)  # fmt: skip
OF_ELLIPSES = (
    Metric(
        "bic_elliptical", "Elliptical BIC a training row", "lower",
        "Each group is a Gaussian of the mean and covariance of its training rows, noise and small "
        "groups are spread evenly over the box of all: B log n - 2 log L of B parameters, divided "
        "by n, in nats, in prepared coordinates.",
        rows=FITTED,
    ),
    Metric(
        "aic_elliptical", "Elliptical AIC a training row", "lower",
        "The same with 2 B in place of B log n: it asks less for a group more.",
        rows=FITTED,
    ),
)  # fmt: skip


class GroupScoring(Scoring):
    """Judges the groups of a fit beside groups that are drawn by chance."""

    baseline_name = "groups by chance"

    def baseline_of(self, method: Component) -> Component:
        """As many groups as the method is told to make, two where it is not, by chance."""
        asked: Any = getattr(method, "n_clusters", None)
        return lookup("baseline", "groups_by_chance")(n_groups=asked or 2)


@enter(
    Card(
        "stability",
        "Stability",
        ("scoring",),
        paper="Ben-Hur, Elisseeff and Guyon (2002), Pacific Symposium on Biocomputing 7; "
        "von Luxburg (2010), Foundations and Trends in Machine Learning 2(3)",
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class Stability(GroupScoring):
    """Whether other draws of the same rows fall into the same groups.

    Resamples are drawn without replacement, so that no row stands beside its copy. The preparation
    is not fitted anew. A wrong number of groups is mostly unstable, but a stable grouping need not
    be a good one. One group of everything comes back in every resample, and by chance as well: its
    agreement is no more than that of chance and no less than a perfect one, so it has no stability.
    """

    refits = RESAMPLED

    def metrics(self) -> tuple[Metric, ...]:
        """The mean agreement alone."""
        return (STABILITY,)

    def scored(self, case: Case) -> Scored:
        """The mean; NaN where a resample has too few rows for the method, or all are one group."""
        groupings: list[tuple[np.ndarray, np.ndarray]] = []
        for at, seed in _resamples(len(case.train.X), case.seed):
            if len(at) < 2 or case.method.applies(case.train.X[at]):
                return Scored({STABILITY.name: nan})
            groupings.append((at, case.refitted(at, seed).labels))
        if all(len(np.unique(labels)) < 2 for _, labels in groupings):
            return Scored({STABILITY.name: nan})
        agreed = [_agreement(one, other) for one, other in combinations(groupings, 2)]
        return Scored({STABILITY.name: float(np.mean(agreed))})


def _resamples(n: int, seed: int) -> list[tuple[np.ndarray, int]]:
    """Positions of each resample in order, and the seed of its fit."""
    rng = random.generator(seed, "stability")
    size = int(SHARE * n)
    return [
        (np.sort(rng.choice(n, size, replace=False)), int(rng.integers(2**31)))
        for _ in range(RESAMPLED)
    ]


def _agreement(one: tuple[np.ndarray, np.ndarray], other: tuple[np.ndarray, np.ndarray]) -> float:
    """Adjusted Rand index of two groupings, each (rows, labels), on the rows that both hold."""
    _, mine, theirs = np.intersect1d(one[0], other[0], assume_unique=True, return_indices=True)
    return adjusted_rand(one[1][mine], other[1][theirs])


@enter(
    Card(
        "silhouette",
        "Silhouette",
        ("scoring",),
        paper="Rousseeuw (1987), Journal of Computational and Applied Mathematics 20",
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class Silhouette(GroupScoring):
    """How far apart the groups of the training rows are, for their width."""

    is_in_prepared = True

    def metrics(self) -> tuple[Metric, ...]:
        """The mean width alone."""
        return (SILHOUETTE,)

    def scored(self, case: Case) -> Scored:
        """The mean; NaN for fewer than two groups."""
        X, labels = _measured(case), case.fit.labels
        some = sampled_rows(len(X), case.seed, "silhouette")
        widths = silhouette_samples(X[some], labels[some])
        defined = widths[np.isfinite(widths)]
        return Scored({SILHOUETTE.name: float(defined.mean()) if len(defined) else nan})


@enter(
    Card(
        "group_information",
        "Likelihood of the groups",
        ("scoring",),
        sources=("epfl:metric_aic", "epfl:metric_bic", "epfl:metric_consensus"),
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class GroupInformation(GroupScoring):
    """AIC and BIC of groups of any method as ellipses, by `information_elliptical`."""

    is_in_prepared = True

    def metrics(self) -> tuple[Metric, ...]:
        """Schwarz's criterion first."""
        return OF_ELLIPSES

    def scored(self, case: Case) -> Scored:
        """Both, divided by the number of rows without gaps; NaN where no group has a covariance."""
        X = _measured(case)
        whole = np.isfinite(X).all(axis=1)
        if not whole.any():
            return Scored(self._complete({}))
        of, n = information_elliptical(X[whole], case.fit.labels[whole]), int(whole.sum())
        return Scored({"bic_elliptical": of.bic / n, "aic_elliptical": of.aic / n})


def _measured(case: Case) -> np.ndarray:
    """The training rows without columns that only name groups, in which nothing is far."""
    names = case.method.untouched()
    apart = [j for j, each in enumerate(case.fit.columns) if each.variable in names]
    return np.delete(case.train.X, apart, axis=1) if apart else case.train.X


@enter(Card("noise_share", "Share of noise", ("scoring",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class NoiseShare(GroupScoring):
    """How many of the training rows are in no group."""

    def metrics(self) -> tuple[Metric, ...]:
        """The share alone."""
        return (NOISE,)

    def scored(self, case: Case) -> Scored:
        """The share of labels -1."""
        return Scored({NOISE.name: float((case.fit.labels == -1).mean())})
