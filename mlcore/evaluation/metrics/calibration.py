"""Whether probabilities mean what they say: rows told 0.3 should be of the class 3 times in 10."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.evaluation.metrics.classes import pair, ratio, weights_of
from mlcore.spine.errors import DataError
from mlcore.spine.records import function

BINNINGS = ("uniform", "quantile")


class CalibrationCurve(NamedTuple):
    """What was said against what was so, by bin; bins without rows are left out."""

    predicted: np.ndarray  # (b,) mean probability
    observed: np.ndarray  # (b,) share of rows that are of the class
    rows: np.ndarray  # (b,) sum of the weights

    @property
    def shares(self) -> np.ndarray:
        """Share of all rows in each bin, (b,)."""
        return self.rows / self.rows.sum()


class BrierParts(NamedTuple):
    """Brier score = reliability - resolution + uncertainty + within."""

    reliability: float  # small is good: how far probabilities are from what is so
    resolution: float  # large is good: how far the bins are from the share of the class
    uncertainty: float  # of the target: o (1 - o)
    within: float  # what probabilities vary within their bins

    @property
    def brier(self) -> float:
        """Their sum."""
        return self.reliability - self.resolution + self.uncertainty + self.within


@function(
    "calibration_curve",
    synonyms=("reliability diagram", "reliability curve", "CalibrationDisplay"),
)
def calibration_curve(
    y: Any, p: Any, *, n_bins: int = 10, bins: str = "uniform", weights: Any = None
) -> CalibrationCurve:
    """Mean probability and share of the class in bins of equal width or of equally many rows.

    `y`, shape (n,), is true or 1 for the class, `p`, shape (n,), its probability. Raises DataError
    for probabilities outside [0, 1].
    """
    y, p, w = _checked(y, p, weights)
    if bins == "quantile":
        inner = np.quantile(p, np.linspace(0, 1, n_bins + 1))[1:-1]
    else:
        inner = np.linspace(0, 1, n_bins + 1)[1:-1]
    bin_of = np.searchsorted(inner, p)
    rows = np.bincount(bin_of, weights=w, minlength=n_bins)
    has = rows > 0
    sums = (np.bincount(bin_of, weights=w * v, minlength=n_bins)[has] for v in (p, y))
    predicted, observed = (values / rows[has] for values in sums)
    return CalibrationCurve(predicted, observed, rows[has])


@function("expected_calibration_error", synonyms=("ECE",))
def expected_calibration_error(
    y: Any, p: Any, *, n_bins: int = 10, bins: str = "uniform", weights: Any = None
) -> float:
    """Mean over the rows of |probability - share of the class| in their bin, in [0, 1].

    Of several classes, `y` says whether the predicted one is right and `p` how probable it was
    (Guo, Pleiss, Sun and Weinberger 2017). It depends on the bins, and chance alone makes it
    positive.
    """
    c = calibration_curve(y, p, n_bins=n_bins, bins=bins, weights=weights)
    return float(c.shares @ np.abs(c.predicted - c.observed))


@function("brier_parts", title="Parts of the Brier score", synonyms=("Murphy decomposition",))
def brier_parts(
    y: Any, p: Any, *, n_bins: int = 10, bins: str = "uniform", weights: Any = None
) -> BrierParts:
    """Reliability, resolution and uncertainty over bins, and what is left within them.

    Arguments as for `calibration_curve`; the last is 0 where each bin has one probability.

    Murphy (1973), Journal of Applied Meteorology 12; Stephenson, Coelho and Jolliffe (2008).
    """
    y, p, w = _checked(y, p, weights)
    c = calibration_curve(y, p, n_bins=n_bins, bins=bins, weights=w)
    share = float(ratio((w * y).sum(), w.sum()))
    reliability = float(c.shares @ (c.predicted - c.observed) ** 2)
    resolution = float(c.shares @ (c.observed - share) ** 2)
    uncertainty = share * (1 - share)
    brier = float((w * (p - y) ** 2).sum() / w.sum())
    return BrierParts(
        reliability, resolution, uncertainty, brier - (reliability - resolution + uncertainty)
    )


def _checked(y: Any, p: Any, weights: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    y, p = pair(y, np.asarray(p, dtype=np.float64))
    if not ((p >= 0) & (p <= 1)).all():
        raise DataError(
            f"Probabilities lie between 0 and 1; these go from {p.min():.3g} to {p.max():.3g}."
        )
    return y.astype(np.float64), p, weights_of(len(p), weights)
