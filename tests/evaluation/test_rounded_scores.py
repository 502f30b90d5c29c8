"""What differs by rounding alone is scored as no error, so that methods without any are equal."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mlcore.clustering.kmeans import KMeans
from mlcore.evaluation.scoring import Case, Distortion, Reconstruction, RegressionScores, Rows
from mlcore.reduction.pca import PCA
from mlcore.spine.registry import lookup

X = np.random.default_rng(0).normal(size=(40, 6)) * [1e3, 1, 1, 1, 1, 1] + 7


def case(method, rows, y=None):
    return Case(method=method, fit=method.fit(rows, y), train=Rows(rows, y), test=Rows(rows, y))


def test_all_components_bring_every_row_back():
    whole = case(PCA(n_components=6), X)
    back = whole.fit.inverse_transform(whole.fit.transform(X))
    assert ((X - back) ** 2).sum() > 0  # of rounding, which is there
    assert Reconstruction().scored(whole).scores == {"reconstruction_error": 0, "variance_kept": 1}
    few = Reconstruction().scored(case(PCA(n_components=5), X)).scores
    assert few["reconstruction_error"] > 1e-3


def test_a_line_through_the_rows_has_no_error():
    y = X @ np.arange(1.0, 7.0)
    line = case(lookup("regression", "linear_regression")(), X, y)
    assert (line.fit.predict(X) != y).any()
    values = RegressionScores().scored(line).scores
    assert (values["rmse"], values["mae"], values["r2"]) == (0, 0, 1)
    off = replace(line, test=Rows(X, y + 1e-6))
    assert RegressionScores().scored(off).scores["rmse"] == pytest.approx(1e-6, rel=1e-3)


def test_centers_upon_the_rows_have_no_distortion():
    rows = np.repeat([[0.1, 0.3], [0.7, 0.9]], 3, axis=0)
    values = Distortion().scored(case(KMeans(n_clusters=2), rows)).scores
    assert values == {"distortion": 0}
