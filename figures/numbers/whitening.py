"""Rows before whitening, along their axes, and white."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from figures.numbers.clouds import Cloud, cloud_of
from figures.numbers.stages import input_of
from mlcore.data.dataset import Dataset
from mlcore.data.describing.moments import covariance, pooled_covariance
from mlcore.maths.linear import signed
from mlcore.preparation.capabilities import Whitens
from mlcore.preparation.chain import Prepared
from mlcore.spine.asking import can
from mlcore.spine.errors import DataError

ANGLES = np.linspace(0, 2 * np.pi, 61)


class Stage(NamedTuple):
    """Two coordinates of the rows, and how they vary together."""

    title: str
    cloud: Cloud
    axes: tuple[str, str]
    covariance: np.ndarray  # (2, 2)
    ellipses: np.ndarray  # (2, 61, 2) at one and two standard deviations about the mean


class Stages(NamedTuple):
    """The three stages, and what the step kept."""

    stages: tuple[Stage, ...]
    is_within: bool  # whether rows vary about the mean of their class
    farthest: float  # largest difference of the covariance of all columns after from the identity
    p: int
    kept: int


def white_step(prepared: Prepared) -> int | None:
    """The position of the first step that whitens."""
    steps = (k for k, fit in enumerate(prepared.fits) if can(fit, Whitens))
    return next(steps, None)


def whitening_stages(dataset: Dataset, prepared: Prepared) -> Stages:
    """The two columns that go together most, the two longest axes, and two white coordinates."""
    k = white_step(prepared)
    if k is None:
        raise DataError("This picture needs a whitening step; add one to the preparation.")
    fit = prepared.fits[k]
    dataset = input_of(dataset, prepared, k + 1)  # rows that a step before left out are not white
    X, Z = dataset.X, fit.transform(dataset.X)
    if min(X.shape[1], Z.shape[1]) < 2:
        raise DataError("This picture needs two columns before whitening and two after it.")
    is_within = fit.made_by.scatter == "within"
    C, W = (_covariance(A, dataset, is_within) for A in (X, Z))
    at = _closest_pair(C)
    axes = signed(np.linalg.eigh(C)[1][:, ::-1].T[:2])
    turned = (X - X.mean(axis=0)) @ axes.T
    after = at if len(fit.out_columns) == len(fit.columns) else (0, 1)
    names = [c.name for c in fit.columns]
    new = [c.name for c in fit.out_columns]
    stages = (
        _stage("As it comes", dataset, X[:, at], (names[at[0]], names[at[1]]), C[np.ix_(at, at)]),
        _stage("Turned to its axes", dataset, turned, ("axis 1", "axis 2"), axes @ C @ axes.T),
        _stage(
            "White", dataset, Z[:, after], (new[after[0]], new[after[1]]), W[np.ix_(after, after)]
        ),
    )
    farthest = float(np.abs(W - np.eye(len(W))).max())
    return Stages(stages, is_within, farthest, len(fit.spectrum), len(fit.variances))


def _covariance(X: np.ndarray, dataset: Dataset, is_within: bool) -> np.ndarray:
    return pooled_covariance(X, dataset.y) if is_within else covariance(X)


def _closest_pair(C: np.ndarray) -> tuple[int, int]:
    """The two columns whose correlation is largest in size; the first two if none varies."""
    size = np.sqrt(np.maximum(np.diag(C), 0.0))
    scale = np.outer(size, size)
    r = np.divide(C, scale, out=np.zeros_like(C), where=scale > 0)
    at = int(np.abs(np.triu(r, 1)).argmax())
    first, second = divmod(at, len(C))
    return (first, second) if first != second else (0, 1)


def _stage(
    title: str, dataset: Dataset, P: np.ndarray, axes: tuple[str, str], C: np.ndarray
) -> Stage:
    cloud: Any = cloud_of(dataset, P[:, 0], P[:, 1])
    return Stage(title, cloud, axes, C, ellipses(P.mean(axis=0), C))


def ellipses(center: np.ndarray, C: np.ndarray) -> np.ndarray:
    """Points at one and two standard deviations of a covariance, (2, 2): shape (2, 61, 2)."""
    values, vectors = np.linalg.eigh(C)
    circle = np.column_stack([np.cos(ANGLES), np.sin(ANGLES)])
    around = circle * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
    return center + np.stack([around, 2 * around])
