"""What a fit says of every cell of a plane."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from figures.numbers.clouds import Cloud
from figures.numbers.planes import Plane, near_data
from mlcore.spine.asking import can
from mlcore.spine.capabilities import GivesProbabilities, GivesResponsibilities
from mlcore.spine.capabilities_of_costs import Rejects

FAINTEST = 0.35  # strength of a cell where the classes are equally likely, so that it still shows
FAR = 0.15  # strength that is left of a cell far from all rows


class Regions(NamedTuple):
    """Class and strength of each cell of a plane."""

    klass: np.ndarray  # (b, a) codes; -1 where a fit leaves rows undecided
    strength: np.ndarray  # (b, a) 0 to 1: how sure, and how near the data


def filled(fit: Any, Z: np.ndarray, plane: Plane, cloud: Cloud) -> Regions:
    """The classes that a fit predicts in a plane, fainter where it is unsure or far from rows.

    Z holds the prepared rows of the cells, shape (b * a, q).
    """
    klass = np.asarray(fit.predict(Z), dtype=np.int64)
    if can(fit, Rejects):
        klass = np.where(fit.rejects(Z), -1, klass)
    klass = klass.reshape(plane.shape)
    near = near_data(plane, cloud.x, cloud.y)
    strength = sureness(fit, Z).reshape(plane.shape) * (FAR + (1 - FAR) * near)
    return Regions(klass, strength)


def cells_of(plane: Plane, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The cell in which each place lies, up and across; places and cells are of one plane."""
    across = _nearest(plane.x.cells, x)
    up = np.zeros(len(x), np.int64) if plane.y is None else _nearest(plane.y.cells, y)
    return up, across


def _nearest(cells: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Of cells at equal distances the nearest to each place, shape (n,)."""
    if len(cells) == 1:
        return np.zeros(len(at), np.int64)
    steps = (at - cells[0]) / (cells[1] - cells[0])
    return np.clip(np.rint(steps), 0, len(cells) - 1).astype(np.int64)


def sureness(fit: Any, Z: np.ndarray) -> np.ndarray:
    """How sure a fit is of each row, shape (m,): 1 where it gives no probabilities.

    The largest probability, stretched from 1/K ... 1 to FAINTEST ... 1.
    """
    if can(fit, GivesResponsibilities):
        return stretched(fit.responsibilities(Z))
    if isinstance(fit, GivesProbabilities):
        return stretched(fit.probabilities(Z))
    return np.ones(len(Z))


def stretched(P: np.ndarray) -> np.ndarray:
    """The largest of each row of shares P, shape (m, K), as a strength, shape (m,)."""
    if P.shape[1] < 2:
        return np.ones(len(P))
    even = 1.0 / P.shape[1]
    sure = (P.max(axis=1) - even) / (1.0 - even)
    return FAINTEST + (1.0 - FAINTEST) * np.clip(sure, 0.0, 1.0)


def mass_inside(logs: np.ndarray) -> np.ndarray:
    """Of equal cells with log-densities (b, a), the share in those at least as dense, (b, a).

    Where it is 0.9 runs the border of the smallest region that holds nine tenths: Hyndman (1996),
    The American Statistician 50.
    """
    levels, which = np.unique(-logs, return_inverse=True)
    with np.errstate(under="ignore"):
        mass = np.bincount(which.ravel()) * np.exp(levels[0] - levels)
    return (np.cumsum(mass) / mass.sum())[which.reshape(logs.shape)]
