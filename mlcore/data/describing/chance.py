"""How large the largest of many correlations with noise is by chance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import betainc, betainccinv

from mlcore.spine.errors import ParamError
from mlcore.spine.records import function

POINTS = 4001  # of the integral of the mean
REST = 1e-15  # probability of the upper tail that the integral leaves out


class Chance(NamedTuple):
    """The distribution of the largest absolute correlation."""

    mean: float
    low: float  # ends of the middle share of the asked level
    high: float


@function("chance_correlation", sources=("prac:spurious_structure",))
def chance_correlation(n: int, d: int, level: float = 0.95) -> Chance:
    r"""The largest of d absolute correlations of noise with a target, over n rows.

    A squared correlation of Gaussian noise has the distribution $\mathrm{Beta}(\frac12, \frac{n -
    2}2)$ with distribution function F, and the largest of d has $F^d$: exact, nothing is drawn.
    Raises ParamError for fewer than 3 rows or 1 column, or a level outside 0 to 1.
    """
    if n < 3 or d < 1:
        raise ParamError(f"Chance needs at least 3 rows and 1 column; got {n} and {d}.")
    if not 0 < level < 1:
        raise ParamError(f"A level is a share between 0 and 1; got {level}.")
    b = (n - 2) / 2
    ends = np.array([(1 - level) / 2, (1 + level) / 2, 1 - REST])
    # The complement keeps its digits where the root of a share is almost 1.
    low, high, top = np.sqrt(betainccinv(0.5, b, -np.expm1(np.log(ends) / d)))
    r = np.linspace(0.0, top, POINTS)
    mean = np.trapezoid(1.0 - betainc(0.5, b, r**2) ** d, r)
    return Chance(float(mean), float(low), float(high))
