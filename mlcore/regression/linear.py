"""What the linear regressors share: centring, weighting, and the fit that predicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mlcore.fit import Fit
from mlcore.method import Given


@dataclass(frozen=True, eq=False, kw_only=True)
class LinearFit(Fit):
    """A weighted sum of the columns."""

    coefficients: np.ndarray  # (p,), units of the target for one unit of the column
    intercept: float  # units of the target
    notes: tuple[str, ...] = ()  # sentences about what was decided while fitting

    def predict(self, X: Any) -> np.ndarray:
        """intercept + X coefficients, in units of the target, shape (m,)."""
        return self._rows(X) @ self.coefficients + self.intercept


class Design(NamedTuple):
    """Rows as the solvers want them: centred (or not), each times the root of its weight."""

    X: np.ndarray  # (n, p), or (n, p + 1) with a constant last column
    y: np.ndarray  # (n,)
    x_mean: np.ndarray  # (p,), zeros where nothing was subtracted
    y_mean: float
    root: np.ndarray | None  # (n,), roots of the weights, None where all are 1
    offset: str  # centering, constant_feature or none

    def split(self, w: np.ndarray) -> tuple[np.ndarray, float]:
        """Coefficients of the columns, and the intercept."""
        if self.offset == "constant_feature":
            return w[:-1], float(w[-1])
        return w, float(self.y_mean - self.x_mean @ w)

    def leverages(self, hat: np.ndarray) -> np.ndarray:
        """The share of its own target in each fitted value, the intercept included, shape (n,)."""
        if self.offset != "centering":
            return hat
        return hat + (1.0 / len(hat) if self.root is None else self.root**2 / (self.root**2).sum())

    def residuals(self, w: np.ndarray) -> np.ndarray:
        """Target minus fitted value, in units of the target, shape (n,) or (n, A).

        Rows of weight zero come out as zero.
        """
        left = (self.y if w.ndim == 1 else self.y[:, None]) - self.X @ w
        if self.root is None:
            return left
        root = self.root if w.ndim == 1 else self.root[:, None]
        return np.divide(left, root, out=np.zeros_like(left), where=root > 0)


def design(given: Given, offset: str) -> Design:
    """The rows of `given`, with the intercept handled as `offset` says."""
    X, y, w = given.X, given.y, given.weights
    root = None if w is None else np.sqrt(w)
    x_mean, y_mean = np.zeros(given.p), 0.0
    if offset == "centering":
        x_mean, y_mean = means(X, w), float(y.mean() if w is None else w @ y / w.sum())
        X, y = X - x_mean, y - y_mean
    elif offset == "constant_feature":
        X = np.column_stack([X, np.ones(given.n)])
    if root is not None:
        X, y = X * root[:, None], y * root
    return Design(X, y, x_mean, y_mean, root, offset)


def means(X: np.ndarray, w: np.ndarray | None) -> np.ndarray:
    """Weighted column means, shape (p,); exactly the value of a column that is constant."""
    w = np.ones(len(X)) if w is None else w
    mean = w @ X / w.sum()
    # Rounding would leave a constant column a residue, which a solver could take for a signal.
    constant = constant_columns(X, w)
    mean[constant] = X[w > 0][0, constant]
    return mean


def constant_columns(X: np.ndarray, w: np.ndarray | None = None) -> np.ndarray:
    """Numbers of the columns with one value in all rows that count."""
    rows = X if w is None or w.all() else X[w > 0]
    n = len(rows)
    # Three rows rule nearly every column out, so that few are looked at in full.
    likely = np.flatnonzero((rows[0] == rows[n // 2]) & (rows[0] == rows[-1]))
    return likely[(rows[:, likely] == rows[0, likely]).all(axis=0)]


def constant_note(given: Given) -> tuple[str, ...]:
    """A sentence that names the columns that cannot tell rows apart, if there are any."""
    names = [given.columns[j].name for j in constant_columns(given.X, given.weights)]
    if not names:
        return ()
    shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    one = len(names) == 1
    return (f"Constant {'column' if one else 'columns'} {shown}: coefficient 0.",)
