"""The perceptron against scikit-learn's: passes over the rows; compared are errors on new rows."""

from __future__ import annotations

from typing import Any

from sklearn.linear_model import Perceptron as PerceptronReference

from benchmarks.pairs import Pair
from benchmarks.rows.trees import errors, table
from mlcore.classification.perceptron import Perceptron

PASSES = 20


def perceptron_pair(n: int, p: int) -> Pair:
    """Passes over rows that no hyperplane parts, in the order in which they lie."""
    X, z, _ = table(2 * n, p)
    y = (X[:, 0] + 0.3 * z > 0).astype(int)
    ours = Perceptron(max_iter=PASSES)
    endless: Any = {"tol": None, "shuffle": False}
    theirs = PerceptronReference(max_iter=PASSES, **endless)
    return Pair(
        "perceptron", "sklearn.linear_model.Perceptron", f"{n} x {p}, {PASSES} passes",
        lambda: ours.fit(X[:n], y[:n]), lambda: theirs.fit(X[:n], y[:n]), errors(X[n:], y[n:]),
    )  # fmt: skip


PAIRS = [perceptron_pair(100_000, 50), perceptron_pair(2000, 10)]
