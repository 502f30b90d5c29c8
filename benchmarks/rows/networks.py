"""Multi-layer perceptrons against scikit-learn's: the same epochs, batches and optimiser."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier as TheirClassifier
from sklearn.neural_network import MLPRegressor as TheirRegressor

from benchmarks.pairs import Pair
from benchmarks.rows.trees import table
from mlcore.data.dataset import TableData
from mlcore.data.generators.classes.moons import Moons
from mlcore.neural.mlp_classifier import MLPClassifier
from mlcore.neural.mlp_regressor import MLPRegressor
from mlcore.runs.run import Run


def _pair(ours: Any, theirs: Any, X: np.ndarray, y: np.ndarray, size: str, loss: Any) -> Pair:
    """Both by the same settings; compared are the losses on the fitted rows."""
    model = theirs(random_state=0, **ours.peer_settings())

    def fitted() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # both run all epochs on purpose
            return model.fit(X, y)

    return Pair(
        ours.card.name, f"sklearn.{theirs.__name__}", size,
        lambda: ours.fit(X, y), fitted, lambda a, b: loss(a, "ours") - loss(b, "theirs"),
    )  # fmt: skip


def classes_pair(X: np.ndarray, y: np.ndarray, size: str, **settings: Any) -> Pair:
    """Fitting classes."""

    def loss(fit: Any, whose: str) -> float:
        P = fit.probabilities(X) if whose == "ours" else fit.predict_proba(X)
        return float(-np.log(np.maximum(P[np.arange(len(y)), y], 1e-300)).mean())

    return _pair(MLPClassifier(**settings), TheirClassifier, X, y, size, loss)


def moons_pair() -> Pair:
    """Few rows, few units, many small batches."""
    run = Run(data=TableData(source=Moons(noise=0.2)))
    dataset = run.data.dataset({})
    X = (dataset.X - dataset.X.mean(axis=0)) / dataset.X.std(axis=0)
    y = np.asarray(dataset.y, dtype=np.int64)
    return classes_pair(X, y, "300 x 2, 8 units, 200 epochs")


def digits_pair() -> Pair:
    """Images of digits, one layer of 64 units."""
    digits: Any = load_digits()
    X, y = digits.data, digits.target
    settings: dict[str, Any] = {"hidden_layer_sizes": (64,), "activation": "relu"}
    settings |= {"batch_size": 200, "max_epochs": 50}
    return classes_pair(X / 16.0, y, "1797 x 64, 64 units, 50 epochs", **settings)


def quantity_pair(n: int, p: int) -> Pair:
    """Fitting a quantity with two layers."""
    X, z, _ = table(n, p)
    settings: dict[str, Any] = {"hidden_layer_sizes": (32, 16), "max_epochs": 20}
    ours = MLPRegressor(batch_size=100, scale_target=False, **settings)
    z = (z - z.mean()) / z.std()

    def loss(fit: Any, whose: str) -> float:
        return float(0.5 * ((fit.predict(X) - z) ** 2).mean())

    return _pair(ours, TheirRegressor, X, z, f"{n} x {p}, 32 and 16 units, 20 epochs", loss)


PAIRS = [moons_pair(), digits_pair(), quantity_pair(5000, 20)]
