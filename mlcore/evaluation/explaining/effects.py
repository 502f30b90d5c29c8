"""How predictions change with one variable, or with two: dependence and accumulated effects.

`predict` takes rows, shape (m, p), and gives outputs, shape (m, K): probabilities or quantities.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from mlcore.spine.errors import DataError
from mlcore.spine.records import function

Predict = Callable[[np.ndarray], np.ndarray]


@function("individual_expectation", title="Individual conditional expectation", synonyms=("ICE",))
def individual_curves(predict: Predict, X: np.ndarray, column: int, grid: np.ndarray) -> np.ndarray:
    """The prediction of each row when one column is set to each value of `grid`, (m, G, K).

    Goldstein, Kapelner, Bleich and Pitkin (2015), Journal of Computational and Graphical
    Statistics 24. Curves that cross show that the variable acts together with others, which their
    mean hides.
    """
    m, n_values = len(X), len(grid)
    rows = np.repeat(X, n_values, axis=0)
    rows[:, column] = np.tile(grid, m)
    return predict(rows).reshape(m, n_values, -1)


@function("partial_dependence", synonyms=("PDP", "partial dependence plot"))
def partial_dependence(
    predict: Predict, X: np.ndarray, column: int, grid: np.ndarray
) -> np.ndarray:
    """The mean prediction when one column is set to each value of `grid`, shape (G, K).

    Friedman (2001), Annals of Statistics 29. Where the variable hangs together with others this
    asks for rows that do not exist; accumulated effects do not.
    """
    return individual_curves(predict, X, column, grid).mean(axis=0)


def pair_dependence(
    predict: Predict, X: np.ndarray, columns: tuple[int, int], grids: tuple[np.ndarray, np.ndarray]
) -> np.ndarray:
    """The mean prediction when two columns are set to each pair of values, shape (G, H, K)."""
    first, second = (axis.ravel() for axis in np.meshgrid(*grids, indexing="ij"))
    rows = np.repeat(X, len(first), axis=0)
    rows[:, columns[0]] = np.tile(first, len(X))
    rows[:, columns[1]] = np.tile(second, len(X))
    means = predict(rows).reshape(len(X), len(first), -1).mean(axis=0)
    return means.reshape(len(grids[0]), len(grids[1]), -1)


class LocalEffects(NamedTuple):
    """Differences of predictions within intervals; those of several models may be added up."""

    sums: np.ndarray  # (E - 1, K) of the rows in each interval
    counts: np.ndarray  # (E - 1,) rows


def local_effects(predict: Predict, X: np.ndarray, column: int, edges: np.ndarray) -> LocalEffects:
    """What crossing its interval changes for each row: prediction at the upper less lower edge.

    `edges` rise, shape (E,); a row with a missing value is in no interval. Raises DataError for
    fewer than two edges.
    """
    if len(edges) < 2:
        raise DataError("Accumulated effects need a variable with two different values.")
    known = X[~np.isnan(X[:, column])]
    at = np.clip(np.searchsorted(edges, known[:, column], side="left") - 1, 0, len(edges) - 2)
    low, high = known.copy(), known.copy()
    low[:, column], high[:, column] = edges[at], edges[at + 1]
    change = predict(high) - predict(low)
    sums = np.zeros((len(edges) - 1, change.shape[1]))
    np.add.at(sums, at, change)
    return LocalEffects(sums, np.bincount(at, minlength=len(edges) - 1))


@function("accumulated_effects", title="Accumulated local effects", synonyms=("ALE", "ALE plot"))
def accumulated(effects: LocalEffects) -> np.ndarray:
    """The sum of the mean differences up to each edge, with mean 0 over the rows, shape (E, K).

    Apley and Zhu (2020), Journal of the Royal Statistical Society B 82. Each row is moved within
    its own interval alone, so no row is asked for that lies far from the data. An interval without
    rows adds nothing.
    """
    means = effects.sums / np.maximum(effects.counts, 1)[:, None]
    heights = np.vstack([np.zeros(means.shape[1]), np.cumsum(means, axis=0)])
    middles = (heights[1:] + heights[:-1]) / 2
    return heights - effects.counts @ middles / max(int(effects.counts.sum()), 1)


def grid_of(values: np.ndarray, points: int) -> np.ndarray:
    """At most `points` values of a variable, (n,): those there are, or evenly over their range.

    Shape (at most points,), rising.
    """
    distinct = np.unique(values[~np.isnan(values)])
    if len(distinct) <= points:
        return distinct
    return np.linspace(distinct[0], distinct[-1], points)


def near_a_row(grid: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Which values of a rising grid, (G,), have a row within half a step, (G,) bool.

    The step is the mean distance of the grid's values; `values`, (n,), are those of the rows.
    Elsewhere a model says what it makes of values that it never saw.
    """
    known = np.sort(values[~np.isnan(values)])
    if len(grid) < 2:
        return np.isin(grid, known)
    half = (grid[-1] - grid[0]) / (len(grid) - 1) / 2 * (1 + 1e-9)
    return np.searchsorted(known, grid + half, "right") > np.searchsorted(known, grid - half)


def edges_of(values: np.ndarray, intervals: int) -> np.ndarray:
    """Ends of intervals with about equally many rows, rising, shape (at most intervals + 1,)."""
    known = values[~np.isnan(values)]
    # The values that occur: an edge between two of them would split no rows.
    return np.unique(np.quantile(known, np.linspace(0, 1, intervals + 1), method="inverted_cdf"))
