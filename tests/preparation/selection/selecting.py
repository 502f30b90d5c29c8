"""What the tests of variable selection share: tables, and every search."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import load_diabetes

from mlcore.data.dataset import TableData
from mlcore.preparation.impute import Impute
from mlcore.preparation.one_hot import OneHot
from mlcore.preparation.selection.floating import SFBS, SFFS, AdaptiveFloating
from mlcore.preparation.selection.searches import SBS, SFS, Exhaustive
from mlcore.preparation.selection.selector import SubsetSelector
from mlcore.preparation.standardise import Standardise
from mlcore.runs.run import Run
from mlcore.spine.fit import Column

BACK_AND_FORTH = (SFFS(), SFBS(), AdaptiveFloating(), AdaptiveFloating(direction="backward"))
WAYS = (SFS(), SBS(), SFFS(delta=0), *BACK_AND_FORTH, Exhaustive())


def diabetes() -> tuple[np.ndarray, np.ndarray, tuple[Column, ...]]:
    held: Any = load_diabetes(scaled=False)
    return held.data, held.target, tuple(Column(name) for name in held.feature_names)


def selected(selector: SubsetSelector, X, y, columns=None):
    """The fit, and the names it kept as a set."""
    fit = selector.fit(X, y, columns=columns)
    return fit, {c.variable for c in fit.out_columns}


def noisy(n: int = 80, d: int = 7, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d))
    return X, X[:, 1] - 2 * X[:, 4] + rng.normal(size=n)


def columns_of(p: int) -> tuple[Column, ...]:
    return tuple(Column(f"x{j + 1}") for j in range(p))


def penguins(**more) -> Run:
    steps = (Impute(), OneHot(), Standardise(), SubsetSelector(**more))
    return Run(data=TableData(source="penguins"), preparation=steps, method="lda")
