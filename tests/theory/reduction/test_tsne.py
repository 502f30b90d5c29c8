"""What the theory says of t-SNE and SNE, without a reference."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.distances.metrics import Frame
from mlcore.distances.pairwise import pairwise_distances
from mlcore.evaluation.map_neighbours import neighbours_kept
from mlcore.reduction.affinities import conditionals, joint
from mlcore.reduction.fuzzy.sets import fuzzy_graph
from mlcore.reduction.pca import PCA
from mlcore.reduction.tsne import TSNE
from mlcore.reduction.tsne_forces import ANGLE, AllPairs, Auto, BarnesHut, FarCells, OnGrid
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.iterate import last

LINE = np.array([[0.0], [1.0], [3.0], [6.0]])
CLOUDS = np.vstack([np.random.default_rng(k).normal(6 * k, 1, size=(30, 5)) for k in range(3)])


def _flat(Y):
    return np.vstack([np.asarray(Y, dtype=float).T, np.zeros((3 - np.shape(Y)[1], len(Y)))])


def test_shares_of_four_rows_on_a_line():
    given = conditionals(LINE, 2.0, 3)
    expected = (0.103821, 0.186757, 0.383590, 0.091103)
    np.testing.assert_allclose(1 / (2 * given.widths**2), expected, atol=5e-7)
    P = joint(given).toarray()
    shares = (0.164482, 0.051448, 0.010361, 0.141724, 0.022967, 0.109017)
    np.testing.assert_allclose(P[np.triu_indices(4, 1)], shares, atol=5e-7)
    assert P.sum() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("is_sne", "cost", "slopes"),
    [
        (False, 0.0621791, (0.075686, 0.004009, -0.062537, -0.017158)),
        (True, 0.237453 / 4, np.array([0.136261, -0.338171, 0.501443, -0.299533]) / 4),
    ],
)
def test_divergence_and_gradient_of_four_rows(is_sne, cost, slopes):
    forces, Y = AllPairs(conditionals(LINE, 2.0, 3), is_sne), _flat(LINE / 3)
    assert forces.divergence(Y) == pytest.approx(cost, abs=5e-7)
    np.testing.assert_allclose(forces.gradient(Y)[0], slopes, atol=5e-7)


@pytest.mark.parametrize("is_sne", [False, True])
def test_the_gradient_is_the_derivative(is_sne):
    rng = np.random.default_rng(0)
    forces = AllPairs(conditionals(rng.normal(size=(12, 4)), 3.0, 11), is_sne)
    Y, h = rng.normal(size=(3, 12)), 1e-5
    for at in np.ndindex(3, 12):
        step = np.zeros((3, 12))
        step[at] = h
        slope = (forces.divergence(Y + step) - forces.divergence(Y - step)) / (2 * h)
        assert slope == pytest.approx(forces.gradient(Y)[at], abs=1e-6)


def test_every_row_has_the_perplexity():
    given = conditionals(CLOUDS, 7.0, 89)
    p = np.where(given.shares > 0, given.shares, 1.0)
    np.testing.assert_allclose(np.exp(-(p * np.log(p)).sum(axis=1)), 7.0, rtol=1e-7)


@pytest.mark.parametrize("q", [1, 2, 3])
def test_cells_of_no_width_are_exact_and_others_nearly(q):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(700, 5))
    Y = _flat(rng.normal(size=(700, q)) * 20)
    given = conditionals(X, 20.0, 60)
    truth = AllPairs(given, is_sne=False)
    exact = truth.gradient(Y)
    np.testing.assert_allclose(FarCells(given, 0.0).gradient(Y), exact, atol=1e-14)
    assert FarCells(given, 0.0).divergence(Y) == pytest.approx(truth.divergence(Y))
    off = FarCells(given, 0.5).gradient(Y) - exact
    # Along a line fewer errors cancel than in a plane, where they stay below 2 %.
    assert np.linalg.norm(off) < (0.03 if q == 1 else 0.02) * np.linalg.norm(exact)


@pytest.mark.parametrize("q", [1, 2])
@pytest.mark.parametrize(("width", "off_by"), [(1e-4, 1e-12), (0.5, 1e-4), (20.0, 0.03)])
def test_forces_on_a_grid_are_those_of_all_pairs(q, width, off_by):
    """Nearly exact while the map is small; in a large one no further off than by cells."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(700, 5))
    Y = _flat(rng.normal(size=(700, q)) * width + [[3.0, -7.0][:q]])
    given = conditionals(X, 20.0, 60)
    truth, grid = FarCells(given, 0.0), OnGrid(given)
    order, total = truth._summed(Y, pulls=False)
    everywhere, on_grid = grid._summed(Y, pulls=True)
    off = grid.pushes[:, everywhere][:, order] - truth.pushes
    assert np.linalg.norm(off) < off_by * np.linalg.norm(truth.pushes)
    assert on_grid == pytest.approx(total, rel=off_by)
    assert grid.divergence(Y) == pytest.approx(truth.divergence(Y), abs=off_by)
    slopes = truth.gradient(Y)
    assert np.linalg.norm(grid.gradient(Y) - slopes) < off_by * np.linalg.norm(slopes)


