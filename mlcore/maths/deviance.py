"""What the deviance information criterion is made of, whatever the model and its draws."""

from __future__ import annotations

from typing import NamedTuple


class Deviance(NamedTuple):
    """Deviances D = -2 log L of all training rows together, over draws and at their mean.

    Spiegelhalter and others (2002), JRSS B 64(4).
    """

    mean: float  # of D over the draws
    at_mean: float  # D at the mean of what was drawn

    @property
    def p_d(self) -> float:
        """The effective number of parameters."""
        return self.mean - self.at_mean

    @property
    def dic(self) -> float:
        """The criterion, mean + p_D: the lower, the better."""
        return 2 * self.mean - self.at_mean

    @property
    def is_usable(self) -> bool:
        """Whether p_D is positive: it is not where the mean of the draws is no model of them."""
        return self.p_d > 0
