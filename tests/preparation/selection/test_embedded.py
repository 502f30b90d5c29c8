"""Variables that a fitted method uses: the reference, both kinds of target, blocks, odd rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn import linear_model, tree
from sklearn.datasets import load_diabetes, load_iris, load_wine
from sklearn.feature_selection import SelectFromModel

from mlcore.classification.logistic import LogisticRegression
from mlcore.data.dataset import TableData
from mlcore.optimisation.penalties import L1
from mlcore.preparation.chain import prepare
from mlcore.preparation.selection.embedded import EmbeddedSelector
from mlcore.regression.elastic_net import ElasticNet
from mlcore.regression.lars import Lars
from mlcore.regression.ridge import Ridge
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column
from mlcore.spine.registry import lookup


def table(load: Any) -> tuple[np.ndarray, np.ndarray]:
    X, y = load(return_X_y=True)
    y = np.asarray(y)
    scaled = (y - y.mean()) / y.std() if y.dtype.kind == "f" else y
    return (X - X.mean(axis=0)) / X.std(axis=0), scaled


TREE: Any = lookup("classification", "decision_tree")
LOGISTIC = LogisticRegression(penalty=L1(alpha=8.0))
THEIR_LOGISTIC = linear_model.LogisticRegression(l1_ratio=1, C=1 / 8, solver="saga", tol=1e-8,
                                                 max_iter=100_000)  # fmt: skip
PARITY = [
    (load_diabetes, ElasticNet(alpha=0.1), linear_model.Lasso(0.1)),
    (load_diabetes, ElasticNet(alpha=0.1, l1_ratio=0.5), linear_model.ElasticNet(0.1)),
    (load_diabetes, Lars(n_nonzero=3), linear_model.LassoLars(alpha=0.0, max_iter=3)),
    (load_diabetes, Ridge(alpha=5.0), linear_model.Ridge(5.0)),
    (load_iris, LOGISTIC, THEIR_LOGISTIC),
    (load_wine, TREE(max_depth=3), tree.DecisionTreeClassifier(max_depth=3, random_state=0)),
]


@pytest.mark.parametrize(("load", "ours", "theirs"), PARITY, ids=[repr(o) for _, o, _ in PARITY])
@pytest.mark.parametrize(("threshold", "said"), [(0.0, 1e-5), (1.0, "mean"), (0.5, "0.5*mean")])
def test_the_variables_kept_are_those_of_the_reference(load, ours, theirs, threshold, said):
    X, y = table(load)
    fit = EmbeddedSelector(learner=ours, threshold=threshold).fit(X, y)
    peer: Any = SelectFromModel
    wanted = peer(theirs, threshold=said, norm_order=2).fit(X, y)
    np.testing.assert_array_equal(fit.chosen, wanted.get_support())
    np.testing.assert_array_equal(fit.transform(X), wanted.transform(X))


def test_a_number_of_variables_keeps_the_most_important():
    X, y = table(load_diabetes)
    fit = EmbeddedSelector(n_features=3).fit(X, y)
    assert set(np.flatnonzero(fit.chosen)) == set(np.argsort(-fit.relevance)[:3])
    assert EmbeddedSelector(n_features=99).fit(X, y).chosen.sum() == (fit.relevance > 0).sum()


def test_least_angles_keep_as_many_as_are_let_in():
    X, y = table(load_diabetes)
    fit = EmbeddedSelector(learner=Lars(n_nonzero=4)).fit(X, y)
    assert [c.name for c in fit.out_columns] == ["x3", "x4", "x7", "x9"]  # bmi, bp, s3, s5


def test_a_method_for_quantities_is_fitted_to_each_class():
    """Which columns tell three classes apart by the lasso is what three lassos use."""
    X, y = table(load_wine)
    lasso = ElasticNet(alpha=0.1)
    fit = EmbeddedSelector(learner=lasso).fit(X, y)
    each = [(y == k).astype(float) for k in range(3)]
    used = [lasso.fit(X, (t - t.mean()) / t.std()).coefficients for t in each]
    np.testing.assert_allclose(fit.relevance, np.linalg.norm(used, axis=0), rtol=1e-12)
    two = y < 2  # the other class of two says the same
    assert EmbeddedSelector().fit(X[two], y[two]).relevance.argmax() == 12


@pytest.mark.parametrize("learner", [LOGISTIC, TREE(), ElasticNet(alpha=0.05)])
def test_a_block_stays_whole(learner):
    rng = np.random.default_rng(0)
    level = rng.integers(0, 3, 120)
    X = np.column_stack([rng.normal(size=(120, 2)), level[:, None] == np.arange(3)]).astype(float)
    columns = (Column("a"), Column("b"), *(Column(f"c={k}", source="c") for k in range(3)))
    fit = EmbeddedSelector(learner=learner, n_features=1).fit(X, level, columns=columns)
    assert [c.variable for c in fit.out_columns] == ["c"] * 3
    assert len(fit.relevance) == 3


def test_what_is_kept_does_not_depend_on_rows_left_out():
    data: Any = TableData(source="penguins").dataset({})
    steps = tuple(lookup("preparation", name)() for name in ("impute", "one_hot", "standardise"))
    train, moved = np.arange(0, data.n, 2), data.X.copy()
    moved[1::2, :2] += 1e6
    first, second = (
        prepare((*steps, EmbeddedSelector()), rows[train], data.y[train], data.columns)
        for rows in (data.X, moved)
    )
    assert first.summary() == second.summary()
    np.testing.assert_array_equal(first.X, second.X)


def test_what_cannot_be_chosen_is_a_sentence():
    X, y = table(load_diabetes)
    with pytest.raises(DataError, match=r"uses no variable.*Lower the threshold, or its penalty"):
        EmbeddedSelector(learner=ElasticNet(alpha=10.0)).fit(X, y)
    with pytest.raises(DataError, match="Choose a regression method"):
        EmbeddedSelector(learner="logistic").fit(X, y)
    with pytest.raises(DataError, match="neither coefficients nor importances"):
        EmbeddedSelector(learner="knn_regression").fit(X, y)
