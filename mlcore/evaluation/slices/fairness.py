"""The measures of fairness between groups of rows, and why they cannot all hold together."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.evaluation.slices.ends import Ends, difference_ends, mean_ends, wilson_ends
from mlcore.evaluation.slices.search import LEVEL
from mlcore.spine.errors import DataError
from mlcore.spine.records import function

FOUR_FIFTHS = 0.8  # of the highest selection rate: Uniform Guidelines on Employee Selection (1978)


class Rate(NamedTuple):
    """One measure in every group; NaN where a group has no row that it counts."""

    name: str
    title: str
    criterion: str  # what is called fair when it is equal in all groups
    value: np.ndarray  # (G,)
    low: np.ndarray  # (G,) of its interval
    high: np.ndarray  # (G,)
    n: np.ndarray  # (G,) rows that it is a share or a mean of
    difference: np.ndarray  # (G,) from the largest group
    difference_low: np.ndarray  # (G,)
    difference_high: np.ndarray  # (G,)
    ratio: np.ndarray  # (G,) to the largest group; NaN where that has no sense

    @property
    def gap(self) -> float:
        """The largest less the smallest value; NaN for fewer than two groups that have one."""
        known = self.value[np.isfinite(self.value)]
        return float(np.ptp(known)) if len(known) > 1 else float("nan")


@function(
    "fairness_rates",
    title="Fairness by group",
    synonyms=("demographic parity", "statistical parity", "equal opportunity", "equalised odds",
              "equalized odds", "predictive parity", "calibration by group", "disparate impact"),
)  # fmt: skip
def fairness_rates(
    is_positive: Any,
    is_selected: Any,
    codes: Any,
    probability: Any = None,
    *,
    level: float = LEVEL,
) -> tuple[Rate, ...]:
    r"""The rates of which the measures of fairness ask that they are equal in all groups.

    With the truth Y, the decision D and the group A: base rate P(Y = 1 | A), selection rate
    P(D = 1 | A) (demographic parity), true positive rate P(D = 1 | Y = 1, A) (equal opportunity;
    Hardt, Price and Srebro 2016), false positive rate P(D = 1 | Y = 0, A) (with the last one,
    equalised odds), precision P(Y = 1 | D = 1, A) (predictive parity; Chouldechova 2017), and where
    there is a probability S its mean error E[Y - S | A] (calibration in the large). `is_positive`
    and `is_selected`, shape (n,), are 0 or 1, a decision also the share of the models that
    decided so; `codes`, shape (n,), are 0 to G - 1; `probability` has shape (n,). Intervals of
    shares are Wilson's, of differences Newcombe's of them. Raises DataError for other shapes.
    """
    y, d = (np.asarray(a, dtype=np.float64) for a in (is_positive, is_selected))
    codes = np.asarray(codes, dtype=np.int64)
    if not y.ndim == 1 or not y.shape == d.shape == codes.shape or not len(y):
        raise DataError(
            "Fairness needs truth, decision and group of each row, of at least one row; got "
            f"shapes {y.shape}, {d.shape} and {codes.shape}."
        )
    size = int(codes.max()) + 1

    def total(values: np.ndarray) -> np.ndarray:
        return np.bincount(codes, values, size)

    n = total(np.ones(len(y)))
    reference = int(n.argmax())

    def share(name: str, title: str, criterion: str, hits: Any, of: Any) -> Rate:
        hits, of = total(hits), total(of)
        value = np.divide(hits, of, out=np.full(size, np.nan), where=of > 0)
        return _rate(name, title, criterion, value, wilson_ends(hits, of, level), of, reference)

    one, no = np.ones(len(y)), 1 - y
    rates = (
        share("base_rate", "Base rate", "", y, one),
        share("selection_rate", "Selection rate", "demographic parity", d, one),
        share("true_positive_rate", "True positive rate", "equal opportunity", y * d, y),
        share("false_positive_rate", "False positive rate", "equalised odds", no * d, no),
        share("precision", "Precision", "predictive parity", y * d, d),
    )
    if probability is None:
        return rates
    error = mean_rate(
        "calibration_error", "Truth less probability", "calibration", y - np.asarray(probability),
        codes, level=level,
    )  # fmt: skip
    return (*rates, error)


def mean_rate(
    name: str,
    title: str,
    criterion: str,
    values: np.ndarray,
    codes: np.ndarray,
    *,
    is_root: bool = False,
    level: float = LEVEL,
) -> Rate:
    """The mean of numbers, shape (n,), in every group, its root with `is_root`: a Rate.

    The interval is Student's; of a root the root of its ends. A mean with a sign has no ratio.
    """
    n = np.bincount(codes).astype(np.float64)
    counts = np.where(n > 0, n, np.nan)
    mean = np.bincount(codes, values) / counts
    squares = np.bincount(codes, (values - mean[codes]) ** 2)
    variance = np.divide(squares, n - 1, out=np.full(len(n), np.nan), where=n > 1)
    ends = mean_ends(mean, variance, n, level)
    if is_root:
        mean, ends = np.sqrt(mean), Ends(np.sqrt(np.maximum(ends.low, 0)), np.sqrt(ends.high))
    rate = _rate(name, title, criterion, mean, ends, n, int(n.argmax()))
    return rate if is_root else rate._replace(ratio=np.full(len(n), np.nan))


def _rate(
    name: str, title: str, criterion: str, value: np.ndarray, ends: Ends, n: np.ndarray, at: int
) -> Rate:
    """With what it differs by from the group at a position, which does not differ from itself."""
    own = Ends(*(np.broadcast_to(end[at], end.shape) for end in ends))
    base = np.broadcast_to(value[at], value.shape)
    low, high = difference_ends(value, ends, base, own)
    low[at] = high[at] = 0.0 if np.isfinite(value[at]) else np.nan
    ratio = np.divide(value, base, out=np.full(len(value), np.nan), where=base > 0)
    return Rate(name, title, criterion, value, *ends, n, value - base, low, high, ratio)


@function("four_fifths", title="Four-fifths rule", synonyms=("disparate impact ratio",))
def four_fifths(selection_rates: Any) -> float:
    """The lowest selection rate over the highest; below 0.8 the four-fifths rule is broken.

    Shape (G,); NaN where nobody is selected. A rule of thumb of the Uniform Guidelines on Employee
    Selection Procedures (1978), no test: small groups break it by chance.
    """
    rates = np.asarray(selection_rates, dtype=np.float64)
    rates = rates[np.isfinite(rates)]
    return float(rates.min() / rates.max()) if len(rates) and rates.max() > 0 else float("nan")


@function("implied_false_positive_rate", title="False positive rate that parity implies")
def implied_false_positive_rate(base_rate: Any, precision: float, recall: float) -> np.ndarray:
    r"""The false positive rate that each base rate needs for the same precision and recall.

    $\mathrm{FPR} = \frac{p}{1-p} \cdot \frac{1-\mathrm{PPV}}{\mathrm{PPV}} \cdot \mathrm{TPR}$
    (Chouldechova 2017), shape (G,): where base rates p differ, groups cannot share precision, true
    and false positive rate, but for a perfect or an empty decision. Kleinberg, Mullainathan and
    Raghavan (2016) show the same of calibrated scores. Above 1 there is no such decision. NaN for a
    precision of 0 or none, and a base rate of 1.
    """
    p = np.asarray(base_rate, dtype=np.float64)
    odds = np.divide(p, 1 - p, out=np.full(p.shape, np.nan), where=p < 1)
    return odds * ((1 - precision) / precision if precision > 0 else np.nan) * recall
