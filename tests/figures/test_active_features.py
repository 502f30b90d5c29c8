"""Tiles and weights at the moments of an episode, and players that go together."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest

from figures.view import views
from figures.views.decisions.active_features import numbers
from figures.views.decisions.value_surface import SurfaceOptions
from mlcore.decisions.continuous.features import FourierBasis
from mlcore.decisions.continuous.semi_gradient import SemiGradientControl
from mlcore.runs.carry_trial import TrialOutcome, carried_out
from mlcore.runs.run import Trial


@cache
def car() -> TrialOutcome:
    return carried_out(Trial(problem="mountain_car", methods=("semi_gradient_control",), budget=30))


@cache
def rod() -> TrialOutcome:
    return carried_out(Trial(problem="acrobot", methods=("semi_gradient_control",), budget=3))


@pytest.mark.parametrize("made", [car, rod])
def test_the_tiles_hold_the_state_and_their_weights_are_the_score(made):
    trial = made()
    t, fit = numbers(trial, 0), trial.results[0].fits[0]
    states = fit.paths.states[-1, : t.n + 1]
    np.testing.assert_allclose(t.totals, fit.action_scores(states).max(axis=1))
    np.testing.assert_allclose(t.terms.sum(axis=1), t.totals)
    assert t.boxes.shape == (t.n + 1, 8, 2, 2)
    low, high = t.boxes[..., 0], t.boxes[..., 1]
    assert (low <= t.at[:, None] + 1e-12).all() and (t.at[:, None] <= high + 1e-12).all()
    np.testing.assert_allclose(high - low, np.broadcast_to(np.ptp(t.ranges, axis=1) / 8, low.shape))


def test_two_states_share_a_tile_where_they_share_a_feature():
    encoded = car().results[0].fits[0].encoded
    states = np.random.default_rng(0).uniform([-1.2, -0.07], [0.6, 0.07], (60, 2))
    index, _ = encoded.active(states)
    low, _ = encoded.tiles(states)
    same = index[:, None] == index[None]
    np.testing.assert_array_equal(same, np.isclose(low[:, None], low[None]).all(axis=3))


def test_the_picture_is_played_together_with_the_car_and_the_surface():
    drawn = [
        views()["learned_behaviour"].make(car()),
        views()["value_surface"].make(car(), options=SurfaceOptions()),
        views()["active_features"].make(car()),
    ]
    recordings = [view.player() for view in drawn]
    together = {(r.follows, len(r.frames)) for r in recordings}
    assert len(together) == 1 and json.loads(recordings[0].to_json())["follows"]
    surface, path = recordings[1], drawn[1].numbers.path
    at = {trace.uid: i for i, trace in enumerate(drawn[1].figure.data) if trace.uid}
    for k in (0, 20, len(surface.frames) - 1):
        assert len(surface.frames[k][at["past"]]["x"]) == k + 1
        assert surface.frames[k][at["now"]]["y"][0] == path[k, 1]
    assert "thought to be worth" in surface.sentences[0]
    assert surface.objective[3] == pytest.approx(recordings[2].objective[3])


def test_other_features_have_no_tiles_and_the_largest_terms_are_drawn():
    method = SemiGradientControl(features=FourierBasis(order=5))
    picture = views()["active_features"].make(
        carried_out(Trial(problem="mountain_car", methods=(method,), budget=5))
    )
    t = picture.numbers
    assert t.boxes.shape[1] == 0 and t.terms.shape[1] == 16 and t.n_active == 36
    assert "16 terms of them" in picture.reading and "all 36 features" in picture.reading
