"""What generalised models share: a family of distributions, a link, and how they are judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.optimisation.deviances import TweedieLoss
from mlcore.regression.families import Family
from mlcore.spine.capabilities_of_sums import LOGARITHM, Sum
from mlcore.spine.fit import Fit
from mlcore.spine.method import Given, Method
from mlcore.spine.params import choice, part


@dataclass(frozen=True, eq=False, kw_only=True)
class LinkedFit(Fit):
    """A fitted mean with the family of the target about it."""

    made_by: LinkedMethod
    has_log: bool  # whether the link is the logarithm
    deviance: float  # of the fitted rows, the sum over them
    null_deviance: float  # of the same rows from their mean
    dispersion: float  # 1 where the family says so; NaN where nothing is left to estimate it

    def _linked(self, X: Any) -> np.ndarray:
        """The mean behind the link at each row, shape (m,)."""
        # Lines and curves add up in their own ways.
        raise NotImplementedError(f"{type(self).__name__} declares no linked mean")

    def _sum_of(self, curve: Callable[[np.ndarray, int], np.ndarray]) -> Sum:
        """Curves, (m, 1) of rows and a column, that add up to the linked mean."""
        if not self.has_log:
            return Sum(curve=curve)
        return Sum(curve=curve, scale=LOGARITHM, scores=self._linked)

    def unit_deviance(self, y: Any, mean: Any) -> np.ndarray:
        """What targets cost under the family about predicted means, both (m,): shape (m,)."""
        y, mean = np.asarray(y, dtype=np.float64), np.asarray(mean, dtype=np.float64)
        return self.made_by.family.deviance(y, mean)

    def variance(self, mean: Any) -> np.ndarray:
        """Variance of the target at means, (m,), in squared units of the target, shape (m,)."""
        return self.dispersion * self.made_by.family.variance(np.asarray(mean, dtype=np.float64))


@dataclass(frozen=True, kw_only=True)
class LinkedMethod(Method):
    """A model of the mean of a family behind a link."""

    family: Family = part(
        "gaussian", slot="response_family", doc="Distribution of the target about its mean."
    )
    link: str = choice(
        "auto", "auto", "log", "identity",
        doc="What the columns add up to: the logarithm of the mean or the mean itself; auto takes "
        "the mean for the normal family and the logarithm for all others.",
    )  # fmt: skip

    @property
    def has_log(self) -> bool:
        """Whether the link is the logarithm."""
        return self.family.variance_power != 0 if self.link == "auto" else self.link == "log"

    def loss(self) -> TweedieLoss:
        """Half the deviance by the linked mean."""
        return TweedieLoss(self.family.variance_power, self.has_log)

    def _start(self, given: Given) -> float:
        """The mean of the target behind the link."""
        mean = float(given.w @ given.target / given.w.sum())
        return float(np.log(mean)) if self.has_log else mean

    def _unfit(self, y: np.ndarray | None) -> str | None:
        """A sentence on targets, shape (n,), outside the family or the link, or None."""
        if y is None:
            return None
        who = f"{self.title()} of the family {self.family.title()}"
        if why := self.family.refuses(y):
            return f"{who} {why}. Choose another family, or another target."
        if self.has_log and y.mean() <= 0:
            return (
                f"{who} with the logarithm as link needs targets whose mean is above 0; theirs "
                f"is {y.mean():.4g}. Choose the identity."
            )
        return None

    def _judged(self, given: Given, mean: np.ndarray) -> dict[str, Any]:
        """The fields of a `LinkedFit` that follow from the means of the fitted rows, (n,)."""
        w, y = given.w, given.target
        about_mean = np.full(given.n, w @ y / w.sum())
        return {
            "made_by": self,
            "columns": given.columns,
            "has_log": self.has_log,
            "deviance": float(w @ self.family.deviance(y, mean)),
            "null_deviance": float(w @ self.family.deviance(y, about_mean)),
        }
