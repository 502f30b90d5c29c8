"""Basis expansion: the reference, rows by hand, what is learned, what straight methods gain."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.preprocessing import PolynomialFeatures

from mlcore.basis.coordinates import Paraboloid, Polar
from mlcore.basis.elementwise import Elementwise
from mlcore.basis.monomials import Interactions, Polynomial
from mlcore.basis.radial import RadialFeatures
from mlcore.classification.lda import LDA
from mlcore.preparation.basis_expansion import BasisExpansion
from mlcore.runs.carry import carried_out
from mlcore.runs.run import Run
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column
from mlcore.spine.registry import entries

PARITY = [
    Polynomial(),
    Polynomial(degree=4),
    Polynomial(degree=3, homogeneous=True),
    Interactions(),
    Interactions(degree=3),
]
BASES = [cls() for cls in entries("basis").values()]


def rows(n: int = 40, p: int = 4, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, p)) + 1


@pytest.mark.parametrize("basis", PARITY, ids=repr)
def test_products_are_those_of_the_reference(basis):
    X, names, step = rows(), ["a", "b", "c", "d"], BasisExpansion(basis=basis)
    peer = PolynomialFeatures(**step.peer_settings()).fit(X)
    fit = step.fit(X, columns=tuple(map(Column, names)))
    np.testing.assert_allclose(fit.transform(X), peer.transform(X), rtol=1e-12)
    ours = [c.name.replace("*", " ") for c in fit.out_columns]
    assert ours == list(peer.get_feature_names_out(names))


def test_what_the_reference_does_not_know_is_said():
    for basis in (Polar(), Polynomial(interactions=False)):
        assert "not written for scikit-learn" in BasisExpansion(basis=basis).peer_settings()
    beside = BasisExpansion(basis=Polynomial(homogeneous=True), mode="append")
    assert "mode = append is not written" in beside.peer_settings()


@pytest.mark.parametrize("mode", ["replace", "append"])
@pytest.mark.parametrize("basis", BASES, ids=repr)
def test_every_row_stands_for_itself_and_every_column_has_a_name(basis, mode):
    train, new = rows(), rows(seed=1)
    fit = BasisExpansion(basis=basis, mode=mode).fit(train, seed=3)
    Z = fit.transform(new)
    np.testing.assert_array_equal(Z, np.vstack([fit.transform(row[None]) for row in new]))
    assert len({c.name for c in fit.out_columns}) == Z.shape[1]
    if mode == "append":
        np.testing.assert_array_equal(Z[:, :4], new)
        assert len({column.tobytes() for column in Z.T.copy()}) == Z.shape[1]  # none stands twice
    else:
        assert Z.shape[1] == basis.count(4)


def test_powers_alone_leave_products_out():
    fit = BasisExpansion(basis=Polynomial(degree=3, interactions=False)).fit([[2.0, -1.0]])
    np.testing.assert_array_equal(fit.transform([[2.0, -1.0]]), [[2, -1, 4, 1, 8, -1]])
    assert [c.name for c in fit.out_columns] == ["x1", "x2", "x1^2", "x2^2", "x1^3", "x2^3"]


def test_a_function_of_one_variable_belongs_to_it_and_a_product_to_itself():
    columns = (Column("a=u", "binary", (), "a"), Column("a=v", "binary", (), "a"), Column("b"))
    fit = BasisExpansion().fit(rows(p=3), columns=columns)
    found = {c.name: c.variable for c in fit.out_columns}
    assert found["a=u^2"] == found["a=u*a=v"] == "a"
    assert found["b^2"] == "b"
    assert found["a=u*b"] == "a=u*b"


def test_polar_coordinates_by_hand():
    X = [[1.0, 1.0], [1.0, 3.0], [-1.0, 1.0], [3.0, -1.0]]
    fit = BasisExpansion(basis=Polar()).fit(X)
    np.testing.assert_array_equal(fit.points, [[1, 1]])
    wanted = [[0, 0], [2, np.pi / 2], [2, np.pi], [np.sqrt(8), -np.pi / 4]]
    np.testing.assert_allclose(fit.transform(X), wanted, atol=1e-15)
    assert fit.summary().values == (("x1", "origin", 1.0), ("x2", "origin", 1.0))


def test_angles_in_space_lead_back_to_the_row():
    X = rows(p=3)
    r, first, second = BasisExpansion(basis=Polar(origin="zero")).fit(X).transform(X).T
    back = [r * np.cos(first), r * np.sin(first) * np.cos(second),
            r * np.sin(first) * np.sin(second)]  # fmt: skip
    np.testing.assert_allclose(np.column_stack(back), X, atol=1e-12)


def test_the_paraboloid_and_functions_by_hand():
    lift = BasisExpansion(basis=Paraboloid()).fit([[0.0, 0.0], [2.0, 4.0]])
    np.testing.assert_array_equal(lift.transform([[1.0, 5.0]]), [[1, 5, 9]])
    functions = Elementwise(functions=("root", "log", "sin", "cube"))
    Z = BasisExpansion(basis=functions).fit([[-4.0]]).transform([[-4.0]])
    np.testing.assert_allclose(Z, [[2, np.log(5), np.sin(-4), -64]], rtol=1e-15)


def test_centers_are_spread_training_rows_and_bumps_fall_by_their_width():
    X = np.repeat([[0.0], [1.0], [10.0]], 5, axis=0)
    fit = BasisExpansion(basis=RadialFeatures(n_centers=2)).fit(X, seed=1)
    assert {10.0} < set(fit.points[:, 0]) <= {0.0, 1.0, 10.0}
    fit = BasisExpansion(basis=RadialFeatures(n_centers=9, width=2.0)).fit(X)
    np.testing.assert_array_equal(fit.points[:, 0], [0, 1, 10])
    np.testing.assert_allclose(fit.transform([[2.0]])[0, 0], np.exp(-0.5))
    one = BasisExpansion(basis=RadialFeatures(n_centers=1, centers="random")).fit
    with pytest.raises(DataError, match="one center know no width"):
        one(X).transform(X)


def test_nothing_is_learned_from_rows_left_out():
    train, both = rows(), np.vstack([rows(), 1e6 * rows(seed=2)])
    for basis in (Polar(), Paraboloid(), RadialFeatures()):
        step = BasisExpansion(basis=basis)
        fit = step.fit(both[:40])
        np.testing.assert_array_equal(fit.points, step.fit(train).points)
        assert not np.array_equal(fit.points, step.fit(both).points)


def test_names_pass_and_nothing_but_names_is_refused():
    columns = (Column("a"), Column("sex", "binary", ("f", "m")))
    fit = BasisExpansion(basis=Polynomial(degree=2)).fit([[3.0, 1.0]], columns=columns)
    np.testing.assert_array_equal(fit.transform([[3.0, 1.0]]), [[1, 3, 9]])
    assert [c.name for c in fit.out_columns] == ["sex", "a", "a^2"]
    with pytest.raises(DataError, match="every column holds names"):
        BasisExpansion().fit([[1.0]], columns=columns[1:])


def test_too_many_columns_and_too_large_numbers_are_refused_in_a_sentence():
    with pytest.raises(
        DataError, match=r"of 30 columns would make 324,631 columns; it makes 2,000"
    ):
        BasisExpansion(basis=Polynomial(degree=5)).fit(rows(p=30))
    fit = BasisExpansion(basis=Elementwise(functions=("exp",))).fit([[1.0], [2.0]])
    with pytest.raises(DataError, match=r"no number for exp\(x1\) in row 2"):
        fit.transform([[1.0], [1000.0]])
    with pytest.raises(DataError, match="at least two columns"):
        BasisExpansion(basis=Polar()).fit([[1.0], [2.0]])


def test_squares_beside_the_columns_make_linear_discriminants_quadratic():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(200, 2)), 4 * rng.normal(size=(200, 2))])
    y = np.repeat([0, 1], 200)
    Z = BasisExpansion(basis=Elementwise(), mode="append").fit(X).transform(X)
    plain, lifted = (float((LDA().fit(R, y).predict(R) == y).mean()) for R in (X, Z))
    assert plain < 0.65 < 0.75 < lifted


def test_radius_parts_rings_with_a_straight_cut():
    accuracy = [
        carried_out(Run(data="two_rings", method="logistic", preparation=steps)).mean("accuracy")
        for steps in ((), (BasisExpansion(basis=Polar()),), (BasisExpansion(basis=Paraboloid()),))
    ]
    assert accuracy[0] < 0.7 < 0.97 < min(accuracy[1:])
