"""The pictures of contributions to many predictions: their numbers, order, colours and words."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from figures.views.explaining import contribution_dependence as dependence
from figures.views.explaining import contribution_points as points
from mlcore.data.dataset import Dataset
from mlcore.evaluation.explaining.interplay import interplay
from mlcore.runs.explaining.contributions_of_rows import ContributionsOfRows
from mlcore.runs.run import Run
from mlcore.spine.fit import Column

M = 200
RNG = np.random.default_rng(3)
X = np.column_stack([RNG.normal(size=(M, 2)), RNG.integers(0, 2, M)]).astype(float)
COLUMNS = (Column("a"), Column("b"), Column("name", kind="nominal", levels=("no", "yes")))


def explained(contributions: np.ndarray, errors: np.ndarray | None = None) -> SimpleNamespace:
    """An outcome with these contributions, (m, p, K), of rows of no model."""
    outputs = tuple("xyz"[: contributions.shape[2]])
    none = np.zeros_like(contributions)
    answers = ContributionsOfRows(
        COLUMNS, outputs, np.arange(M), np.ones(M, dtype=int), X, contributions,
        none if errors is None else errors, contributions.sum(axis=1), 250, 30,
        errors is None, "score",
    )  # fmt: skip
    return SimpleNamespace(joined=answers, run=Run())


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return Run(data="penguins").data.dataset()


@pytest.fixture(scope="module")
def together() -> np.ndarray:
    """The first variable acts by the sign of the name, the second alone and less."""
    phi = np.zeros((M, 3, 2))
    phi[:, 0, 1] = X[:, 0] * np.where(X[:, 2] > 0, 2.0, -2.0)
    phi[:, 1, 1] = 0.5 * X[:, 1]
    phi[:, :, 0] = -phi[:, :, 1]
    return phi


def test_the_variables_stand_by_their_mean_size_and_every_point_is_a_row(together, dataset):
    entry = points.contribution_points(explained(together), dataset, options=points.PointsOptions())
    axis = entry.figure.layout.yaxis
    assert axis.ticktext == ("a", "b", "name")
    drawn = {(row, round(float(x), 6)) for t in entry.figure.data
             for row, x in zip(t.customdata, t.x, strict=True)}  # fmt: skip
    assert len(drawn) > 2 * M
    at = {round(float(v), 6) for v in together[7, :, 1]}
    assert {x for row, x in drawn if row == dataset.rows[7]} == at
    size = float(np.abs(together[:, 0, 1]).mean())
    assert f"a moves the score of y most, by {size:.3g}" in entry.reading
    assert "exact Shapley values of 200 rows of 250 left out" in entry.reading
    assert entry.table[2].values[0] == pytest.approx(size)


def test_high_values_are_said_to_raise_only_where_they_do(together, dataset):
    """The first goes both ways; with the second made larger it is the one that is spoken of."""
    entry = points.contribution_points(explained(together), dataset, options=points.PointsOptions())
    assert "high values" not in entry.reading
    larger = together * np.array([1.0, 20.0, 1.0])[:, None]
    entry = points.contribution_points(explained(larger), dataset, options=points.PointsOptions())
    assert "b moves the score of y most" in entry.reading
    assert "high values raise it" in entry.reading


def test_mean_sizes_of_several_classes_are_stacked_and_of_one_alone(dataset):
    phi = RNG.normal(size=(M, 3, 3))
    bars = points.PointsOptions(show="bars")
    entry = points.contribution_points(explained(phi), dataset, options=bars)
    assert [t.name for t in entry.figure.data] == ["x", "y", "z"]
    whole = np.sum([t.x for t in entry.figure.data], axis=0)
    assert whole == pytest.approx(np.sort(np.abs(phi).mean(axis=0).sum(axis=1))[::-1])
    one = points.PointsOptions(show="bars", output="z")
    entry = points.contribution_points(explained(phi), dataset, options=one)
    assert [t.name for t in entry.figure.data] == ["z"]


def test_the_error_of_drawn_values_is_said(together, dataset):
    drawn = explained(together, np.full_like(together, 0.25))
    entry = points.contribution_points(drawn, dataset, options=points.PointsOptions())
    assert "over drawn orders: standard errors to 0.25" in entry.reading


def test_points_of_a_swarm_do_not_lie_on_each_other():
    away = points.swarm(np.zeros(5), 1.0)
    assert sorted(away / points.STEP) == pytest.approx([-2, -1, 0, 1, 2])
    many = points.swarm(np.zeros(1000), 1.0)
    assert np.abs(many).max() == pytest.approx(points.HIGHEST)
    assert len(np.unique(many)) == 1000


def test_values_are_coloured_by_rank_and_names_are_grey():
    ranks = points._rank(COLUMNS[0], np.array([5.0, np.nan, 1e9, -1.0]))
    assert ranks == pytest.approx([0.5, np.nan, 1.0, 0.0], nan_ok=True)
    assert np.isnan(points._rank(COLUMNS[2], np.array([0.0, 1.0]))).all()


def test_the_variable_that_decides_how_much_is_found_and_colours(together, dataset):
    options = dependence.DependenceOptions()
    d = dependence.numbers(explained(together), dataset, options)
    assert (d.j, d.other) == (0, 2)
    assert d.told > 0.9
    entry = dependence.contribution_dependence(explained(together), dataset, options=options)
    assert [t.name for t in entry.figure.data[:2]] == ["no", "yes"]
    assert "At about equal values name tells" in entry.reading
    alone = dependence.DependenceOptions(variable="b")
    d = dependence.numbers(explained(together), dataset, alone)
    assert (d.j, d.other) == (1, None)
    chosen = dependence.DependenceOptions(variable="b", by="a")
    assert dependence.numbers(explained(together), dataset, chosen).other == 0


def test_interplay_is_what_others_tell_at_equal_values():
    a, b, c = X.T
    is_name = np.array([False, True])
    others = np.column_stack([b, c])
    # By chance nothing is told: what is left at equal values is noise.
    noise = RNG.normal(size=M)
    assert interplay(noise, a, others, is_name).max() < 0.1
    # A product: a line with another slope at each value.
    told = interplay(a * b, a, others, is_name)
    assert told[0] > 0.8
    assert told[1] < 0.1
    # What follows from the own value alone leaves nothing to tell.
    steps = np.round(a)
    assert interplay(steps**2, steps, others, is_name).tolist() == [0.0, 0.0]


def test_before_an_answer_both_say_so(dataset):
    none = SimpleNamespace(joined=None, run=Run())
    for view, options in (
        (points.contribution_points, points.PointsOptions()),
        (dependence.contribution_dependence, dependence.DependenceOptions()),
    ):
        assert "No fold has answered yet." in view(none, dataset, options=options).reading
