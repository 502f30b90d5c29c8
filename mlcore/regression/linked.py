"""What generalised models share: a family of distributions, a link, and how they are judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import logit

from mlcore.optimisation.deviances import MeanLoss
from mlcore.regression.families import Family
from mlcore.spine.capabilities_of_sums import LOG_ODDS, LOGARITHM, Sum
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column, Fit
from mlcore.spine.method import Given, Method
from mlcore.spine.params import choice, column, part

SCALES = {"log": LOGARITHM, "logit": LOG_ODDS}  # what is linear, by the link


@dataclass(frozen=True, eq=False, kw_only=True)
class LinkedFit(Fit):
    """A fitted mean with the family of the target about it."""

    made_by: LinkedMethod
    has_log: bool  # whether the link is the logarithm
    deviance: float  # of the fitted rows, the sum over them
    null_deviance: float  # of the same rows from the best constant
    dispersion: float  # 1 where the family says so; NaN where nothing is left to estimate it

    def _linked(self, X: Any) -> np.ndarray:
        """The mean behind the link at each row, shape (m,)."""
        # Lines and curves add up in their own ways.
        raise NotImplementedError(f"{type(self).__name__} declares no linked mean")

    def _sum_of(self, curve: Callable[[np.ndarray, int], np.ndarray]) -> Sum:
        """Curves, (m, 1) of rows and a column, that add up to the linked mean; that of an exposure
        is its logarithm."""
        at = self.made_by.exposure_at(self.columns)

        def added(X: np.ndarray, j: int) -> np.ndarray:
            return self.offset(X)[:, None] if j == at else curve(X, j)

        if self.link == "identity":
            return Sum(curve=added)
        return Sum(curve=added, scale=SCALES[self.link], scores=self._linked)

    @property
    def link(self) -> str:
        """What is linear: `log` or `logit` of the mean, or the mean itself, `identity`."""
        return self.made_by.used_link

    def offset(self, X: np.ndarray) -> np.ndarray:
        """What the exposure adds to the linked means of checked rows, (m, p): shape (m,).

        Minus infinity for an exposure that is not above 0: nothing is expected then.
        """
        at = self.made_by.exposure_at(self.columns)
        if at is None:
            return np.zeros(len(X))
        with np.errstate(divide="ignore"):
            return np.log(np.maximum(X[:, at], 0.0))

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
        "auto", "auto", "log", "identity", "logit",
        doc="What the columns add up to: the logarithm of the mean, the mean itself, or the "
        "logarithm of its odds; auto takes the mean for the normal family, the odds for the "
        "binomial one and the logarithm for all others.",
    )  # fmt: skip
    exposure: str | None = column(
        None, or_none="none",
        doc="Column of the table in proportion to which more is expected: years observed, people "
        "at risk. Its logarithm enters with coefficient 1 (an offset), as it came.",
    )  # fmt: skip

    def conflict(self) -> str | None:
        """Refuse a link that the family does not have, and exposure where means do not multiply."""
        if self.link not in ("auto", *self.family.links):
            return (
                f"{self.title()} of the family {self.family.title()} has the link "
                f"{' or '.join(self.family.links)}, not {self.link}. Choose auto."
            )
        if self.exposure is not None and self.used_link != "log":
            return (
                f"{self.title()} with an exposure multiplies the mean by it and needs the "
                f"logarithm as link, not {self.used_link}. Choose the link log, or no exposure."
            )
        return None

    @property
    def used_link(self) -> str:
        """The link, that of the family where it is left to it."""
        return self.family.links[0] if self.link == "auto" else self.link

    @property
    def has_log(self) -> bool:
        """Whether the link is the logarithm."""
        return self.used_link == "log"

    def untouched(self) -> tuple[str, ...]:
        """The exposure: in proportion to it, not to what a preparation makes of it."""
        return () if self.exposure is None else (self.exposure,)

    def loss(self) -> MeanLoss:
        """Half the deviance by the linked mean."""
        return self.family.loss(self.used_link)

    def exposure_at(self, columns: tuple[Column, ...]) -> int | None:
        """The position of the exposure among columns; None without one.

        Raises DataError where no column, or several, came of it.
        """
        if self.exposure is None:
            return None
        own = (j for j, one in enumerate(columns) if one.variable == self.exposure)
        at = [j for j in own if columns[j].kind != "nominal"]
        if len(at) == 1 and len(columns) > 1:
            return at[0]
        if at:
            raise DataError(
                f"{self.title()} needs the exposure {self.exposure} as one column of numbers "
                f"beside others; it got {len(at)} of {len(columns)}. Choose another column."
            )
        raise DataError(
            f"{self.title()} finds no column {self.exposure} for the exposure among those that it "
            "learns from. Choose another column, or none."
        )

    def _exposed(self, given: Given) -> tuple[Given, np.ndarray]:
        """The rows without the exposure, and its logarithm, shape (n,); zeros without one."""
        at = self.exposure_at(given.columns)
        if at is None:
            return given, np.zeros(given.n)
        values = given.X[:, at]
        if not (values > 0).all():
            row = int(np.argmin(values))
            raise DataError(
                f"{self.title()} needs an exposure above 0; {self.exposure} is "
                f"{values[row]:.4g} in row {row + 1}. Leave such rows out, or choose "
                "another column."
            )
        columns = given.columns[:at] + given.columns[at + 1 :]
        return replace(given, X=np.delete(given.X, at, axis=1), columns=columns), np.log(values)

    def _start(self, given: Given, offset: np.ndarray) -> float:
        """What is linked of the best constant, for exposures of these logarithms, shape (n,)."""
        y, w = given.target, given.w
        if self.has_log and offset.any():
            # Where the slope of the deviance by the logarithm of a rate is zero.
            power = self.family.variance_power
            rate = w @ (y * np.exp((1.0 - power) * offset)) / (w @ np.exp((2.0 - power) * offset))
            return float(np.log(rate))
        mean = float(w @ y / w.sum())
        linked = {"log": np.log, "logit": logit}.get(self.used_link, float)
        return float(linked(mean))

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

    def _judged(self, given: Given, mean: np.ndarray, constant: np.ndarray) -> dict[str, Any]:
        """The fields of a `LinkedFit` that follow from the means of the fitted rows, (n,), and
        from what is linked of the best constant, (n,)."""
        w, y = given.w, given.target
        return {
            "made_by": self,
            "columns": given.columns,
            "has_log": self.has_log,
            "deviance": float(w @ self.family.deviance(y, mean)),
            "null_deviance": float(w @ self.family.deviance(y, self.loss().mean(constant))),
        }
