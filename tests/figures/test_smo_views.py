"""Pictures of the moves of sequential minimal optimisation, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from figures.views.kernels import smo_box, smo_thresholds
from mlcore.spine.errors import DataError
from mlcore.spine.iterate import record
from mlcore.svm.svc import SVC
from tests.figures import made

TWO, Y = [[-1.0], [1.0]], [0, 1]


def played(X=TWO, y=Y, **settings):
    method = SVC(kernel="linear", **settings)
    data = made.dataset(X, y, classes=("a", "b"), rows=range(10, 10 + len(X)))
    return record(method.steps(data.X, data.y)), data, made.whole(data, method)


def overlapping():
    rng = np.random.default_rng(5)
    y = np.arange(30) % 2
    return rng.normal(size=(30, 2)) + y[:, None], y


def test_the_move_of_two_rows_is_drawn_in_its_box():
    b = smo_box.numbers(*played(C=0.3))
    assert b.side == 0.3
    assert sorted(b.rows[0] + 1) == [11, 12]
    fig = smo_box.draw(b)
    at = {trace.uid: trace for trace in fig.data}
    assert max(at["box"].x) == 0.3
    assert (at["before"].x[0], at["after"].x[0]) == (0.0, pytest.approx(0.3))
    # The free minimum at one half lies beyond the edge at 0.39, and stands on it.
    assert at["free"].x[0] == pytest.approx(0.96 * 1.3 * 0.3)
    assert "0.5" in at["free"].text[0]
    said = smo_box.reading(b)
    assert "where a bound ends the way to the minimum." in said
    assert "Of 1 recorded move bounds cut 1 (100 %)." in said


def test_the_player_has_a_frame_for_each_pair():
    steps, data, whole = played(*overlapping(), C=0.5)
    b = smo_box.numbers(steps, data, whole)
    recording = smo_box.recording(b, steps, whole)
    assert len(recording.frames) == len(b.moves) == len(b.at)
    for frame, move in zip(recording.frames, b.moves, strict=True):
        after = frame[smo_box.NAMES.index("after")]
        np.testing.assert_allclose([after["x"][0], after["y"][0]], move.after)
        assert len(frame) == 5
    sizes = [np.abs(move.after - move.before).max() for move in b.moves]
    assert sizes[b.longest] == max(sizes)
    view = smo_box.smo_box(steps, data, whole)
    assert view.figure.data[-1].x[0] == b.moves[b.longest].after[0]
    assert view.player is not None
    assert len(view.player().to_json()) > 0
    assert {len(column.values) for column in view.table} == {len(b.moves)}


def test_multipliers_that_move_alone_have_no_box():
    steps, data, whole = played(*overlapping(), intercept=False)
    b = smo_box.numbers(steps, data, whole)
    assert b.others > 0
    assert f"{b.others} steps moved no two rows." in smo_box.reading(b)
    alone = [step for step in steps if step.state.move is None]
    with pytest.raises(DataError, match="each multiplier moves alone"):
        smo_box.numbers(alone, data, whole)


def test_the_thresholds_meet_at_minus_the_offset():
    steps, _, whole = played(*overlapping(), C=0.5, solver="keerthi_smo", tol=1e-5)
    t = smo_thresholds.numbers(steps, whole.fit)
    assert t.many == 1
    assert (np.diff(t.moves) >= 0).all()
    offset = f"{whole.fit.intercepts[0]:.3f}".replace("-", "\N{MINUS SIGN}")
    assert f"Both then say that the offset b is {offset}" in smo_thresholds.reading(t)
    assert [trace.name for trace in smo_thresholds.draw(t).data] == ["b_up", "b_low"]


def test_machines_of_several_classes_follow_each_other():
    X, _ = overlapping()
    data = made.dataset(X, np.arange(30) % 3, classes=("a", "b", "c"))
    method = SVC(kernel="linear")
    steps = record(method.steps(data.X, data.y))
    t = smo_thresholds.numbers(steps, method.fit(data.X, data.y))
    assert t.many == 3
    assert len(smo_thresholds.draw(t).data) == 6
    assert "of 3 machines" in smo_thresholds.reading(t)
