"""Balancing: how good alarms look where classes are made equal, and how good they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.classification.base_rates import precision_at, prior_shift
from mlcore.labs.lab import Lab
from mlcore.spine.component import Card, enter
from mlcore.spine.params import flag, real

PEOPLE = 100_000.0
RATES = 121  # base rates of the curve, evenly spaced on a log axis
LEAST = 1e-5


class Alarms(NamedTuple):
    """What a rule of known rates does among the rows it is judged on, and among those it meets."""

    shares: np.ndarray  # (2, 2) of negatives and positives: (judged on, real)
    counts: np.ndarray  # (2, 2, 2) of PEOPLE: (judged on, real), (negative, positive), (no, alarm)
    precision: np.ndarray  # (2,) alarms that are true: (judged on, real)
    corrected: float  # the first, with the shares of the classes shifted to the real ones
    accuracy: np.ndarray  # (2,) of the rule and of "never", at the real rate
    rates: np.ndarray  # (RATES,)
    precisions: np.ndarray  # (RATES,) at each base rate; NaN where nothing raises an alarm


@enter(
    Card(
        "balancing",
        "Class imbalance and base rates",
        ("lab",),
        sources=("cs1:balance_classes", "cs1:prior_shift_demo"),
        cost=lambda n, p, it: (1e-3, 1e4),
        formula=r"P(\text{positive} \mid \text{alarm}) = "
        r"\frac{\pi\, TPR}{\pi\, TPR + (1 - \pi)\, FPR}",
        kind="lab",
        pages=("preprocessing", "classification"),
        synonyms=("base rate fallacy", "rare events", "precision and recall", "class imbalance"),
        line="excellent on balanced rows, alarms elsewhere",
    )
)
@dataclass(frozen=True, kw_only=True)
class Balancing(Lab):
    """A rule that looks excellent on balanced rows may raise mostly false alarms.

    Where positives are rare, "never" is nearly always right, so training rows are often balanced
    to make a method learn at all. Its sensitivity and its rate of false alarms stay what they are,
    but the share of alarms that are true follows the classes that it meets.
    """

    tasks = (
        "Turn balancing on and off, and compare the share of true alarms on the rows judged on.",
        "Raise the base rate until every second alarm is true.",
        "Keep the base rate at one in a thousand: how specific must the rule be for that?",
    )
    seen = (
        "With one positive in a thousand, 'never' is right 99.9 % of the time. A rule that finds "
        "every positive at 1 % false alarms is right 99 times of 100 when it cries on balanced "
        "rows, and 9 times of 100 in reality. Shifting the priors tells the second from the first."
    )

    base_rate: float = real(
        0.001,
        low=LEAST,
        high=1.0 - LEAST,
        soft=(0.0001, 0.5),
        log=True,
        symbol="π",
        doc="Share of positives among the rows that the rule meets.",
    )
    is_balanced: bool = flag(
        True, label="Balance training", doc="Whether the rule is judged on as many of each class."
    )
    sensitivity: float = real(
        1.0, low=0.0, high=1.0, soft=(0.5, 1.0), symbol="TPR", doc="Positives that raise an alarm."
    )
    specificity: float = real(
        0.99, low=0.0, high=1.0, soft=(0.9, 1.0), symbol="TNR", doc="Negatives that raise none."
    )

    def compute(self, seed: int = 0) -> Alarms:
        """Expected counts and precisions, in the rows judged on and in reality."""
        fpr = 1.0 - self.specificity
        positives = np.array([0.5 if self.is_balanced else self.base_rate, self.base_rate])
        shares = np.column_stack([1.0 - positives, positives])
        rates_by_class = np.array(
            [[self.specificity, fpr], [1.0 - self.sensitivity, self.sensitivity]]
        )
        precision = precision_at(positives, self.sensitivity, fpr)
        rates = np.geomspace(LEAST, 1.0, RATES)
        return Alarms(
            shares=shares,
            counts=PEOPLE * shares[:, :, None] * rates_by_class,
            precision=precision,
            corrected=_corrected(float(precision[0]), shares),
            accuracy=np.array([(shares[1] * np.diag(rates_by_class)).sum(), 1.0 - self.base_rate]),
            rates=rates,
            precisions=precision_at(rates, self.sensitivity, fpr),
        )


def _corrected(precision: float, shares: np.ndarray) -> float:
    """The precision on the rows judged on, for the real shares; NaN where there are no alarms."""
    if np.isnan(precision):
        return precision
    return float(prior_shift([1.0 - precision, precision], *shares)[0, 1])
