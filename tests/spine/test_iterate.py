"""Steps: running to the end, recording, stopping."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest

from mlcore.spine.iterate import Step, Stop, last, record, verdict


@dataclass
class Walk:
    at: np.ndarray


def walk(n: int, size: int = 1):
    state = Walk(np.zeros(size))
    for k in range(n):
        state.at += 1
        stop = Stop("limit", "The end of the road.") if k == n - 1 else None
        yield Step(k, float(n - k), state, stop)


def test_last_is_the_last_step():
    assert last(walk(5)).k == 4


def test_a_recorded_state_does_not_change_afterwards():
    kept = record(walk(4))
    assert [step.state.at[0] for step in kept] == [1, 2, 3, 4]


@pytest.mark.parametrize("n", [1, 2, 199, 200, 201, 1000, 5000])
def test_a_recording_is_bounded_and_keeps_both_ends(n):
    kept = record(walk(n), keep=200)
    assert len(kept) <= 201
    assert (kept[0].k, kept[-1].k) == (0, n - 1)
    assert kept[-1].stop
    gaps = {b.k - a.k for a, b in pairwise(kept[:-1])}
    assert len(gaps) <= 1


def test_a_recording_of_large_states_is_bounded_in_bytes():
    kept = record(walk(300, size=1000), most_bytes=100_000)
    assert sum(step.state.at.nbytes for step in kept) <= 120_000


@pytest.mark.parametrize(
    ("change", "k", "kind"),
    [(np.nan, 0, "diverged"), (0.0, 0, "converged"), (1.0, 9, "limit"), (1.0, 8, None)],
)
def test_verdict(change, k, kind):
    stop = verdict(k, change, tol=1e-3, max_iter=10, what="the change")
    assert (stop and stop.kind) == kind
    assert stop is None or stop.why.endswith(".")


def test_a_stop_has_a_known_kind():
    with pytest.raises(ValueError, match="kind"):
        Stop("tired", "No.")
