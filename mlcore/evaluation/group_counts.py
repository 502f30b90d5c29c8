"""How many groups: the criteria, what each says of a range of numbers, and what they say together.

Every criterion is an array over the numbers of groups that were tried, NaN where it is undefined.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from mlcore.evaluation.metrics.groups import calinski_harabasz, davies_bouldin, silhouette_samples
from mlcore.maths.curves import knee
from mlcore.spine import random
from mlcore.spine.records import function

MOST_ROWS = 2000  # of a silhouette, whose time grows with their square
NEARLY = 0.01  # of the best value: what lies nearer to it is as good
BARELY = 2.0  # of BIC and AIC: a smaller difference is "not worth more than a bare mention"
STRONG = 0.8  # a prediction strength from which groups are taken to be there
LEAST_SCATTER = 1e-12  # of the total: below it groups have no width, and no logarithm of it


class Criterion(NamedTuple):
    """One opinion on the number of groups. `better` is higher, lower, or rule for one of its own.

    `slack` is the difference from the best below which a number is as good, `is_share` whether it
    is a share of the best value.
    """

    name: str
    title: str
    better: str
    rule: str  # what is chosen, in a few words
    note: str  # what it is, in a sentence
    slack: float = 0.0
    is_share: bool = False


CRITERIA = (
    Criterion(
        "silhouette", "Silhouette", "higher", "highest",
        "How much nearer rows are to their own group than to the next one, mean over the rows.",
        NEARLY, True,
    ),
    Criterion(
        "calinski_harabasz", "Calinski-Harabasz", "higher", "highest",
        "Variance between groups over variance within, by their degrees of freedom.", NEARLY, True,
    ),
    Criterion(
        "davies_bouldin", "Davies-Bouldin", "lower", "lowest",
        "Widths of two groups over the distance of their means, for the worst neighbour of each.",
        NEARLY, True,
    ),
    Criterion(
        "stability", "Stability", "higher", "highest, within 1 se",
        "Mean adjusted Rand index of the groups of two resamples, on the rows that both hold.",
    ),
    Criterion(
        "prediction_strength", "Prediction strength", "rule", "largest of at least 0.8",
        "Share of the pairs in a group of one half that groups of the other half keep together, "
        "for the worst group.",
    ),
    Criterion(
        "stability_index", "Stability index", "lower", "lowest, within 1 se",
        "Share of rows that groups of the other half put elsewhere, over that of random labels.",
    ),
    Criterion(
        "consensus", "Consensus area", "rule", "elbow: farthest above the chord",
        "Area under the distribution of the share of resamples that put a pair together.",
    ),
    Criterion(
        "gap", "Gap statistic", "rule", "first within 1 se of the next",
        "Logarithm of the scatter within groups of rows without any groups, less that of these.",
    ),
    Criterion(
        "within", "Scatter within", "rule", "elbow: farthest below the chord",
        "Sum of squared distances of the rows to the mean of their group.",
    ),
    Criterion(
        "bic", "BIC", "lower", "lowest, within 2",
        "Schwarz's criterion: log-likelihood of the rows, less a price for each parameter.", BARELY,
    ),
    Criterion(
        "bic_spherical", "Spherical BIC", "lower", "lowest, within 2",
        "BIC of groups as spherical Gaussians of one width: long groups are cut by it.", BARELY,
    ),
    Criterion(
        "bic_elliptical", "Elliptical BIC", "lower", "lowest, within 2",
        "BIC of groups as Gaussians of any shape; noise and tiny groups are spread over the box.",
        BARELY,
    ),
    Criterion(
        "aic_elliptical", "Elliptical AIC", "lower", "lowest, within 2",
        "AIC of the same Gaussians: the price does not grow with the rows.", BARELY,
    ),
    Criterion(
        "aic", "AIC", "lower", "lowest, within 2",
        "Akaike's criterion: like BIC, but the price does not grow with the rows.", BARELY,
    ),
    Criterion(
        "dic", "DIC", "lower", "lowest, within 2",
        "Deviance information criterion: like AIC, with the parameters counted by how far fits to "
        "reweighted rows differ.", BARELY,
    ),
)  # fmt: skip


class Gap(NamedTuple):
    """The gap statistic over the numbers of groups."""

    gap: np.ndarray  # (k,)
    error: np.ndarray  # (k,) its standard error, simulation included


class Opinion(NamedTuple):
    """A criterion over the numbers of groups, and which of them it says, the best first."""

    criterion: Criterion
    values: np.ndarray  # (k,)
    spread: np.ndarray  # (k,) sd or standard error, NaN where there is none
    says: tuple[int, ...]  # numbers of groups, several where it cannot tell them apart


def of_rows(X: np.ndarray, labels: np.ndarray, seed: int = 0) -> dict[str, float]:
    """Criteria of one grouping of the rows: shape (n, p), labels (n,), -1 is noise.

    The silhouette is that of at most 2000 rows, drawn by the seed.
    """
    return {
        "silhouette": _silhouette(X, labels, seed),
        "calinski_harabasz": calinski_harabasz(X, labels),
        "davies_bouldin": davies_bouldin(X, labels),
    }


def _silhouette(X: np.ndarray, labels: np.ndarray, seed: int) -> float:
    if len(X) > MOST_ROWS:
        rng = random.generator(seed, "silhouette")
        some = np.sort(rng.choice(len(X), MOST_ROWS, replace=False))
        X, labels = X[some], labels[some]
    widths = silhouette_samples(X, labels)
    defined = widths[np.isfinite(widths)]
    return float(defined.mean()) if len(defined) else float("nan")


@function("reference_rows", title="Reference rows of the gap statistic")
def reference_rows(X: Any, rng: np.random.Generator) -> np.ndarray:
    """As many rows without any groups: uniform in a box along the principal axes of X.

    The box has the range of the rows along each axis, shape (n, p) like `X` (Tibshirani, Walther
    and Hastie 2001, reference distribution (b)). Rows that lack a value are not counted, as in
    sums of squares, and do not make the box; where all do, it has the range of each column, (a).
    """
    X = np.asarray(X, dtype=np.float64)
    seen = X[~np.isnan(X).any(axis=1)]
    if not len(seen):
        return rng.uniform(np.nanmin(X, axis=0), np.nanmax(X, axis=0), size=X.shape)
    mean = seen.mean(axis=0)
    axes = np.linalg.svd(seen - mean, full_matrices=False)[2]
    Z = (seen - mean) @ axes.T
    low, high = Z.min(axis=0), Z.max(axis=0)
    return rng.uniform(low, high, size=(len(seen), len(axes))) @ axes + mean


@function(
    "gap_statistic",
    title="Gap statistic",
    synonyms=("clusGap", "Tibshirani gap", "number of clusters", "one standard error rule"),
)
def gap_statistic(within: Any, references: Any) -> Gap:
    """How much tighter groups are than groups of rows that have none, on a logarithmic scale.

    Gap(k) = mean over b of log W*_b(k) - log W(k), with the standard error s(k) = sd_b sqrt(1 +
    1/B) (Tibshirani, Walther and Hastie 2001). `within`, shape (k,), are sums of squares within the
    groups of the rows, `references`, (B, k), those of rows drawn without groups. NaN where W is 0
    or nothing was drawn, and an error of NaN with fewer than two references.
    """
    within, references = np.asarray(within, float), np.asarray(references, float)
    if not len(references) or not np.isfinite(within).any():
        return Gap(np.full(len(within), np.nan), np.full(len(within), np.nan))
    with np.errstate(divide="ignore", invalid="ignore"):
        drawn = np.log(np.where(references > 0, references, np.nan))
        own = np.log(np.where(within > LEAST_SCATTER * np.nanmax(within), within, np.nan))
    b = len(drawn)
    error = drawn.std(axis=0) * sqrt(1 + 1 / b) if b > 1 else np.full(len(own), np.nan)
    return Gap(drawn.mean(axis=0) - own, error)


def first_near_next(gap: np.ndarray, error: np.ndarray) -> int | None:
    """Index of the first number with Gap(k) >= Gap(k + 1) - s(k + 1); the last if there is none.

    Both have shape (k,). None without any gap.
    """
    defined = np.flatnonzero(np.isfinite(gap) & np.isfinite(error))
    if len(defined) < 2:
        return None
    g, s = gap[defined], error[defined]
    enough = np.flatnonzero(g[:-1] >= g[1:] - s[1:])
    return int(defined[enough[0] if len(enough) else -1])


def opinion(
    name: str, ks: Sequence[int], values: np.ndarray, spread: np.ndarray, slack: float = 0.0
) -> Opinion:
    """What a criterion of `values` with their `spread`, shape (k,), says of the numbers `ks`.

    `slack` takes the place of its own, where it has none.
    """
    criterion = next(each for each in CRITERIA if each.name == name)
    at = _chosen(criterion, values, spread, slack)
    return Opinion(criterion, values, spread, tuple(int(ks[k]) for k in at))


def _chosen(
    criterion: Criterion, values: np.ndarray, spread: np.ndarray, slack: float
) -> list[int]:
    if criterion.name == "gap":
        first = first_near_next(values, spread)
        return [] if first is None else [first]
    defined = np.flatnonzero(np.isfinite(values))
    if criterion.name == "prediction_strength":
        return [int(k) for k in defined if values[k] >= STRONG][-1:]
    if criterion.name in ("within", "consensus"):
        # Fewer than three values have no corner, and a curve without one is no opinion.
        falls = values[defined] if criterion.name == "within" else -values[defined]
        at = knee(falls) if len(defined) > 2 else 0
        return [int(defined[at])] if at else []
    if not len(defined):
        return []
    worth = values[defined] if criterion.better == "higher" else -values[defined]
    best = worth.max()
    room = criterion.slack * abs(best) if criterion.is_share else criterion.slack or slack
    near = defined[worth >= best - room]
    first = int(defined[worth.argmax()])
    return [first, *(int(k) for k in near if k != first)]


def mean_ranks(ks: Sequence[int], opinions: Sequence[Opinion]) -> np.ndarray:
    """Mean rank of each number over the criteria that put all numbers in an order, shape (k,).

    1 is the best, ties share their mean. Numbers for which one of these criteria is undefined have
    none (NaN), and a criterion that is undefined for all of them has no say.
    """
    orders = [o for o in opinions if o.criterion.better != "rule" and np.isfinite(o.values).any()]
    if not orders:
        return np.full(len(ks), np.nan)
    worth = np.array([o.values if o.criterion.better == "lower" else -o.values for o in orders])
    defined = np.isfinite(worth).all(axis=0)
    ranks = np.full(len(ks), np.nan)
    if defined.any():
        some = worth[:, defined]
        below = (some[:, None, :] < some[:, :, None]).sum(axis=2)
        equal = (some[:, None, :] == some[:, :, None]).sum(axis=2)
        ranks[defined] = (below + (equal + 1) / 2).mean(axis=0)
    return ranks