@pytest.mark.parametrize("width", [2e3, 1e7, np.inf])
def test_a_map_that_a_grid_would_fill_the_memory_for_is_summed_by_cells(width):
    rng = np.random.default_rng(0)
    given = conditionals(rng.normal(size=(60, 3)), 5.0, 20)
    Y = np.vstack([rng.normal(size=(2, 60)), np.zeros(60)])
    Y[:2, 0] = width
    with np.errstate(invalid="ignore"):  # of a row that is nowhere
        by_cells = FarCells(given, ANGLE).gradient(Y)
        np.testing.assert_array_equal(OnGrid(given).gradient(Y), by_cells)


def test_noise_that_exaggerated_attraction_draws_together_unfolds_again():
    """Rows without any groups shrink far below any gradient; their map is a disc all the same."""
    X = np.random.default_rng(0).normal(size=(300, 10))
    way = [step.state.embedding for step in TSNE(max_iter=500, learning_rate=12.0).steps(X)]
    assert way[250].std() < 1e-12
    assert way[-1].std() > 1.0
    np.testing.assert_array_equal(way[-1], TSNE(max_iter=500, learning_rate=12.0).fit(X).embedding)


def test_many_rows_are_summed_on_a_grid_unless_the_map_has_three_coordinates():
    X = np.random.default_rng(0).normal(size=(1100, 3))
    kinds = [type(Auto().forces(X, Frame(), 5.0, q, is_sne=False)[0]) for q in (1, 2, 3)]
    assert kinds == [OnGrid, OnGrid, FarCells]
    assert isinstance(Auto().forces(X[:900], Frame(), 5.0, 2, is_sne=False)[0], AllPairs)
    with pytest.raises(ParamError, match="at most 2 coordinates; 3 are asked for"):
        TSNE(forces="fft", n_components=3)


def test_few_rows_leave_the_grid_where_they_spread_so_far_that_cells_are_quicker():
    X = np.random.default_rng(0).normal(size=(1100, 3))
    forces, given = Auto().forces(X, Frame(), 5.0, 2, is_sne=False)[0], conditionals(X, 5.0, 15)
    near, far = (_flat(X[:, :2] * width) for width in (1.0, 30.0))
    grid, cells = OnGrid(given), FarCells(given, ANGLE)
    np.testing.assert_array_equal(forces.gradient(near), grid.gradient(near))
    np.testing.assert_array_equal(forces.gradient(far), cells.gradient(far))
    assert (grid.gradient(far) != cells.gradient(far)).any()


def test_rows_at_one_place_share_a_cell():
    given = conditionals(CLOUDS, 5.0, 20)
    Y = _flat(np.repeat([[0.0, 1.0], [4.0, 2.0]], 45, axis=0))
    exact = AllPairs(given, is_sne=False).gradient(Y)
    np.testing.assert_allclose(FarCells(given, 0.0).gradient(Y), exact, atol=1e-14)


def test_the_divergence_falls_to_that_of_the_fit():
    method = TSNE(max_iter=400)
    steps = list(method.steps(CLOUDS, seed=1))
    settled = np.array([step.objective for step in steps[260:]])
    assert settled[-1] < 0.9 * steps[0].objective
    assert settled[-1] <= settled.min() + 1e-3
    fit, end = method.fit(CLOUDS, seed=1), last(iter(steps))
    np.testing.assert_array_equal(fit.embedding, end.state.embedding)
    assert fit.divergence == end.objective


def test_groups_lie_apart_and_neighbours_are_true():
    Y = TSNE(max_iter=500).fit(CLOUDS).embedding
    axes = PCA(n_components=2).fit(CLOUDS).transform(CLOUDS)
    assert neighbours_kept(CLOUDS, Y, 8).trustworthiness > 0.95
    assert neighbours_kept(CLOUDS, Y, 8) > neighbours_kept(CLOUDS, axes, 8)
    assert abs(Y.mean(axis=0)).max() < 1e-10 * np.ptp(Y)


def test_units_change_nothing():
    near, far = (TSNE(max_iter=50).fit(CLOUDS * unit) for unit in (1.0, 2.0**70))
    np.testing.assert_allclose(near.embedding, far.embedding, rtol=1e-6)
    np.testing.assert_allclose(near.widths * 2.0**70, far.widths, rtol=1e-6)


