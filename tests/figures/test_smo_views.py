"""Pictures of the moves of sequential minimal optimisation, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from figures.views.kernels import smo_box, smo_thresholds
from mlcore.spine.errors import DataError
from mlcore.spine.iterate import record
from mlcore.spine.wording import rough
from mlcore.svm.nu_svr import NuSVR
from mlcore.svm.one_class_svm import OneClassSVM
from mlcore.svm.svc import SVC
from mlcore.svm.svr import SVR
from tests.figures import made

TWO, Y = [[-1.0], [1.0]], [0, 1]


def played(X=TWO, y=Y, **settings):
    return walked(SVC(kernel="linear", **settings), X, y, classes=("a", "b"))


def walked(method, X, y, **more):
    data = made.dataset(X, y, rows=range(10, 10 + len(X)), **more)
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
    offset = rough(whole.fit.intercepts[0])
    assert f"Where they meet, the offset b is {offset}." in smo_thresholds.reading(t)
    closed = t._replace(b_low=np.append(t.b_low[:-1], t.b_up[-1:] + 8e-16, axis=0))
    assert " above b_up to 0.00, within" in smo_thresholds.reading(closed)
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


def curve(method):
    X, _ = overlapping()
    return walked(method, X, np.sin(X[:, 0]) + X[:, 1])


def test_both_multipliers_of_a_row_of_a_tube_are_told_apart():
    b = smo_box.numbers(*curve(SVR(epsilon=0.2)))
    assert {name for both in b.sides for name in both} == {"above the tube", "below the tube"}
    named = f"row {b.rows[b.longest][0] + 1} {b.sides[b.longest][0]}"
    assert f"the multiplier of {named} from" in smo_box.reading(b)
    assert named in smo_box.draw(b).data[-1].text[0]
    assert [c.name for c in smo_box.table(b)][3:5] == ["first side", "second side"]
    assert not smo_box.numbers(*played()).sides


def test_two_groups_have_two_thresholds_each():
    steps, data, whole = curve(NuSVR(nu=0.4))
    t = smo_thresholds.numbers(steps, whole.fit)
    assert t.b_up.shape == (len(steps), 2)
    assert [(trace.name, trace.line.dash) for trace in smo_thresholds.draw(t).data] == [
        ("b_up, above the tube", "solid"), ("b_low, above the tube", "solid"),
        ("b_up, below the tube", "dash"), ("b_low, below the tube", "dash"),
    ]  # fmt: skip
    text = smo_thresholds.reading(t)
    assert "in the worse group b_low" in text
    assert f"and \N{GREEK SMALL LETTER EPSILON} is {rough(whole.fit.epsilon)}." in text
    assert len(smo_thresholds.table(t)) == 7
    assert smo_box.smo_box(steps, data, whole).player is not None


def test_thresholds_of_a_region_say_rho():
    X, _ = overlapping()
    steps, _, whole = walked(OneClassSVM(nu=0.3), X, None)
    text = smo_thresholds.reading(smo_thresholds.numbers(steps, whole.fit))
    assert f"\N{GREEK SMALL LETTER RHO} on the border is {rough(whole.fit.rho)}." in text


def test_without_an_intercept_thresholds_say_no_offset():
    steps, _, whole = played(*overlapping(), intercept=False)
    text = smo_thresholds.reading(smo_thresholds.numbers(steps, whole.fit))
    assert "Where they meet, it is at zero: there is no offset." in text
    assert "offset b" not in text
