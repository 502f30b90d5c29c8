"""The parts of a count: all rows, resamples of them, references. Each is a call of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.evaluation.group_counts import of_rows, reference_rows
from mlcore.evaluation.group_likelihood import information_elliptical
from mlcore.evaluation.group_stability import bic_spherical, prediction_strength, stability_index
from mlcore.evaluation.metrics.groups import nearest, rss
from mlcore.preparation.chain import Prepared
from mlcore.preparation.once import prepared_once
from mlcore.runs.counting.cluster_count import ClusterCount
from mlcore.runs.fitting import weights_of
from mlcore.spine import random
from mlcore.spine.asking import can
from mlcore.spine.capabilities import HasCenters, Predicts
from mlcore.spine.capabilities_of_groups import (
    GivesDevianceInformation,
    HasInformation,
    HasMerges,
)
from mlcore.spine.errors import DataError, MlcoreError
from mlcore.spine.fit import freeze

ROWS, RESAMPLE, SPLIT, REFERENCE = "all rows", "resample", "split", "reference"  # the stages
SHARE = 0.8  # of the rows in a resample: two of them share four rows in five of it
OF_SPLIT = ("prediction_strength", "differ", "by_chance")
SHAPED = ("bic_elliptical", "aic_elliptical")  # criteria that need groups with a covariance
NONE = -2  # the label of every row where a number of clusters could not be had; -1 is noise
OF_ROWS = (
    "silhouette", "calinski_harabasz", "davies_bouldin", "within", "bic", "bic_spherical",
    "bic_elliptical", "aic_elliptical", "aic", "dic", "clusters",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class CountPart:
    """One draw of rows, grouped with every number of clusters."""

    stage: str
    k: int  # which of the draws of its stage
    values: np.ndarray  # (criteria, K): OF_ROWS on all rows, OF_SPLIT of one; (1, K) of a reference
    at: np.ndarray  # (m,) which rows were drawn, positions; of resamples alone
    labels: np.ndarray  # (K, m), NONE where there are none; of all rows and resamples
    failures: tuple[str, ...] = ()  # (K,) why a number could not be had, or ""
    done: int = 0
    total: int = 0

    unit = "parts"

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def where(self) -> str:
        """Which draw it is."""
        return self.stage if self.stage == ROWS else f"{self.stage} {self.k + 1}"


def numbers_of(run: ClusterCount) -> tuple[int, ...]:
    """The numbers of clusters that are tried."""
    return tuple(range(1, run.highest + 1))


def planned(run: ClusterCount) -> list[tuple[str, int]]:
    """The stage and the position of every part: all rows, then draws of both kinds."""
    resamples = [(RESAMPLE, k) for k in range(run.resamples)]
    splits = [(SPLIT, k) for k in range(run.splits)]
    return [(ROWS, 0), *resamples, *splits, *((REFERENCE, k) for k in range(run.references))]


def counted_part(run: ClusterCount, dataset: Dataset, stage: str, k: int) -> CountPart:
    """One part, independent of the others."""
    every = np.arange(dataset.n)
    prepared = prepared_once(run.preparation, dataset, every, run.seed)
    weights = weights_of(run.method, dataset, every)
    weights = None if weights is None else prepared.follow(weights)
    if stage == ROWS:
        return _of_all(run, prepared, weights)
    rng = random.generator(run.seed, f"{stage} {k}")
    draw = {RESAMPLE: _resampled, SPLIT: _split, REFERENCE: _reference}[stage]
    return draw(run, prepared, weights, k, rng)


def _of_all(run: ClusterCount, prepared: Prepared, weights: np.ndarray | None) -> CountPart:
    X, ks = prepared.X, numbers_of(run)
    groupings = _Groupings(run, prepared, ks).of(X, weights, run.seed, is_judged=True)
    values = np.full((len(OF_ROWS), len(ks)), np.nan)
    for c, (labels, own) in enumerate(zip(groupings.labels, groupings.information, strict=True)):
        if labels[0] != NONE:
            clusters = len(np.unique(labels[labels >= 0]))
            measured = of_rows(X, labels, run.seed) | own
            measured |= {"within": rss(X, labels), "clusters": float(clusters)}
            values[:, c] = [measured.get(name, np.nan) for name in OF_ROWS]
    shaped, tried = [OF_ROWS.index(name) for name in SHAPED], groupings.labels[:, 0] != NONE
    if np.isnan(values[np.ix_(shaped, tried)]).any():
        values[shaped] = np.nan  # some numbers make groups too small: it compares none
    return CountPart(ROWS, 0, values, np.empty(0, int), groupings.labels, groupings.failures)


def _resampled(
    run: ClusterCount, prepared: Prepared, weights: Any, k: int, rng: np.random.Generator
) -> CountPart:
    """Drawn without replacement, so that no row stands beside its copy."""
    n = len(prepared.X)
    at = np.sort(rng.choice(n, int(SHARE * n), replace=False))
    seed = int(rng.integers(2**31))
    own = None if weights is None else weights[at]
    groupings = _Groupings(run, prepared, numbers_of(run)).of(prepared.X[at], own, seed)
    return CountPart(RESAMPLE, k, np.empty((0, 0)), at, groupings.labels, groupings.failures)


def _split(
    run: ClusterCount, prepared: Prepared, weights: Any, k: int, rng: np.random.Generator
) -> CountPart:
    """Each half predicts the groups of the other; the mean of both ways."""
    X, ks = prepared.X, numbers_of(run)
    mixed = rng.permutation(len(X))
    one, other = (np.sort(half) for half in np.array_split(mixed, 2))
    groupings, halves = _Groupings(run, prepared, ks), []
    for half, new in ((one, other), (other, one)):
        own = None if weights is None else weights[half]
        halves.append(groupings.of(X[half], own, int(rng.integers(2**31)), X[new]))
    chance = int(rng.integers(2**31))
    ways = [_predicting(halves[at], halves[1 - at], ks, chance) for at in (0, 1)]
    nothing = np.empty((0, 0), np.int16)
    failures = tuple(a or b for a, b in zip(halves[0].failures, halves[1].failures, strict=True))
    return CountPart(
        SPLIT, k, np.mean(ways, axis=0), np.empty(0, int), nothing, failures
    )  # fmt: skip


def _predicting(own: _Grouped, other: _Grouped, ks: Sequence[int], seed: int) -> np.ndarray:
    """How well the groups of the other half predict those of its own, (criteria, K)."""
    each = np.full((len(OF_SPLIT), len(own.labels)), np.nan)
    for c, (mine, theirs) in enumerate(zip(own.labels, other.predicted, strict=True)):
        if NONE not in (mine[0], theirs[0]):
            index = stability_index(mine, theirs, ks[c], seed)
            each[:, c] = prediction_strength(mine, theirs), *index
    return each


def _predicted(fit: Any, new: np.ndarray, X: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The groups that new rows fall into: by the fit, or those with the nearest mean.

    A tree that is cut knows no new rows, and its fit speaks of one cut only.
    """
    if can(fit, Predicts) and not can(fit, HasMerges):
        return fit.predict(new)
    groups = np.unique(labels[labels >= 0])
    if not len(groups):
        return np.full(len(new), -1)
    means = np.array([X[labels == group].mean(axis=0) for group in groups])
    return groups[nearest(new, means)[0]]


