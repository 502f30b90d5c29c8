"""Blackjack: another card, or wait for what the dealer turns over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from mlcore.decisions.horizon import discount, most_moves
from mlcore.decisions.mdp import Grid, Sides, Transition
from mlcore.decisions.table_worlds import TableWorld
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice

CARDS = range(1, 11)  # the ace counts as 1 until it may be used as 11
HIGHEST = 21
DEALER_STANDS = 17
LOWEST_HARD, LOWEST_SOFT = 4, 12
STICK, HIT = range(2)
BEATS, PAYS_MORE, COUNTS = NATURALS = ("beats_21", "pays_more", "counts_21")
HARD, SOFT, NATURAL = "hard", "soft", "natural"
GAP = 1  # columns between the two parts of the map


@enter(
    Card(
        "blackjack",
        "Blackjack",
        ("problem",),
        "Sutton and Barto (2018), Reinforcement Learning, example 5.1",
        sources=("epfl:rl_agent_env",),
        kind="data",
        synonyms=("Blackjack-v1", "basic strategy", "card game", "Gymnasium", "toy text"),
    )
)
@dataclass(frozen=True, kw_only=True)
class Blackjack(TableWorld):
    """Hit for another card or stick; who is nearer to 21 wins, who is beyond it has lost.

    Cards come from an endless pack: four in thirteen count 10, an ace 11 where that does not lead
    beyond 21 (a usable ace, a soft hand) and else 1. The dealer shows one card and, when the player
    sticks, draws until the sum is 17 or more. A win pays 1, a loss costs 1. A state is the sum of
    the player, whether the ace is usable, and the card of the dealer; a natural, an ace with a 10
    as the first two cards, is a state of its own. The probabilities of all that the dealer may draw
    are added up, so the best policy is known exactly. The rules are those of Gymnasium's Blackjack.
    """

    gamma: float = discount(1.0)
    max_steps: int = most_moves()
    natural: str = choice(
        BEATS, *NATURALS, label="Natural",
        doc="An ace with a 10 as the first two cards beats every other 21, as in the book, pays "
        "1.5 if it wins, or counts as any 21.",
    )  # fmt: skip

    def tables(self) -> list[list[list[Transition]]]:
        """To stick and to hit, in each state."""
        return [[self._stuck(*state), _hit(*state)] for state in _states()]

    def _stuck(self, kind: str, total: int, shown: int) -> list[Transition]:
        """The game is over once the dealer has drawn."""
        at = _number(kind, total, shown)
        ends = dealer(shown)
        return [
            (float(chance), at, self._paid(kind, total, end, is_natural), True)
            for (end, is_natural), chance in ends.items()
        ]

    def _paid(self, kind: str, total: int, end: int, dealer_has_natural: bool) -> float:
        """For sticking at a total against that of the dealer, 0 if the dealer is beyond 21."""
        won = float(np.sign(total - end))
        if kind == NATURAL and self.natural == BEATS and not dealer_has_natural:
            return 1.0
        return 1.5 if kind == NATURAL and self.natural == PAYS_MORE and won > 0 else won

    def actions(self) -> tuple[tuple[str, str], ...]:
        """As Gymnasium counts them."""
        return ("stick", "S"), ("hit", "H")

    def start_weights(self, n_states: int) -> np.ndarray:
        """The probability of each first hand, shape (S,)."""
        weights = np.zeros(n_states)
        for first in CARDS:
            for second in CARDS:
                for shown in CARDS:
                    weights[_dealt(first, second, shown)] += (
                        _share(first) * _share(second) * _share(shown)
                    )
        return weights

    def state_names(self, n_states: int) -> tuple[str, ...]:
        """Kind and sum of the hand, and what it plays against."""
        return tuple(
            f"a {kind if kind == NATURAL else f'{kind} {total}'} against {_card(shown)}"
            for kind, total, shown in _states()
        )

    def map(self, start_weights: np.ndarray, signs: tuple[str, ...]) -> Grid:
        """The sum of the player by the card of the dealer: soft hands at the left, hard ones."""
        n_rows, n_columns = HIGHEST - LOWEST_HARD + 2, 2 * len(CARDS) + GAP
        cells = np.array([_row(k, t) * n_columns + _column(k, d) for k, t, d in _states()])
        letters = np.full(n_rows * n_columns, " ")
        letters[cells] = "."
        cards, half = tuple(map(_card, CARDS)), (len(CARDS) - 1) / 2
        sides = Sides(
            "Sum of the player", ("natural", *map(str, range(HIGHEST, LOWEST_HARD - 1, -1))),
            "Card that the dealer shows", (*cards, *[""] * GAP, *cards),
            ((half, "usable ace"), (len(CARDS) + GAP + half, "no usable ace")),
        )  # fmt: skip
        return Grid((n_rows, n_columns), cells, "".join(letters), signs, sides=sides)


def _states() -> Iterator[tuple[str, int, int]]:
    """Kind and sum of the hand and the card of the dealer, in order."""
    hands: list[tuple[str, int]] = [(HARD, total) for total in range(LOWEST_HARD, HIGHEST + 1)]
    hands += [(SOFT, total) for total in range(LOWEST_SOFT, HIGHEST + 1)]
    hands += [(NATURAL, HIGHEST)]
    return ((kind, total, shown) for kind, total in hands for shown in CARDS)


@cache
def _numbers() -> dict[tuple[str, int, int], int]:
    return {state: s for s, state in enumerate(_states())}


def _number(kind: str, total: int, shown: int) -> int:
    return _numbers()[kind, total, shown]


def _share(card: int) -> float:
    """The probability of a card: tens and court cards count alike."""
    return (4 if card == 10 else 1) / 13


def _card(card: int) -> str:
    return "A" if card == 1 else str(card)


def drawn(total: int, is_soft: bool, card: int) -> tuple[int, bool]:
    """Sum, and whether an ace counts as 11 in it, after another card."""
    total += card
    if card == 1 and total + 10 <= HIGHEST:  # only where no other ace is used
        return total + 10, True
    return (total - 10, False) if is_soft and total > HIGHEST else (total, is_soft)


def _dealt(first: int, second: int, shown: int) -> int:
    total, is_soft = drawn(*drawn(0, False, first), second)
    if total == HIGHEST:
        return _number(NATURAL, total, shown)
    return _number(SOFT if is_soft else HARD, total, shown)


def _hit(kind: str, total: int, shown: int) -> list[Transition]:
    """Another card: beyond 21 the game is lost."""
    after = []
    for card in CARDS:
        new, is_soft = drawn(total, kind != HARD, card)
        is_lost = new > HIGHEST
        at = (kind, total) if is_lost else (SOFT if is_soft else HARD, new)
        after.append((_share(card), _number(*at, shown), -1.0 if is_lost else 0.0, is_lost))
    return after


@cache
def dealer(shown: int) -> dict[tuple[int, bool], float]:
    """How the dealer ends: sum (0 beyond 21) and whether it is a natural, with probabilities."""
    ends: dict[tuple[int, bool], float] = {}
    for hidden in CARDS:
        hand = drawn(*drawn(0, False, shown), hidden)
        is_natural = hand[0] == HIGHEST
        for total, chance in _played_out(*hand).items():
            end = (total, is_natural)
            ends[end] = ends.get(end, 0.0) + _share(hidden) * chance
    return ends


@cache
def _played_out(total: int, is_soft: bool) -> dict[int, float]:
    """The sums with which the dealer may end from a hand, with their probabilities."""
    if total > HIGHEST:
        return {0: 1.0}
    if total >= DEALER_STANDS:
        return {total: 1.0}
    ends: dict[int, float] = {}
    for card in CARDS:
        for end, chance in _played_out(*drawn(total, is_soft, card)).items():
            ends[end] = ends.get(end, 0.0) + _share(card) * chance
    return ends


def _row(kind: str, total: int) -> int:
    return 0 if kind == NATURAL else 1 + HIGHEST - total


def _column(kind: str, shown: int) -> int:
    return shown - 1 + (len(CARDS) + GAP if kind == HARD else 0)
