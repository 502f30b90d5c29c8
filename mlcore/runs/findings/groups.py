"""Rules about groups that were found: one holds nearly all, most rows are noise, none are apart."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mlcore.distances.neighbours import Neighbours
from mlcore.evaluation.metrics.groups import silhouette_samples
from mlcore.runs.findings.finding import NOTE, WARNING, Press, Statement, rule
from mlcore.runs.findings.flexibility import OPEN_CURVES, label
from mlcore.runs.findings.ran import Ran
from mlcore.runs.run import Run
from mlcore.spine import random
from mlcore.spine.asking import can
from mlcore.spine.capabilities import HasLabels
from mlcore.spine.capabilities_of_groups import CountsGroups, HasLattice
from mlcore.spine.params import params_of
from mlcore.spine.registry import lookup
from mlcore.spine.wording import count, fixed, percent

NEARLY_ALL = 0.95
MOST_NOISE = 0.5
MOST_CORE = 0.6  # of the rows, which leaves less than half as noise
NO_STRUCTURE = 0.25  # "no substantial structure has been found" (Kaufman and Rousseeuw, table 4)
MOST_ROWS = 1000  # of silhouettes, whose time grows with their square
LEAST_ROWS = 20  # of which a largest cluster or a share of noise says something
KAUFMAN = "Kaufman and Rousseeuw (1990), Finding Groups in Data"
CHOOSE_NUMBER = Press("Open Number of clusters", tab="count")


def _labels(ran: Ran) -> np.ndarray | None:
    """The group of each row that was fitted, (n,); None for a method that finds no groups.

    The units of a map are none: there are many, and neighbours are meant to be alike.
    """
    if "clustering" not in ran.run.method.card.slots or not can(ran.fit, HasLabels):
        return None
    if can(ran.fit, HasLattice):
        return None
    labels = np.asarray(ran.fit.labels)
    return labels if len(labels) >= LEAST_ROWS else None


@rule(
    "one_cluster", WARNING, "One cluster holds nearly all rows",
    source="Everitt, Landau, Leese and Stahl (2011), Cluster Analysis, 5th edition, 4.2",
)  # fmt: skip
def one_cluster(ran: Ran) -> Statement | None:
    """At least 95 % of the rows that are in any group are in the same, though more were to be."""
    labels = _labels(ran)
    if labels is None or not (labels >= 0).any() or _asked_for_one(ran.run.method):
        return None
    sizes = np.bincount(labels[labels >= 0])
    share = float(sizes.max() / sizes.sum())
    if share < NEARLY_ALL:
        return None
    sentence = (
        f"{percent(share)} of the {count(int(sizes.sum()), 'row')} in groups are in one of "
        f"{count(int((sizes > 0).sum()), 'cluster')}: the others are outliers rather than groups, "
        "or the method joins what lies in a chain."
    )
    return Statement(
        sentence, _parting(ran.run), {"share": share, "clusters": int((sizes > 0).sum())}
    )


def _asked_for_one(method: Any) -> bool:
    return any(getattr(method, name, 2) == 1 for name in ("n_clusters", "n_components"))


def _parting(run: Run) -> Press:
    """What makes smaller groups: Ward's linkage in place of chains, a smaller neighbourhood."""
    method = run.method
    if "linkage" in params_of(type(method)) and method.linkage.card.name != "ward":
        ward = replace(method, linkage=lookup("linkage", "ward")())
        return Press("Use Ward's linkage", run=replace(run, method=ward))
    if "eps" in params_of(type(method)):
        return _scaled(run, "eps", 0.7)
    if can(method, CountsGroups):
        return CHOOSE_NUMBER
    return OPEN_CURVES


def _scaled(run: Run, name: str, factor: float) -> Press:
    """The press that multiplies a setting of the method."""
    param: Any = params_of(type(run.method))[name]  # a number
    value = getattr(run.method, name) * factor
    return _set(run, name, max(round(value), 2) if param.whole else round(value, 4))


def _set(run: Run, name: str, wanted: float) -> Press:
    """The press that gives a setting of the method a value."""
    param = params_of(type(run.method))[name]
    changed = replace(run, method=replace(run.method, **{name: wanted}))
    return Press(f"Set {label(param, name)} to {wanted:g}", run=changed)


@rule(
    "much_noise", WARNING, "Most rows are noise",
    source="Ester, Kriegel, Sander and Xu (1996), KDD 2, 4.2",
)  # fmt: skip
def much_noise(ran: Ran) -> Statement | None:
    """More than half of the rows are in no group: the neighbourhood is too small for them."""
    labels = _labels(ran)
    share = 0.0 if labels is None else float((labels == -1).mean())
    if labels is None or share <= MOST_NOISE:
        return None
    sentence = (
        f"{percent(share)} of the {count(len(labels), 'row')} are in no cluster: the density that "
        "is asked for is reached in few places."
    )
    names = params_of(type(ran.run.method))
    press = (
        _wider(ran)
        if "eps" in names
        else _scaled(ran.run, "min_cluster_size", 0.5)
        if "min_cluster_size" in names and ran.run.method.min_cluster_size > 2
        else OPEN_CURVES
    )
    return Statement(sentence, press, {"noise": share})


def _wider(ran: Ran) -> Press:
    """The press that takes the radius within which most rows are core, by their distances.

    Of many rows a thousand are asked how far they reach; a distance in many columns grows with the
    root of their number, so that a factor on the radius asked for could still reach nobody.
    """
    method: Any = ran.run.method
    X = ran.outcome.whole.prepared.X
    frame = method.metric.frame(X, None)
    rows, rng = frame.placed(X), random.generator(ran.run.seed, "radius of findings")
    some = rows[rng.permutation(len(rows))[:MOST_ROWS]]
    k = min(method.min_samples, len(rows))
    reach = Neighbours(rows, frame.power).nearest(some, k).distances[:, -1]
    wide = float(f"{np.quantile(reach, MOST_CORE):.3g}")
    return _set(ran.run, "eps", wide) if wide > method.eps else OPEN_CURVES


@rule("no_structure", NOTE, "Clusters that are hardly apart", source=KAUFMAN + ", table 4")
def no_structure(ran: Ran) -> Statement | None:
    """The mean silhouette is surely not above 0.25.

    Its interval is that of a mean of widths of rows; of many rows a thousand are drawn by the seed.
    """
    labels = _labels(ran)
    if labels is None:
        return None
    X = ran.outcome.whole.prepared.X
    if len(labels) != len(X):
        return None  # the groups are of other rows than those that were prepared
    if len(X) > MOST_ROWS:
        rng = random.generator(ran.run.seed, "silhouettes of findings")
        some = np.sort(rng.choice(len(X), MOST_ROWS, replace=False))
        X, labels = X[some], labels[some]
    widths = silhouette_samples(X, labels)
    widths = widths[np.isfinite(widths)]
    if len(widths) < LEAST_ROWS:
        return None
    mean, half = float(widths.mean()), 1.96 * float(widths.std(ddof=1)) / np.sqrt(len(widths))
    if mean + half >= NO_STRUCTURE:
        return None
    sentence = (
        f"The mean silhouette is {fixed(mean)} (95 % interval {fixed(mean - half)} to "
        f"{fixed(mean + half)}, {count(len(widths), 'row')}): up to {NO_STRUCTURE} no substantial "
        "structure has been found. Another number of clusters may part the rows better, or they "
        "have no compact groups."
    )
    press = CHOOSE_NUMBER if can(ran.run.method, CountsGroups) else OPEN_CURVES
    return Statement(sentence, press, {"silhouette": mean, "low": mean - half, "high": mean + half})
