"""Linear discriminants against scikit-learn, and facts that need no reference."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine, make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from mlcore.classification.lda import LDA

SETS = {
    "iris": load_iris(return_X_y=True),
    "wine": load_wine(return_X_y=True),
    "two classes": make_classification(300, 8, n_informative=5, random_state=0),
}


@pytest.mark.parametrize("name", SETS)
def test_posteriors_equal_those_of_the_reference(name):
    X, y = SETS[name]
    ours, theirs = LDA().fit(X, y), LinearDiscriminantAnalysis(solver="svd").fit(X, y)
    # Wine mixes units that differ by 10^4, which costs both sides four digits.
    assert np.abs(ours.probabilities(X) - theirs.predict_proba(X)).max() < 1e-10
    assert (ours.predict(X) == theirs.predict(X)).all()


@pytest.mark.parametrize("name", SETS)
def test_axes_span_those_of_the_reference(name):
    X, y = SETS[name]
    ours = LDA().fit(X, y).transform(X)
    theirs = LinearDiscriminantAnalysis(solver="svd").fit(X, y).transform(X)
    correlation = np.corrcoef(ours.T, theirs.T)[: ours.shape[1], ours.shape[1] :]
    assert np.abs(np.diag(correlation)) == pytest.approx(1.0, abs=1e-8)


def test_iris_has_the_published_eigenvalues():
    fit = LDA().fit(*SETS["iris"])
    assert fit.variances == pytest.approx([32.191929, 0.285391], abs=1e-5)
    assert fit.shares == pytest.approx([0.991213, 0.008787], abs=1e-6)
    assert (fit.predict(SETS["iris"][0]) == SETS["iris"][1]).sum() == 147


def test_an_affine_map_changes_nothing():
    X, y = SETS["iris"]
    A = np.random.default_rng(0).normal(size=(4, 4))
    one, other = LDA().fit(X, y), LDA().fit(X @ A + 3, y)
    # Conditioning of A: about three digits are lost.
    assert np.abs(one.probabilities(X) - other.probabilities(X @ A + 3)).max() < 1e-9


def test_a_collinear_column_changes_nothing():
    X, y = SETS["iris"]
    doubled = np.column_stack([X, X[:, 0] + X[:, 1]])
    one, other = LDA().fit(X, y), LDA().fit(doubled, y)
    assert other.rank == one.rank == 4
    assert np.abs(one.probabilities(X) - other.probabilities(doubled)).max() < 1e-8


def test_the_two_routes_agree_where_rows_are_few():
    X, y = make_classification(40, 40, n_informative=10, random_state=1)
    square, wide = LDA().fit(X, y), LDA().fit(np.column_stack([X, np.zeros(40)]), y)
    more = np.column_stack([X, np.zeros(40)])
    assert np.abs(square.decision(X) - wide.decision(more)).max() < 1e-6


def test_weights_count_rows():
    X, y = SETS["iris"]
    weights = np.ones(150)
    weights[::3] = 2
    repeated = np.repeat(np.arange(150), weights.astype(int))
    one, other = LDA().fit(X, y, weights=weights), LDA().fit(X[repeated], y[repeated])
    assert one.probabilities(X) == pytest.approx(other.probabilities(X), abs=1e-10)


def test_full_shrinkage_is_the_nearest_mean():
    X, y = SETS["iris"]
    fit = LDA(shrinkage=1.0, prior="equal").fit(X, y)
    nearest = ((X[:, None] - fit.means) ** 2).sum(axis=2).argmin(axis=1)
    assert (fit.predict(X) == nearest).all()
