"""What the theory says of canonical correlations."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_linnerud

from mlcore.data.generators.densities.two_view_pairs import TwoViewPairs
from mlcore.evaluation.pair_scores import MostCorrelated
from mlcore.reduction.cca import CCA
from mlcore.runs.carry import carried_out
from mlcore.runs.presets import presets
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column, plain_columns

IRIS = load_iris().data
LINNERUD = np.hstack([load_linnerud().data, load_linnerud().target])


def rows_of(C):
    """Rows whose covariance is exactly C."""
    d = len(C)
    signs = np.vstack([np.eye(d), -np.eye(d)]) * np.sqrt(d)
    return signs @ np.linalg.cholesky(C).T


WORKED = rows_of(
    np.block([
        [np.array([[2, 0.3], [0.3, 1]]), np.array([[0.5, 0.1], [0.2, 0.4]])],
        [np.array([[0.5, 0.2], [0.1, 0.4]]), np.array([[1, 0.2], [0.2, 1.5]])],
    ])
)  # fmt: skip


def test_the_worked_values():
    fit = CCA().fit(WORKED)
    np.testing.assert_allclose(fit.correlations, [0.403800, 0.266940], atol=5e-7)
    assert fit.mutual_information == pytest.approx(0.125960, abs=5e-7)
    found = CCA().fit(IRIS).correlations  # sepal against petal
    np.testing.assert_allclose(found, [0.940969, 0.123937], atol=5e-7)


@pytest.mark.parametrize(
    ("gammas", "objective"),
    [((0, 0), 0.163054), ((0.5, 0.5), 0.228641), ((0.99, 0), 0.303244), ((1, 1), 0.373178)],
)
def test_the_way_from_correlation_to_covariance(gammas, objective):
    """Squares of the first value; at 1, 1 that of the largest singular value of the covariance."""
    fit = CCA(gamma_first=gammas[0], gamma_second=gammas[1]).fit(WORKED)
    assert fit.values[0] ** 2 == pytest.approx(objective, abs=5e-7)


@pytest.mark.parametrize("gamma", [0.0, 0.4])
def test_a_ridge_is_added_to_the_variances(gamma):
    X = IRIS - IRIS.mean(axis=0)
    C, g = X.T @ X / len(X), 0.2

    def root(block):  # of the inverse, by eigenvalues
        G = (1 - gamma) * block + (gamma + g * np.trace(block) / len(block)) * np.eye(len(block))
        values, vectors = np.linalg.eigh(G)
        return vectors / np.sqrt(values) @ vectors.T

    wanted = np.linalg.svd(root(C[:2, :2]) @ C[:2, 2:] @ root(C[2:, 2:]))[1]
    fit = CCA(ridge=g, gamma_first=gamma, gamma_second=gamma).fit(IRIS)
    np.testing.assert_allclose(fit.values, wanted, rtol=1e-10)


def test_pairs_are_uncorrelated_and_of_variance_one():
    for rows in (IRIS, LINNERUD):
        fit = CCA().fit(rows)
        Z = fit.transform(rows)
        q = len(fit.correlations)
        U, V = Z[:, ::2], Z[:, 1::2]
        np.testing.assert_allclose(U.T @ U / len(rows), np.eye(q), atol=1e-10)
        np.testing.assert_allclose(V.T @ V / len(rows), np.eye(q), atol=1e-10)
        np.testing.assert_allclose(U.T @ V / len(rows), np.diag(fit.correlations), atol=1e-10)


def test_invertible_maps_of_a_block_change_nothing():
    """Units of 1e-8 and 1e8 neither."""
    rng = np.random.default_rng(0)
    turned = LINNERUD.copy()
    turned[:, :3] = turned[:, :3] @ rng.normal(size=(3, 3)) * 1e8 + 5
    turned[:, 3:] *= 1e-8
    found = CCA().fit(turned).correlations
    np.testing.assert_allclose(found, CCA().fit(LINNERUD).correlations, rtol=1e-9)


def test_a_column_that_repeats_another_adds_no_pair():
    rows = np.column_stack([LINNERUD[:, :3], LINNERUD[:, 0], LINNERUD[:, 3:], LINNERUD[:, 4]])
    fit, plain = CCA().fit(rows), CCA().fit(LINNERUD)
    np.testing.assert_allclose(fit.correlations, plain.correlations, rtol=1e-9)


def test_blocks_are_named_by_variables():
    columns = tuple(Column(f"c{j}", source="ab"[j // 2] if j < 4 else "z") for j in range(5))
    rows = np.random.default_rng(0).normal(size=(30, 5))
    fit = CCA(second=("a", "z")).fit(rows, columns=columns)
    np.testing.assert_array_equal(fit.first, [2, 3])
    np.testing.assert_array_equal(fit.second, [0, 1, 4])
    with pytest.raises(DataError, match=r"found no column nothing for the second block"):
        CCA(second=("nothing",)).fit(rows, columns=columns)
    with pytest.raises(DataError, match="all columns are in one"):
        CCA(second=("a", "b", "z")).fit(rows, columns=columns)


def test_as_many_columns_as_rows_force_correlations_of_one_and_this_is_told():
    rows = np.random.default_rng(0).normal(size=(20, 30))
    fit = CCA().fit(rows)
    np.testing.assert_allclose(fit.correlations[:11], 1.0)
    assert "11 pairs have correlation 1 whatever the data" in fit.notes[0]
    assert CCA(gamma_first=0.5, gamma_second=0.5).fit(rows).notes == ()


def test_what_two_views_share_is_found_and_chance_is_not():
    """As many pairs hold on new rows as there are shared variables."""
    views = TwoViewPairs(n_samples=2000, noise=0.3, views=(8.0, 6.0)).origin({}).table
    rows = np.column_stack([views.column(name).values for name in views.names[:14]])
    names = plain_columns(14)
    fit = CCA(second=tuple(c.name for c in names[8:])).fit(rows[:1000], columns=names)
    Z = fit.transform(rows[1000:])
    held = np.array([np.corrcoef(Z[:, 2 * k], Z[:, 2 * k + 1])[0, 1] for k in range(6)])
    assert held[:2].min() > 0.85
    assert np.abs(held[2:]).max() < 0.12


def test_rows_left_out_tell_forced_correlations():
    preset = next(p for p in presets("reduction") if p.entry == "cca" and "Fails" in p.title)
    out = carried_out(preset.run())
    assert out.whole.fit.correlations[0] > 0.9
    assert np.mean([fold.scores["first_correlation"] for fold in out.done]) < 0.5


def test_the_most_correlated_columns_are_those():
    fit = MostCorrelated().fit(IRIS)
    R = np.abs(np.corrcoef(IRIS.T)[:2, 2:])
    np.testing.assert_array_equal(
        fit.pair, np.unravel_index(R.argmax(), R.shape) + np.array([0, 2])
    )
