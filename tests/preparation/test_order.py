"""What is said about the order of preparation steps."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.preparation.chain import prepare
from mlcore.preparation.order import STAGES, order_remarks, unit_remark
from mlcore.runs.run import Run
from mlcore.spine.registry import entries, lookup

USUAL = (
    "impute", "one_hot", "outlier_clipper", "standardise", "whitening", "univariate_filter",
    "balancer",
)  # fmt: skip


def steps(*names: str):
    return tuple(lookup("preparation", name)() for name in names)


def test_nothing_is_said_of_the_usual_order_and_of_the_proposal():
    assert order_remarks(steps(*USUAL)) == ()
    assert order_remarks(Run().preparation) == ()


def test_every_stage_is_that_of_a_step():
    assert set(STAGES) == {cls.card.stage for cls in entries("preparation").values()} - {""}


@pytest.mark.parametrize(
    ("first", "second", "says"),
    [
        ("balancer", "standardise", "centers and scales are then those of resampled rows"),
        ("univariate_filter", "impute", "judged by the rows that happen to have a value"),
        ("standardise", "outlier_clipper", "have stretched the scale by then"),
        ("whitening", "one_hot", "mix codes of names with quantities"),
    ],
)
def test_a_questionable_order_is_said(first, second, says):
    (sentence,) = order_remarks(steps(first, second))
    assert says in sentence
    assert sentence.startswith(f"{lookup('preparation', second).title()} stands behind")
    assert order_remarks(steps(second, first)) == ()


@pytest.mark.parametrize(
    ("method", "by"),
    [("knn", "distances"), ("kmeans", "distances"), ("svc", "its margin"), ("pca", "directions")],
)
def test_a_method_that_needs_scaling_says_so_where_one_column_rules(method, by):
    run = Run(data="penguins", method=method, preparation=("impute", "one_hot"))
    dataset = run.data.dataset()
    bare, usual = (
        prepare(chain, dataset.X, dataset.y, dataset.columns)
        for chain in (run.preparation, Run().preparation)
    )
    said = unit_remark(run.method, bare)
    assert f", by {by}" in said
    assert "body_mass_g makes up 99.96 % of the squared distances" in said
    assert unit_remark(run.method, usual) == ""


def test_units_mean_nothing_to_trees_and_to_mahalanobis_distances():
    dataset = Run(data="penguins").data.dataset()
    bare = prepare(steps("impute", "one_hot"), dataset.X, dataset.y, dataset.columns)
    assert unit_remark(lookup("classification", "decision_tree")(), bare) == ""
    assert unit_remark(lookup("classification", "knn")(metric="mahalanobis"), bare) == ""


def test_units_are_those_of_the_values_that_are_there():
    """A column with gaps was nan % of the distances, and a mixture told to standardise."""
    dataset = Run(data="penguins").data.dataset()
    scaled, bare = (
        prepare(chain, dataset.X, dataset.y, dataset.columns)
        for chain in (steps("one_hot", "standardise"), steps("one_hot"))
    )
    assert np.isnan(bare.X).any()
    by_neighbours = lookup("novelty", "novelty_detector")()
    assert unit_remark(by_neighbours, scaled) == ""
    assert "body_mass_g makes up 99.9" in unit_remark(by_neighbours, bare)
    assert unit_remark(lookup("novelty", "novelty_detector")(scorer="gaussian_mixture"), bare) == ""
