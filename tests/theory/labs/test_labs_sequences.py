"""The central numbers of the labs of sequences, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from figures.labs.sequences import trellis as drawn
from mlcore.labs.sequences.gestures import GesturesLab
from mlcore.labs.sequences.trellis import SHOWS, TrellisLab
from mlcore.labs.sequences.two_decoders import TwoDecodersLab
from mlcore.labs.sequences.weather import WeatherLab
from mlcore.sequences.recursions import forward_backward, viterbi


def test_the_trellis_of_three_days():
    t = TrellisLab().compute(0)
    alpha = [(0.3, 0.04), (0.0904, 0.0342), (0.007696, 0.028584)]
    np.testing.assert_allclose(t.forward, alpha, atol=1e-15)
    delta = [(0.3, 0.04), (0.084, 0.027), (0.00588, 0.01512)]
    np.testing.assert_allclose(t.likeliest, delta, atol=1e-15)
    assert t.likelihood == pytest.approx(0.03628, abs=1e-15)
    assert t.backwards == pytest.approx(t.likelihood) == pytest.approx(t.enumerated)
    assert t.path.tolist() == [0, 0, 1] == t.states.tolist() and t.n_paths == 8
    assert t.of_path == pytest.approx(0.01512) == pytest.approx(t.of_states)


def test_the_likeliest_states_of_two_steps_are_no_path():
    t = TrellisLab(model="nothing_seen", length=2).compute(0)
    assert t.path.tolist() == [1, 2] and t.of_path == pytest.approx(0.35)
    assert t.states.tolist() == [0, 2] and t.of_states == 0.0
    assert "are no path" in drawn.reading(t)


def test_longer_sequences_are_those_of_the_scaled_recursions():
    t = TrellisLab(length=8).compute(0)
    m, lengths = t.model, np.array([8])
    logs = np.log(m.shown.T[t.seen])
    sums = forward_backward(logs, m.start, m.transitions, lengths)
    np.testing.assert_allclose(t.posterior, sums.posterior, atol=1e-14)
    path = viterbi(logs, m.start, m.transitions, lengths)
    np.testing.assert_array_equal(t.path, path.states)
    assert np.log(t.of_path) == pytest.approx(path.scores[0])


@pytest.mark.parametrize("shows", SHOWS)
def test_the_columns_are_filled_in_the_order_of_the_recursion(shows):
    t = TrellisLab(shows=shows).compute(0)
    recording = drawn.recording(t)
    filled = [[bool(text) for text in next(iter(f.values()))["text"]] for f in _texts(recording)]
    counts = [sum(own) for own in filled]
    assert counts == [2, 4, 6]
    assert filled[0][:2] == ([True, True] if shows != "backward" else [False, False])


def test_a_cell_says_how_it_comes_about():
    sentences = drawn.recording(TrellisLab().compute(0)).sentences
    assert sentences[0] == "dry: 0.600 × 0.500 = 0.300."
    assert sentences[1] == "dry: (0.300 × 0.700 + 0.0400 × 0.400) × 0.400 = 0.0904."


def _texts(recording):
    """The frames without what else they change."""
    return [{k: own for k, own in frame.items() if "text" in own} for frame in recording.frames]


@pytest.mark.parametrize("chain", ["ring", "row", "free"])
def test_each_decoder_is_best_at_what_it_maximises(chain):
    d = TwoDecodersLab(chain=chain).compute(0)
    assert d.right_steps[1] > d.right_steps[0]
    assert d.right_paths[0] > d.right_paths[1]
    assert d.impossible[0] == 0 and (d.impossible[1] > 0) == (chain == "ring")


def test_without_noise_both_decoders_know_the_states():
    d = TwoDecodersLab(noise=0.1, n_sequences=200).compute(0)
    assert d.differ == 0 and (d.right_paths == 1).all()


def test_a_forecast_forgets_what_it_was_made_of():
    w = WeatherLab().compute(0)
    assert np.abs(w.forecast[-1] - w.stationary).max() < 0.005
    assert np.abs(w.forecast[0] - w.stationary).max() > 0.1
    nothing, one, three, ten = w.losses[:, 0]
    assert nothing > one + 0.1 > three and abs(three - ten) < 0.01 and w.ideal[0] < ten
    assert nothing == pytest.approx(w.entropy, abs=0.02)
    slow = WeatherLab(stay=0.95, reliability=0.5).compute(0)
    assert slow.losses[2, 0] - slow.losses[3, 0] > 0.05  # here more days do help


def test_what_is_no_gesture_is_rejected_by_models_that_know_the_order():
    """Pointing backwards is always taken for a gesture, until a score may be too low."""
    g = GesturesLab().compute(0)
    np.testing.assert_array_equal(g.accepted[:, 3], [1.0, 0.0, 0.0])
    assert g.right.min() > 0.95
    assert g.scores[:3].argmax() == 1 and g.scores[1] < min(g.scores[3], g.limits[1])
    # A single state knows where the hand was, and that is the same backwards.
    np.testing.assert_array_equal(GesturesLab(n_states=1).compute(0).accepted[:, 3], 1.0)


def test_a_strict_threshold_rejects_known_gestures():
    strict, lenient = (GesturesLab(tolerance=t).compute(0).right for t in (0.0, 6.0))
    assert strict[2] < 0.6 < 0.98 < lenient[2]
    np.testing.assert_array_equal(strict[:2], lenient[:2])
