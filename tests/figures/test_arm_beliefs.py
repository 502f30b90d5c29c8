"""What strategies believe of the arms of a bandit, round by round."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from figures.numbers import trials
from figures.view import views
from figures.views.decisions import index_bars, posterior_curves
from mlcore.decisions.action_values import ActionValueBandit
from mlcore.decisions.adversarial import AdversarialArms
from mlcore.decisions.bandit import BanditArms
from mlcore.decisions.thompson import NormalPosterior, ThompsonSampling
from mlcore.decisions.ucb import UCB
from mlcore.runs.carry_trial import TrialOutcome, carried_out
from mlcore.runs.run import Trial
from mlcore.spine.errors import DataError


@cache
def outcome(rewards: str = "bernoulli_rewards") -> TrialOutcome:
    """Two hundred rounds with three arms."""
    believing = ThompsonSampling()
    if rewards == "gaussian_rewards":
        believing = ThompsonSampling(prior=NormalPosterior())
    methods = (believing, ActionValueBandit())
    if rewards == "bernoulli_rewards":
        methods = (UCB(alpha=1.0), *methods)
    return carried_out(
        Trial(
            problem=BanditArms(means=(0.2, 0.5, 0.8), reward_distribution=rewards),
            methods=methods, budget=200, replicates=2, seed=3,
        )
    )  # fmt: skip


@pytest.mark.parametrize("problem", [BanditArms(), AdversarialArms()])
@pytest.mark.parametrize("method", [UCB(), ThompsonSampling()])
def test_what_was_seen_ends_with_what_the_fit_knows(problem, method):
    world = problem.world()
    seen, fit = method.seen(world, 150, seed=2), method.fit(world, 150, seed=2)
    assert seen.rounds[-1] == 150
    np.testing.assert_array_equal(seen.counts.sum(axis=1), seen.rounds)
    np.testing.assert_array_equal(seen.counts[-1], fit.counts)
    np.testing.assert_allclose(seen.sums[-1] / seen.counts[-1], fit.means)
    assert (np.diff(seen.sums, axis=0) >= 0).all()  # rewards are 0 or 1


@pytest.mark.parametrize("method", UCB.forms())
def test_the_arm_with_the_ring_is_the_one_that_is_pulled_next(method):
    arms = BanditArms(means=(0.2, 0.5, 0.8))
    trial = carried_out(Trial(problem=arms, methods=(method,), budget=200, replicates=1, seed=3))
    i = index_bars.numbers(trial, 0)
    pulls = method.pulls(trial.world, 200, seed=3)
    chosen = [i.chosen(t) for t in range(len(i.rounds) - 1)]
    # Ties are broken by chance: there the ring is on the first of them.
    alone = [np.sum(np.isclose(u, u.max())) == 1 for u in i.upper[:-1]]
    follows = pulls[i.rounds[:-1]]
    assert sum(alone) > 20
    np.testing.assert_array_equal(np.array(chosen)[alone], follows[alone])
    np.testing.assert_allclose(i.upper[-1], trial.results[0].fits[0].upper)
    marks = index_bars.draw(i)
    low, high = marks.layout.yaxis.range
    for frame in index_bars.recording(i).frames:
        assert all(low < y <= high for y in frame[2]["y"])  # the ring is always in sight


def test_an_index_by_hand():
    """ln 5 is 1.609438: for alpha 2 the widths are its root, and that over the root of 3."""
    upper = UCB(alpha=2.0).upper(np.array([1, 3]), np.array([0.0, 1.0]), 4, 10)
    np.testing.assert_allclose(upper, [1.268636, 1.0 + 0.732447], atol=1e-6)


@pytest.mark.parametrize("rewards", ["bernoulli_rewards", "gaussian_rewards"])
def test_beliefs_are_densities_and_the_first_is_nearly_the_prior(rewards):
    trial = outcome(rewards)
    which = 1 if rewards == "bernoulli_rewards" else 0
    fit = trial.results[which].fits[0]
    x = np.linspace(-12, 12, 48001)
    sums = np.trapezoid(fit.belief(x), x, axis=1)
    np.testing.assert_allclose(sums, 1.0, atol=2e-3)  # a density may end at 0 with a step
    b = posterior_curves.numbers(trial, which)
    np.testing.assert_allclose(b.best.sum(axis=1), 1.0)
    assert b.best[-1].argmax() == 2
    middles = (fit.belief(x) * x).sum(axis=1) * (x[1] - x[0])
    n, s = fit.counts, fit.counts * fit.means
    known = (1 + s) / (2 + n) if rewards == "bernoulli_rewards" else s / (1 + n)
    np.testing.assert_allclose(middles, known, atol=1e-3)


def test_the_probability_to_be_the_best_is_that_of_draws():
    trial = outcome()
    b, fit = posterior_curves.numbers(trial, 1), trial.results[1].fits[0]
    wins = fit.counts * fit.means
    draws = np.random.default_rng(0).beta(1 + wins, 1 + fit.counts - wins, (200_000, 3))
    shares = np.bincount(draws.argmax(axis=1), minlength=3) / len(draws)
    np.testing.assert_allclose(b.best[-1], shares, atol=0.005)


@pytest.mark.parametrize(("name", "which"), [("index_bars", 0), ("posterior_curves", 1)])
def test_what_is_believed_is_played_to_the_end_of_the_rounds(name, which):
    drawn = views()[name].make(outcome(), which)
    assert drawn.player is not None
    played = drawn.player()
    assert played.steps[-1] == 200
    last, shown = played.frames[-1], drawn.figure.data
    for trace, changed in last.items():
        np.testing.assert_allclose(np.array(shown[trace].y), changed["y"])
    assert played.sentences[-1] in drawn.reading


@pytest.mark.parametrize("view", [index_bars, posterior_curves])
def test_a_game_that_is_long_is_not_played_again_for_a_picture(view, monkeypatch):
    monkeypatch.setattr(trials, "MOST_ROUNDS", 100)
    with pytest.raises(DataError, match="at most 100; there are 200"):
        view.numbers(outcome(), 0 if view is index_bars else 1)


def test_only_who_believes_something_has_the_pictures():
    rows = outcome().results
    asked = [[row.can(*views()[name].asks) for row in rows]
             for name in ("index_bars", "posterior_curves")]  # fmt: skip
    assert asked == [[True, False, False], [False, True, False]]
