"""Missing values: what imputation does to mean, standard deviation and correlation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.labs.lab import Lab, row_count
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, real
from mlcore.spine.random import generator

WAYS = (
    "all values",
    "rows without a missing value",
    "mean filled in",
    "line filled in",
    "most likely",
)
STEEP = 4.0  # how sharply a missing value depends on a value, per standard deviation


class Imputations(NamedTuple):
    """Two columns; the second has missing values. One line of moments for each way to go on."""

    x: np.ndarray  # (n,)
    y: np.ndarray  # (n,) as it truly is
    is_missing: np.ndarray  # (n,) bool
    means: np.ndarray  # (5,) of the second column, in the order of WAYS
    spreads: np.ndarray  # (5,)
    correlations: np.ndarray  # (5,)
    mechanism: str


@enter(
    Card(
        "missing_values",
        "Missing values and imputation",
        ("lab",),
        paper="Anderson (1957), JASA 52; Rubin (1976), Biometrika 63",
        sources=("mi2:em_missing_values", "cs1:missing_detect"),
        random=True,
        cost=lambda n, p, it: (1e-3 + 3e-7 * it.n_rows, 100.0 * it.n_rows),
        formula=r"\hat\mu_y = \bar y_o + b\,(\bar x - \bar x_o),\qquad"
        r"\hat\sigma_y^2 = s_{y \cdot x}^2 + b^2 s_x^2",
        kind="lab",
        pages=("data",),
        synonyms=("MCAR", "MAR", "MNAR", "missing data", "imputation"),
        line="why a value is missing decides what is lost",
    )
)
@dataclass(frozen=True, kw_only=True)
class MissingValuesLab(Lab):
    r"""Why a value is missing decides what can be learned without it.

    Two columns, jointly normal with mean 0, standard deviation 1 and a chosen correlation; the
    second has missing values. They come at random, or where the first column is large, or where the
    missing value itself is. The last way finds the most likely normal distribution, what
    expectation and maximisation converge to; with missing values in one column it has a closed
    form.
    """

    tasks = (
        "Let values be missing at random, and compare the standard deviation after filling in the "
        "mean.",
        "Let them depend on the first column: look which ways still find a mean of zero.",
        "Let them depend on the missing value itself, and look for a way that finds the truth.",
    )
    seen = (
        "Filling in the mean shrinks standard deviation and correlation, filling in the line "
        "shrinks the former and inflates the latter. Leaving rows out is harmless only where "
        "values are missing at random. The most likely distribution repairs what depends on the "
        "other column. "
        "Nothing repairs missing values that depend on the value that is not there."
    )

    mechanism: str = choice(
        "where x is large",
        "at random",
        "where x is large",
        "where the value is large",
        label="Missingness mechanism",
        doc="What decides whether a value is missing.",
    )
    share: float = real(
        0.4,
        low=0.05,
        high=0.9,
        soft=(0.05, 0.9),
        label="Missing fraction",
        doc="Share of missing values.",
    )
    correlation: float = real(
        0.7, low=-0.95, high=0.95, soft=(-0.95, 0.95), symbol=r"\rho", doc="Of the two columns."
    )
    n_rows: int = row_count(500, (50, 2000), high=5000)

    def compute(self, seed: int = 0) -> Imputations:
        """The moments of the second column, each way."""
        rng = generator(seed, "rows")
        x, noise = rng.normal(size=(2, self.n_rows))
        y = self.correlation * x + np.sqrt(1 - self.correlation**2) * noise
        missing = self._missing(x, y, generator(seed, "holes"))
        means, spreads, correlations = np.array([_plain(x, y), *_ways(x, y, missing)]).T
        return Imputations(x, y, missing, means, spreads, correlations, self.mechanism)

    def _missing(self, x: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Exactly the share of rows, those with the largest scores."""
        driver = {"at random": 0 * x, "where x is large": x}.get(self.mechanism, y)
        scores = STEEP * driver + rng.logistic(size=len(x))
        count = min(max(round(self.share * len(x)), 1), len(x) - 5)
        return scores >= np.sort(scores)[-count]


def _plain(x: np.ndarray, y: np.ndarray) -> tuple[float, float, float]:
    return float(y.mean()), float(y.std()), float(np.corrcoef(x, y)[0, 1])


def _ways(x: np.ndarray, y: np.ndarray, missing: np.ndarray) -> list[tuple[float, float, float]]:
    """Rows without a missing value, the mean, the line, the most likely distribution."""
    known = ~missing
    slope = np.cov(x[known], y[known], ddof=0)[0, 1] / x[known].var()
    line = y[known].mean() + slope * (x - x[known].mean())
    left = (y - line)[known].var()
    spread = np.sqrt(left + slope**2 * x.var())
    return [
        _plain(x[known], y[known]),
        _plain(x, np.where(missing, y[known].mean(), y)),
        _plain(x, np.where(missing, line, y)),
        (float(line.mean()), float(spread), float(slope * x.std() / spread)),
    ]
