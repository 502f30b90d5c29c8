"""Points from any density on a box, by rejection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from mlcore.spine import checks, random
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.records import function


class RejectionSample(NamedTuple):
    """The points that were accepted of those that were tried."""

    points: np.ndarray  # (accepted, p)
    attempts: int
    integral: float  # of the density over the box, estimated by the share that was accepted


@function("rejection_sample", sources=("cs2:rejection_sampler", "cs1:rejection_sampling"))
def rejection_sample(
    density: Callable[[np.ndarray], np.ndarray],
    box: Any,
    attempts: int = 1000,
    ceiling: float = 1.0,
    seed: int = 0,
) -> RejectionSample:
    r"""Tries points evenly over a box and accepts x with the probability $f(x) / c$.

    `density` gives f of the rows of X, shape (m, p): (m,), between 0 and `ceiling`, and need not
    integrate to 1; `box`, shape (p, 2), holds the ends of each side. Accepted points follow f, and
    its share times c times the volume estimates the integral of f. Wasteful in many dimensions.
    Raises DataError for densities outside 0 to c, ParamError for no attempt or a ceiling of 0.
    """
    low, high = _sides(box)
    if attempts < 1 or not 0 < ceiling < np.inf:
        raise ParamError(
            "Rejection needs at least one attempt and a finite ceiling above 0; got "
            f"{attempts} and {ceiling}."
        )
    rng = random.generator(checks.seed(seed), "rejection")
    X = rng.uniform(low, high, (attempts, len(low)))
    f = np.asarray(density(X), dtype=np.float64)
    checks.same_length(np.atleast_1d(f), attempts, "Rejection", "densities")
    if not ((f >= 0) & (f <= ceiling)).all():
        raise DataError(
            f"Rejection needs densities from 0 to the ceiling {ceiling:.6g}; got values from "
            f"{f.min():.6g} to {f.max():.6g}. Raise the ceiling."
        )
    accepted = rng.uniform(size=attempts) * ceiling < f
    volume = float(np.prod(high - low))
    return RejectionSample(X[accepted], attempts, float(accepted.mean()) * ceiling * volume)


def _sides(box: Any) -> tuple[np.ndarray, np.ndarray]:
    sides = checks.matrix(box, "A box")
    if sides.shape[1] != 2 or not (sides[:, 0] < sides[:, 1]).all():
        raise DataError("A box needs a lower and a higher end for each dimension, shape (p, 2).")
    return sides[:, 0], sides[:, 1]