def _reference(
    run: ClusterCount, prepared: Prepared, weights: Any, k: int, rng: np.random.Generator
) -> CountPart:
    """Rows without groups weigh alike: there is no row whose weight they could have."""
    X, ks = reference_rows(prepared.X, rng), numbers_of(run)
    groupings = _Groupings(run, prepared, ks).of(X, None, int(rng.integers(2**31)))
    within = [rss(X, labels) if labels[0] != NONE else np.nan for labels in groupings.labels]
    nothing = np.empty((0, 0), np.int16)
    return CountPart(
        REFERENCE, k, np.array([within]), np.empty(0, int), nothing, groupings.failures
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Grouped:
    """The groups of some rows with every number of clusters."""

    labels: np.ndarray  # (K, m)
    information: tuple[dict[str, float], ...]  # (K,) AIC and BIC where there is a likelihood
    predicted: np.ndarray  # (K, r) groups of the new rows, like `labels`
    failures: tuple[str, ...]


def _information(
    fit: Any, X: np.ndarray, labels: np.ndarray, weights: np.ndarray | None
) -> dict[str, float]:
    """Criteria by the likelihood of the method, or by one of its groups where it has none."""
    if can(fit, HasInformation):
        return {"bic": fit.bic, "aic": fit.aic} | _deviance(fit, X, weights)
    elliptical = information_elliptical(X, labels)
    each = {"bic_elliptical": elliptical.bic, "aic_elliptical": elliptical.aic}
    return each | ({"bic_spherical": bic_spherical(X, labels)} if can(fit, HasCenters) else {})


def _deviance(fit: Any, X: np.ndarray, weights: np.ndarray | None) -> dict[str, float]:
    """DIC where the fit has one, every draw has a fit, and it can be used."""
    if not can(fit, GivesDevianceInformation):
        return {}
    try:
        of = fit.deviance_information(X, weights)
    except DataError:  # of a criterion, not of the groups
        return {}
    return {"dic": of.dic} if of.is_usable else {}


class _Groupings:
    """The method with one number of clusters after the other; a tree is grown once and cut."""

    def __init__(self, run: ClusterCount, prepared: Prepared, ks: Sequence[int]) -> None:
        self._method, self._columns, self._ks = run.method, prepared.columns, ks

    def of(
        self, X: np.ndarray, weights: np.ndarray | None, seed: int, new: Any = (), *,
        is_judged: bool = False,
    ) -> _Grouped:  # fmt: skip
        """The groups of the rows, and of new rows where some are given.

        Where they are judged, with how likely they are.
        """
        labels = np.full((len(self._ks), len(X)), NONE, dtype=np.int16)
        information: list[dict[str, float]] = [{} for _ in self._ks]
        predicted = np.full((len(self._ks), len(new)), NONE, dtype=np.int16)
        failures, tree = [""] * len(self._ks), None
        for c, k in enumerate(self._ks):
            try:
                fit = tree or self._fit(k, X, weights, seed)
                tree = fit if can(fit, HasMerges) else None
                labels[c] = fit.cut(k) if tree is not None else fit.labels
                if is_judged:
                    information[c] = _information(fit, X, labels[c], weights)
                if len(new):
                    predicted[c] = _predicted(fit, new, X, labels[c])
            except MlcoreError as error:
                failures[c] = str(error)
        return _Grouped(labels, tuple(information), predicted, tuple(failures))

    def _fit(self, k: int, X: np.ndarray, weights: np.ndarray | None, seed: int) -> Any:
        options = {} if weights is None else {"weights": weights}
        return self._method.with_groups(k).fit(X, seed=seed, columns=self._columns, **options)
