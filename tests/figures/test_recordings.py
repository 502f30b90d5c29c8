"""Recordings: the pictures of a method, step by step."""

from dataclasses import dataclass

import numpy as np
import pytest

from figures.drawing import marks
from figures.numbers.recordings import recording_of
from figures.recording import Recording
from figures.view import views
from mlcore.data.dataset import TableData
from mlcore.data.generators.classes.blobs import Blobs
from mlcore.runs.carry import recording
from mlcore.runs.run import Run
from mlcore.spine.errors import ParamError
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.registry import lookup
from tests.figures import made
from tests.figures.standins import NearestMeans


def played(source, method, name, preparation=("standardise",)):
    """A view, its recording, the steps and the data of a run."""
    run = Run(data=TableData(source=source), preparation=preparation, method=method)
    whole, steps = recording(run)
    data = run.data.dataset({})
    drawn = views()[name].make(data, whole) if name != "coefficients" else None
    drawn = drawn or views()[name].make(whole.fit, data)
    return drawn, recording_of(drawn, whole, steps, data), steps, data


def test_kmeans_moves_rows_centers_and_cells():
    method = lookup("clustering", "kmeans")(n_clusters=4, n_init=1, init="random")
    drawn, r, steps, _ = played(Blobs(n_samples=80, cluster_std=3.0), method, "cluster_map")
    at = {trace.uid: i for i, trace in enumerate(drawn.figure.data) if trace.uid}
    assert set(r.frames[0]) == {at["rows"], at["centers"], at["cells"]}
    assert len(r.frames) == len(steps)
    for frame, step in zip(r.frames, steps, strict=True):
        np.testing.assert_array_equal(frame[at["rows"]]["class"], step.state.labels)
    # The last frame is the picture itself.
    last = r.frames[-1]
    centers = drawn.figure.data[at["centers"]]
    np.testing.assert_allclose(last[at["centers"]]["x"], centers.x, atol=1e-9)
    np.testing.assert_array_equal(last[at["cells"]]["z"], drawn.figure.data[at["cells"]].z)
    assert r.objective.tolist() == [step.objective for step in steps]
    assert "Converged" in r.sentences[-1]
    assert len(r.to_json()) < 2_000_000


def test_a_mixture_moves_ellipses_means_and_shares():
    method = lookup("clustering", "gaussian_mixture")(n_components=3, n_init=1, init="points")
    drawn, r, steps, _ = played(Blobs(n_samples=80, cluster_std=3.0), method, "ellipse_map")
    at = {trace.uid: i for i, trace in enumerate(drawn.figure.data) if trace.uid}
    assert set(r.frames[0]) == set(at.values())
    assert set(at) == {"rows", "centers", "curve 0", "curve 1", "curve 2"}
    for frame, step in zip(r.frames, steps, strict=True):
        np.testing.assert_array_equal(frame[at["rows"]]["class"], step.state.labels)
    for name in ("centers", "curve 0", "curve 2"):
        np.testing.assert_allclose(r.frames[-1][at[name]]["x"], drawn.figure.data[at[name]].x)
    # An E step shares the rows anew, an M step moves the ellipses.
    first, second, third = (frame[at["curve 0"]]["x"] for frame in r.frames[:3])
    assert not np.allclose(first, second, equal_nan=True)
    np.testing.assert_allclose(second, third)


def test_a_solver_moves_coefficients_and_the_curve():
    method = lookup("regression", "ridge")(solver="cg")
    for name, trace, attribute in (("coefficients", "bars 0", "x"), ("fit_plot", "curve", "y")):
        drawn, r, steps, _ = played("diabetes", method, name)
        i = next(i for i, t in enumerate(drawn.figure.data) if t.uid == trace)
        assert len(r.frames) == len(steps) > 1
        np.testing.assert_allclose(
            r.frames[-1][i][attribute], drawn.figure.data[i][attribute], atol=1e-6
        )
        assert np.abs(r.frames[0][i][attribute] - r.frames[-1][i][attribute]).max() > 1e-3


def test_power_iteration_turns_the_axes():
    method = lookup("reduction", "pca")(n_components=2, solver=lookup("pca_solver", "power")())
    source = Blobs(n_samples=60, n_features=4)
    drawn, r, _, _ = played(source, method, "embedding_scatter")
    i = next(i for i, t in enumerate(drawn.figure.data) if t.uid == "rows")
    np.testing.assert_allclose(r.frames[-1][i]["x"], drawn.figure.data[i].x, atol=1e-4)
    assert not r.frames[0][i]["y"].any()  # the second axis is not looked for yet


def test_a_map_without_transform_moves_the_fitted_rows():
    kind = lookup("mds_kind", "metric")(init="random", n_init=1)
    drawn, r, steps, _ = played(
        Blobs(n_samples=40, n_features=4),
        lookup("reduction", "mds")(kind=kind),
        "embedding_scatter",
    )
    i = next(i for i, t in enumerate(drawn.figure.data) if t.uid == "rows")
    assert len(r.frames) == len(steps) > 2
    np.testing.assert_allclose(r.frames[-1][i]["y"], drawn.figure.data[i].y)
    np.testing.assert_allclose(r.frames[0][i]["x"], steps[0].state.embedding[:, 0])


