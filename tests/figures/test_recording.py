"""Recordings: what travels to the browser, how few bytes it takes, and what is refused."""

from __future__ import annotations

import base64
import json

import numpy as np
import pytest

from figures.recording import Recording, packed
from mlcore.spine.errors import ParamError


def recording(n_frames: int, n: int, rng: np.random.Generator) -> Recording:
    """Labels and centers that change in every frame."""
    frames = [
        {0: {"class": rng.integers(-1, 5, n)}, 1: {"x": rng.normal(size=3), "y": np.arange(3.0)}}
        for _ in range(n_frames)
    ]
    said = [f"Step {k}." for k in range(n_frames)]
    return Recording(frames, np.arange(n_frames, 0.0, -1), said, np.arange(n_frames) * 2)


def unpacked(notation: dict) -> np.ndarray:
    return np.frombuffer(base64.b64decode(notation["bdata"]), "<" + notation["dtype"])


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        (np.array([0, 255]), "u1"),
        (np.array([-1, 4]), "i1"),
        (np.array([0, 256]), "u2"),
        (np.array([-1, 200]), "i2"),
        (np.array([0, 2**40]), "f8"),
        (np.array([True, False]), "u1"),
        (np.array([0.5, np.nan]), "f4"),
        (np.array([], dtype=int), "u1"),
    ],
)
def test_arrays_take_the_smallest_type_that_shows_the_same(values, dtype):
    notation = packed(values)
    assert notation["dtype"] == dtype
    np.testing.assert_array_equal(unpacked(notation), values)


def test_exact_keeps_all_digits_and_text_stays_text():
    values = np.array([0.1, 1 / 3])
    assert unpacked(packed(values, exact=True)).tolist() == values.tolist()
    assert packed(np.array(["a", None, np.nan], dtype=object)) == ["a", None, None]
    assert packed("lines+markers") == "lines+markers"
    assert packed(np.zeros((2, 3)))["shape"] == "2, 3"


def test_a_frame_sends_only_what_changed(rng):
    sent = json.loads(recording(3, 10, rng).to_json())
    assert set(sent["frames"][0]["1"]) == {"x", "y"}
    assert set(sent["frames"][1]["1"]) == {"x"}  # y stands still
    assert sent["steps"] == [0, 2, 4]


def test_a_long_recording_is_thinned_below_the_limit_and_keeps_both_ends(rng):
    whole = recording(200, 5_000, rng)
    sent = json.loads(text := whole.to_json(limit=300_000))
    assert len(text) <= 300_000
    assert (sent["steps"][0], sent["steps"][-1]) == (0, 398)
    assert set(np.diff(sent["steps"][:-1])) == {16}  # every eighth frame, two steps apart
    shown = unpacked(sent["frames"][-1]["0"]["class"])
    np.testing.assert_array_equal(shown, whole.frames[-1][0]["class"])
    assert sent["sentences"][-1] == "Step 199."


def test_thinning_keeps_what_changed_in_a_dropped_frame():
    frames = [{0: {"x": np.zeros(2)}}, {0: {"x": np.ones(2)}}, {}, {}]
    four = Recording(frames, np.zeros(4), [""] * 4, np.arange(4))
    kept = json.loads(four.to_json(limit=len(four.to_json()) - 1))
    assert kept["steps"] == [0, 2, 3]
    assert unpacked(kept["frames"][1]["0"]["x"]).tolist() == [1, 1]


def test_what_cannot_be_played_is_refused_in_a_sentence(rng):
    with pytest.raises(ParamError, match="at least one frame"):
        Recording([], np.array([]), [], np.array([]))
    with pytest.raises(ParamError, match="one entry of sentences for each of its 2 frames; got 1"):
        Recording([{}, {}], np.zeros(2), ["one"], np.arange(2))
    with pytest.raises(ParamError, match="it lacks 'x' of trace 3"):
        Recording([{}, {3: {"x": np.zeros(1)}}], np.zeros(2), ["", ""], np.arange(2))
    with pytest.raises(ParamError, match="must fit into 1,000 bytes"):
        recording(3, 5_000, rng).to_json(limit=1_000)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)
