"""Taxi and Blackjack against Gymnasium's own, and against what is known of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import product

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.toy_text import blackjack as theirs

from mlcore.decisions.blackjack import HARD, HIT, NATURAL, SOFT, STICK, Blackjack, _states, dealer
from mlcore.decisions.environment_tables import finite_mdp
from mlcore.decisions.environments import newest
from mlcore.decisions.mdp import FiniteMDP
from mlcore.decisions.taxi import Taxi
from mlcore.decisions.td_control import TDControl
from mlcore.optimisation.schedules import ConstantSchedule


@pytest.mark.parametrize("slip", [0.0, 0.2, 0.5])
def test_the_tables_of_the_taxi_are_those_of_gymnasium(slip):
    rain = {"is_rainy": slip > 0, "rainy_probability": 1 - slip}
    env = gymnasium.make(newest("Taxi"), **rain)
    known = finite_mdp(env, name="taxi", gamma=0.99, max_steps=200)
    world = Taxi(slip=slip).world()
    for name in ("offsets", "successors", "rewards", "ends", "initial"):
        np.testing.assert_array_equal(getattr(world, name), getattr(known, name), err_msg=name)
    np.testing.assert_allclose(world.chances, known.chances, rtol=1e-14)
    assert world.max_steps == gymnasium.spec(newest("Taxi")).max_episode_steps


@pytest.mark.parametrize(("gamma", "value"), [(0.99, 6.327464), (1.0, 7.93)])
def test_what_a_taxi_can_earn(gamma, value):
    world = Taxi(gamma=gamma).world()
    assert world.best == pytest.approx(value, abs=1e-6)
    # 400 with an errand that is open; the 4 of a delivery are the end here, and no state.
    assert int(world.reachable.sum()) == 400


def test_the_map_of_the_taxi_has_every_state_that_can_be_met_once():
    world = Taxi().world()
    assert world.grid is not None
    states = np.concatenate([layer.states for layer in world.grid.layers])
    np.testing.assert_array_equal(np.sort(states), np.flatnonzero(world.reachable))
    for layer in world.grid.layers:
        assert sorted(world.grid.cells[layer.states]) == list(range(25))
        assert all(layer.name in world.state_names[s] for s in layer.states)
    assert world.grid.fences == ((1, 2), (6, 7), (15, 16), (17, 18), (20, 21), (22, 23))


def test_q_learning_learns_to_drive_a_taxi():
    fit = TDControl(learning_rate=ConstantSchedule(value=0.5)).fit(Taxi().world(), 4000)
    assert fit.score > 6.0


def _hand(kind: str, total: int) -> list[int]:
    """Cards that make a hand of three or more cards, or a natural."""
    if kind == NATURAL:
        return [1, 10]
    if kind == SOFT:
        return [1, total - 11] if total < 21 else [1, 4, 6]
    return [2, total - 2] if total <= 12 else [10, 2, total - 12]


class _Scripted:
    """Cards in place of those that Gymnasium draws; counts how many were asked for."""

    def __init__(self, monkeypatch):
        self.cards: Iterator[int] = iter(())
        monkeypatch.setattr(theirs, "draw_card", lambda rng: next(self.cards))


def _share(card: int) -> float:
    return (4 if card == 10 else 1) / 13


Outcomes = dict[tuple[int | None, float], float]  # next state, None at the end, and reward


def _outcomes(world: FiniteMDP, state: int, action: int) -> Outcomes:
    k = slice(*world.offsets[2 * state + action : 2 * state + action + 2])
    found: Outcomes = defaultdict(float)
    for chance, to, reward, is_end in zip(
        world.chances[k], world.successors[k], world.rewards[k], world.ends[k], strict=True
    ):
        found[None if is_end else int(to), float(reward)] += chance
    return found


def _same(a: Outcomes, b: Outcomes) -> bool:
    return set(a) == set(b) and all(abs(a[key] - b[key]) < 1e-12 for key in a)


def test_another_card_does_what_it_does_in_gymnasium(monkeypatch):
    """Each hand with each card that may come."""
    world, states = Blackjack().world(), list(_states())
    env, script = theirs.BlackjackEnv(), _Scripted(monkeypatch)
    script.cards = iter([2] * 4)
    env.reset()
    for s, (kind, total, shown) in enumerate(states):
        seen: Outcomes = defaultdict(float)
        for card in range(1, 11):
            env.player, env.dealer, script.cards = _hand(kind, total), [shown, 2], iter([card])
            (new, at, soft), reward, is_end, *_ = env.step(HIT)
            to = None if is_end else states.index((SOFT if soft else HARD, new, at))
            seen[to, float(reward)] += _share(card)
        assert _same(seen, _outcomes(world, s, HIT)), world.state_names[s]


RULES = {
    "counts_21": {},
    "pays_more": {"natural": True},
    "beats_21": {"sab": True},
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("shown", [1, 7, 10])
def test_to_stick_pays_what_it_pays_in_gymnasium(monkeypatch, rule, shown):
    """All sequences that the dealer may draw, with their probabilities."""
    world, states = Blackjack(natural=rule).world(), list(_states())
    env, script = theirs.BlackjackEnv(**RULES[rule]), _Scripted(monkeypatch)
    script.cards = iter([2] * 4)
    env.reset()
    hands = ((HARD, 13), (HARD, 18), (SOFT, 21), (NATURAL, 21))
    seen: dict = {hand: defaultdict(float) for hand in hands}

    def play(cards: tuple[int, ...], chance: float) -> None:
        for hand in hands:
            env.player, env.dealer = _hand(*hand), [shown, cards[0]]
            script.cards = iter(cards[1:])
            try:
                _, reward, is_end, *_ = env.step(STICK)
            except StopIteration:  # the dealer wants one more
                for card in range(1, 11):
                    play((*cards, card), chance * _share(card))
                return
            assert is_end
            seen[hand][None, float(reward)] += chance

    for hidden in range(1, 11):
        play((hidden,), _share(hidden))
    for hand in hands:
        found = _outcomes(world, states.index((*hand, shown)), STICK)
        assert _same(seen[hand], found), (hand, seen[hand], found)


def test_first_hands_come_as_gymnasium_deals_them(monkeypatch):
    world, states = Blackjack().world(), list(_states())
    env, script = theirs.BlackjackEnv(), _Scripted(monkeypatch)
    seen = np.zeros(len(states))
    for cards in product(range(1, 11), repeat=3):
        script.cards = iter([cards[0], 2, cards[1], cards[2]])  # the dealer's come first
        (total, shown, soft), _ = env.reset()
        kind = NATURAL if theirs.is_natural(env.player) else SOFT if soft else HARD
        seen[states.index((kind, total, shown))] += np.prod([_share(card) for card in cards])
    np.testing.assert_allclose(world.initial, seen, atol=1e-15)


def test_the_best_policy_is_that_of_figure_5_2_of_sutton_and_barto():
    """With its notch: soft 18 hits against an ace."""
    world = Blackjack().world()
    hits = {state: world.solution.policy[s] == HIT for s, state in enumerate(_states())}

    def least_to_stick(kind: str, shown: int) -> int:
        totals = range(12, 22)
        least = min(t for t in totals if not hits[kind, t, shown])
        assert all(hits[kind, t, shown] == (t < least) for t in totals)
        return least

    order = [*range(1, 11)]  # ace, 2, ..., 10
    assert [least_to_stick(HARD, d) for d in order] == [17, 13, 13, 12, 12, 12, 17, 17, 17, 17]
    assert [least_to_stick(SOFT, d) for d in order] == [19, 18, 18, 18, 18, 18, 18, 18, 19, 19]
    assert all(hits[HARD, t, d] for t in range(4, 12) for d in order)


def test_the_dealer_goes_beyond_21_as_often_as_tables_say():
    """Of an endless pack, by the card that is shown; a 6 is worst, with 42 games in a hundred."""
    bust = [sum(p for (end, _), p in dealer(d).items() if end == 0) for d in range(1, 11)]
    np.testing.assert_allclose(
        bust, [0.1153, 0.3536, 0.3739, 0.3945, 0.4164, 0.4232, 0.2623, 0.2447, 0.2284, 0.2121],
        atol=5e-4,
    )  # fmt: skip