@dataclass
class MeansState:
    """Class means on their way."""

    means: np.ndarray


def test_regions_follow_whatever_fields_state_and_fit_share():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [4.0, 0.0], [5.0, 1.0]])
    data = made.dataset(X, [0, 0, 1, 1], ("a", "b"))
    whole = made.whole(data, NearestMeans())
    drawn = views()["decision_regions"].make(data, whole)
    away = whole.fit.means + np.array([[100.0, 0.0], [0.0, 0.0]])
    steps = [
        Step(0, 2.0, MeansState(away), note="Far off."),
        Step(1, 1.0, MeansState(whole.fit.means), Stop("converged", "Done."), "There."),
    ]
    r = recording_of(drawn, whole, steps, data)
    first, last = (frame[0]["z"] // marks.REGION_LEVELS for frame in r.frames)
    assert set(np.unique(first)) == {1}
    np.testing.assert_array_equal(last, drawn.numbers.regions.klass)
    assert r.sentences == ["Far off.", "There. Done."]


def test_fine_grids_are_played_in_at_most_sixty_frames():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [4.0, 0.0], [5.0, 1.0]])
    data = made.dataset(X, [0, 0, 1, 1], ("a", "b"))
    whole = made.whole(data, NearestMeans())
    drawn = views()["decision_regions"].make(data, whole)
    steps = [Step(k, 1.0, MeansState(whole.fit.means)) for k in range(200)]
    r = recording_of(drawn, whole, steps, data)
    assert len(r.frames) == 60
    assert (r.steps[0], r.steps[-1]) == (1, 200)
    assert len(r.to_json()) < 2_000_000


def test_other_pictures_play_the_objective_alone():
    data = made.dataset(np.random.default_rng(0).normal(size=(20, 2)))
    whole = made.whole(data, lookup("clustering", "kmeans")(n_clusters=2))
    drawn = views()["silhouette_bars"].make(data, whole)
    steps = [Step(0, 3.0, None, note="Begin."), Step(1, 2.0, None)]
    r = recording_of(drawn, whole, steps, data)
    assert r.frames == [{}, {}]
    assert r.objective.tolist() == [3.0, 2.0]
    with pytest.raises(ParamError, match="no steps to play"):
        recording_of(drawn, whole, [], data)


def test_the_player_counts_the_steps_as_the_picture_of_the_objective_does():
    whole, steps = recording(Run(data="iris", method="kmeans"))
    dataset = Run(data="iris").data.dataset()
    drawn = views()["cluster_map"].make(dataset, whole)
    played_steps = recording_of(drawn, whole, steps, dataset).steps
    assert played_steps.tolist() == views()["objective_trace"].make(steps).numbers.k.tolist()
    assert played_steps[0] == 1


def test_a_round_of_boosting_has_the_regions_of_its_own_member():
    """Numbers of a step are as many as those of the whole fit, its members are fewer."""
    method = lookup("classification", "adaboost")(n_estimators=3)
    drawn, r, steps, _ = played("wine", method, "boosting_rounds")
    assert len(r.frames) == len(steps) == 3
    at = {trace.uid: i for i, trace in enumerate(drawn.figure.data)}
    cells = [frame[at["cells"]]["z"] for frame in r.frames]
    assert not np.array_equal(cells[0], cells[1])


@pytest.mark.parametrize("method", ["adaboost", "gradient_boosting", "random_forest"])
def test_rounds_have_the_regions_that_they_have_together(method):
    drawn, r, steps, _ = played("wine", lookup("classification", method)(), "decision_regions")
    at = {trace.uid: i for i, trace in enumerate(drawn.figure.data)}
    first, *_, last = (frame[at["cells"]]["z"] for frame in r.frames)
    assert not np.array_equal(first, last)
    klass = last // marks.REGION_LEVELS
    np.testing.assert_array_equal(klass, drawn.numbers.regions.klass)
    assert r.steps[-1] == steps[-1].k + 1


def test_the_novelty_of_a_forest_is_played_tree_by_tree():
    method = lookup("novelty", "isolation_forest")(n_trees=3)
    steps = ("impute", "one_hot", "standardise")
    drawn, r, steps, _ = played("penguins", method, "novelty_map", steps)
    assert len(r.frames) == len(steps) == 3
    at = {trace.uid: i for i, trace in enumerate(drawn.figure.data)}
    cells = [frame[at["cells"]]["z"] for frame in r.frames]
    assert not np.array_equal(cells[0], cells[2])


def test_every_player_writes_numbers_as_people_do():
    """The player of a planner said 6.8e-09 above a reading that says 6.8·10⁻⁹."""
    still = {
        "frames": [{0: {"x": [0.0]}}],
        "objective": np.zeros(1),
        "steps": np.ones(1, dtype=int),
    }
    r = Recording(**still, sentences=["The largest change is 6.8e-09, from -3."])
    assert r.sentences == ["The largest change is 6.8·10⁻⁹, from −3."]
