"""The density of a Gaussian policy: its numbers in the unit of the world, and its player."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from figures.view import views
from figures.views.decisions import policy_density as drawn
from mlcore.decisions.continuous.actor_critic import ActorCritic
from mlcore.decisions.continuous.policies import GaussianPolicy
from mlcore.decisions.continuous.reinforce import PolicyGradient
from mlcore.runs.carry_trial import TrialOutcome, carried_out
from mlcore.runs.run import Trial
from mlcore.spine.asking import can

GAUSSIAN = ActorCritic(policy=GaussianPolicy(spread=0.8))
FIXED = PolicyGradient(policy=GaussianPolicy(spread=0.3, learn_spread=False))


@cache
def pendulum() -> TrialOutcome:
    return carried_out(
        Trial(problem="pendulum", methods=(GAUSSIAN, FIXED, ActorCritic()), budget=6, replicates=1)
    )


def test_the_density_is_that_of_the_scores_in_the_unit_of_the_torque():
    density, fit = drawn.numbers(pendulum(), 0), pendulum().results[0].fits[0]
    scores = fit.paths.scores[-1, : density.n]
    np.testing.assert_allclose(density.means[:-1], 2 * scores[:, 0])  # torques from -2 to 2
    np.testing.assert_allclose(density.spreads[:-1], 2 * 0.8 * np.exp(np.clip(scores[:, 1], -3, 3)))
    assert np.ptp(density.spreads) > 0 and density.first == pytest.approx(1.6)
    done = pendulum().world.pushes(fit.paths.actions[-1, : density.n])
    np.testing.assert_allclose(done, np.clip(density.means[:-1], -2, 2))  # a greedy episode


def test_a_spread_that_is_not_learned_stays():
    np.testing.assert_allclose(drawn.numbers(pendulum(), 1).spreads, 0.6)


def test_densities_integrate_to_what_the_picture_shows_of_them():
    density = drawn.ActionDensity(
        np.array([0.0, 1.0]), np.array([0.5, 0.25]), np.zeros(2), (-2.0, 2.0), 1, "torque"
    )
    amounts = drawn._amounts(density)
    assert (amounts[0], amounts[-1]) == (-4, 4)
    for t in range(2):
        heights = drawn._heights(density, t)
        assert np.trapezoid(heights, amounts) == pytest.approx(1.0, abs=1e-6)
        assert np.trapezoid(heights * amounts, amounts) == pytest.approx(density.means[t], abs=1e-6)


def test_it_is_played_with_the_episode_and_asked_of_gaussian_policies_alone():
    picture, episode = (views()[name] for name in ("policy_density", "learned_behaviour"))
    made = picture.make(pendulum(), 0)
    together = [p.player() for p in (made, episode.make(pendulum(), 0, options=episode.options()))]
    assert len({(r.follows, len(r.frames)) for r in together}) == 1
    last = together[0].frames[-1]
    density = drawn.numbers(pendulum(), 0)
    assert any(np.array_equal(c["y"], density.means[-1:]) for c in last.values())
    fits = [row.fits[0] for row in pendulum().results]
    assert [can(fit, *picture.asks) for fit in fits] == [True, True, False]
