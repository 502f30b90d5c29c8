"""Losses on held-out rows: in their own picture, beside the objective, and in the player."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np

from figures.recording import Recording
from figures.views.evaluation import held_out_losses as view
from figures.views.evaluation import objective_trace
from mlcore.ensembles.gradient_boosting import GradientBoosting
from mlcore.optimisation.stopping import HeldOutLosses
from mlcore.spine.asking import can
from mlcore.spine.capabilities import HasHeldOutLosses
from mlcore.spine.iterate import Step, Stop

LOSSES = HeldOutLosses(
    np.array([2, 5]), np.array([1.0, 0.5, 0.25, 0.2]), np.array([1.1, 0.7, 0.6, 0.9]), best=3
)
STEPS = [
    Step(k, taught, None, Stop("converged", "Done.") if k == 3 else None, "A round.", judged)
    for k, (taught, judged) in enumerate(zip(LOSSES.training, LOSSES.held_out, strict=True))
]


def test_the_kept_iteration_is_marked_and_read():
    drawn = view.held_out_losses(SimpleNamespace(held_out_losses=LOSSES))
    taught, judged, kept = drawn.figure.data
    np.testing.assert_array_equal(taught.y, LOSSES.training)
    np.testing.assert_array_equal(judged.y, LOSSES.held_out)
    assert (list(kept.x), list(kept.y)) == ([3], [0.6])
    assert "least, 0.600, after 3 iterations; that one is kept" in drawn.reading
    assert "By iteration 4 it is 0.900 there" in drawn.reading
    assert drawn.note == "2 rows of the training rows held out"
    assert [len(column.values) for column in drawn.table] == [4, 4, 4]


def test_a_loss_that_falls_to_the_end_might_fall_further():
    falling = HeldOutLosses(np.arange(3), np.array([1.0, 0.5]), np.array([1.0, 0.8]), best=2)
    assert "It was the last" in view.reading(view.losses(SimpleNamespace(held_out_losses=falling)))


def test_a_fit_without_held_out_rows_has_no_such_picture():
    X, y = np.arange(8.0)[:, None], np.arange(8) % 2
    assert not can(GradientBoosting(n_estimators=2).fit(X, y), HasHeldOutLosses)
    early = GradientBoosting(n_estimators=2, stopping="held_out_rows")
    assert can(early.fit(X, y), HasHeldOutLosses)


def test_the_objective_by_step_shows_both():
    drawn = objective_trace.objective_trace(STEPS)
    assert [trace.name for trace in drawn.figure.data] == [
        "objective", "objective on held-out rows",
    ]  # fmt: skip
    assert "On the held-out rows it is least, 0.600, at step 3." in drawn.reading
    plain = objective_trace.objective_trace([Step(0, 1.0, None, None, "A step.")])
    assert len(plain.figure.data) == 1
    assert len(plain.table) == 3


def test_the_player_gets_both_curves():
    told = {"frames": [{}] * 4, "objective": LOSSES.training, "sentences": ["A."] * 4}
    both = Recording(**told, steps=np.arange(4), held_out=LOSSES.held_out)
    assert "heldOut" in json.loads(both.to_json())
    assert "heldOut" not in json.loads(Recording(**told, steps=np.arange(4)).to_json())