def test_a_map_begins_where_it_is_told_to():
    X = np.random.default_rng(0).normal(size=(60, 5)) * [1, 4, 9, 2, 3]
    starts = {
        init: next(TSNE(init=init).steps(X, seed=3)).state.embedding
        for init in ("pca", "random", "spectral", "columns")
    }
    for init, Y in starts.items():
        assert 0.5e-4 < Y.std(axis=0).max() < 2e-4, init
    at = X[:, :2] - X[:, :2].mean(axis=0)
    np.testing.assert_allclose(
        starts["columns"], 1e-4 * at / at.std(axis=0).max(), rtol=0, atol=1e-7
    )
    # The smoothest functions on the graph of 20 neighbours: thirty have a third of the rows.
    roots = np.sqrt((graph := fuzzy_graph(X, round((60 - 1) / 3))).sum(axis=1))
    values, vectors = np.linalg.eigh(graph.toarray() / np.outer(roots, roots))
    assert values[-1] == pytest.approx(1.0)
    agree = vectors[:, -2:-4:-1].T @ starts["spectral"]
    np.testing.assert_allclose(np.abs(agree), agree.max() * np.eye(2), atol=1e-3 * agree.max())


def test_a_start_that_cannot_be_is_told():
    X = np.random.default_rng(0).normal(size=(60, 4))
    fit = TSNE(init="spectral", perplexity=3.0, max_iter=5).fit(np.vstack([X, X + 50.0]))
    assert fit.notes == (
        "The graph of neighbours falls into 2 parts: the map began at principal axes.",
    )
    X[:, :2] = 1.0
    with pytest.raises(DataError, match="first 2 columns hold, where all rows are equal"):
        TSNE(init="columns").fit(X)
    assert TSNE(init="columns", max_iter=5).fit(X[:, 1:]).n_iter == 5


def test_too_large_a_perplexity_is_lowered_and_said():
    fit = TSNE(max_iter=10).fit(CLOUDS[:50])
    assert fit.perplexity == pytest.approx(49 / 3)
    assert fit.notes == ("Perplexity 30 needs at least 91 rows; using 16.3.",)
    assert TSNE(max_iter=10, perplexity=16).fit(CLOUDS[:50]).notes == ()


def test_sne_crowds_what_t_sne_parts():
    X = np.vstack([CLOUDS, CLOUDS[:30] + np.array([0, 9, 0, -9, 0])])
    labels = np.arange(4).repeat(30)

    def parted(Y):
        within = np.mean([Y[labels == k].var(axis=0).sum() for k in range(4)])
        return Y.var(axis=0).sum() / within

    crowded = TSNE(max_iter=400, variant="sne").fit(X)
    assert parted(TSNE(max_iter=400).fit(X).embedding) > parted(crowded.embedding) > 2
    assert crowded.divergence < 0.5


@pytest.mark.parametrize("n", [2, 3, 40])
def test_sne_of_few_rows_takes_steps_that_do_not_overshoot(n):
    fit = TSNE(variant="sne").fit(CLOUDS[:n])
    assert fit.divergence < 0.5
    assert np.abs(fit.embedding).max() < 100


def test_a_map_that_grows_without_bounds_is_told():
    with pytest.raises(DataError, match=r"diverged.*Lower the learning rate"):
        TSNE(variant="sne", learning_rate=1e4, max_iter=300).fit(CLOUDS[:40])


def test_what_cannot_be_is_refused():
    with pytest.raises(ParamError, match="SNE is summed exactly"):
        TSNE(variant="sne", forces=BarnesHut())
    with pytest.raises(DataError, match="All pairs are stored of at most 5,000 rows"):
        TSNE(forces="exact").fit(np.random.default_rng(0).normal(size=(5001, 2)))
    with pytest.raises(DataError, match="here all are equal"):
        TSNE().fit(np.ones((9, 2)))


@pytest.mark.parametrize("k", [20, 89])
def test_shares_of_a_table_of_distances_are_those_of_the_rows_that_it_is_of(k):
    by_rows = conditionals(CLOUDS, 7.0, k)
    table = pairwise_distances(CLOUDS)
    given = conditionals(table, 7.0, k, Frame(power=np.inf, own=np.arange(90)))
    np.testing.assert_array_equal(given.rows, by_rows.rows)
    np.testing.assert_allclose(given.shares, by_rows.shares, atol=1e-12)
    np.testing.assert_allclose(given.widths, by_rows.widths, rtol=1e-9)


def test_a_map_of_a_table_of_distances_is_judged_by_them():
    """Rows of the table as points would lie elsewhere, so judged as such it would keep less."""
    line = np.sort(np.random.default_rng(0).uniform(0, 40, size=(60, 1)), axis=0)
    table = pairwise_distances(line, metric="manhattan")
    fit = TSNE(metric="precomputed", perplexity=8.0, max_iter=300).fit(table)
    by_rows = TSNE(metric="manhattan", perplexity=8.0, max_iter=300).fit(line)
    np.testing.assert_allclose(fit.widths, by_rows.widths, rtol=1e-9)
    kept = neighbours_kept(table, fit.embedding, frame=fit.frame)
    assert kept == neighbours_kept(line, fit.embedding)
