"""The shares between which nu lies, for one nu after the other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from mlcore.spine.errors import MlcoreError


class NuPath(NamedTuple):
    """What each nu came to; the worst of several machines."""

    nus: np.ndarray  # (g,) rising
    beyond: np.ndarray  # (g,) share of the rows beyond the margin, or outside; NaN: no solution
    supported: np.ndarray  # (g,) share of the support vectors
    fewest: float  # the least nu that had a solution


def nu_path(
    method: Any, X: np.ndarray, y: np.ndarray | None, w: np.ndarray | None, nus: np.ndarray
) -> NuPath:
    """A machine of chosen share is fitted anew for each of `nus`, (g,), all else as it is.

    X has shape (n, p), y and the weights w shape (n,). Where a nu has no solution there is no
    share. Schölkopf and others (2000), Neural Computation 12, proposition 5.
    """
    shares = np.full((len(nus), 2), np.nan)
    for k, nu in enumerate(nus):
        try:
            fit = replace(method, nu=float(nu)).fit(X, y, **({} if w is None else {"weights": w}))
        except MlcoreError:  # classes that overlap leave no margin for a small nu
            continue
        shares[k] = fit.beyond.max(), fit.supported.min()
    solved = np.isfinite(shares[:, 0])
    fewest = float(nus[solved].min()) if solved.any() else np.nan
    return NuPath(nus, shares[:, 0], shares[:, 1], fewest)
