"""Distances of sequences: by hand, against the plain recursion, and what a distance must be."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlcore.distances.sequences import edit_distance, edit_distances, spike_train_distance
from mlcore.spine.errors import DataError, ParamError
from tests.contract.subjects import is_sentence

WORDS = st.text("abc", max_size=5)
TRAINS = st.lists(st.integers(0, 20).map(lambda t: t / 4), max_size=4)


def by_recursion(a, b, insert: float, delete: float, change) -> float:
    """The definition as it stands."""

    @cache
    def cost(i: int, j: int) -> float:
        if i == 0 or j == 0:
            return i * delete + j * insert
        return min(
            cost(i - 1, j) + delete,
            cost(i, j - 1) + insert,
            cost(i - 1, j - 1) + change(a[i - 1], b[j - 1]),
        )

    return cost(len(a), len(b))


@pytest.mark.parametrize(
    ("a", "b", "cost"), [("kitten", "sitting", 3), ("", "abc", 3), ("ab", "ba", 2), ("", "", 0)]
)
def test_words_by_hand(a, b, cost):
    assert edit_distance(a, b) == cost


@given(WORDS, WORDS, *[st.sampled_from([0.5, 1.0, 2.5])] * 3)
def test_edits_are_the_cheapest(a, b, insert, delete, exchange):
    found = edit_distance(a, b, insert, delete, exchange)
    plain = by_recursion(a, b, insert, delete, lambda x, y: 0.0 if x == y else exchange)
    assert found == pytest.approx(plain)


@pytest.mark.parametrize("lengths", [(63, 64, 65), (128, 1, 127), (129, 200, 64), (0, 70, 130)])
def test_words_of_64_letters_and_more_are_compared_as_letter_by_letter(lengths):
    rng = np.random.default_rng(sum(lengths))
    texts = ["".join(rng.choice(list("abÄ☃"), n)) for n in lengths]
    texts.append(texts[1][:5] + texts[1][7:] + "b")
    # A cost beside the others leaves the words: the table is filled letter by letter.
    plain = edit_distances(texts, None, 1.0, 1.0, np.nextafter(1.0, 0))
    np.testing.assert_allclose(edit_distances(texts), plain, rtol=1e-12)
    np.testing.assert_allclose(edit_distances(texts, texts[::-1]), plain[:, ::-1], rtol=1e-12)
    np.testing.assert_allclose(edit_distances(texts, None, 0.3, 0.3, 0.3), 0.3 * plain)


@given(WORDS, WORDS, WORDS)
def test_edits_are_a_distance(a, b, c):
    assert (edit_distance(a, b) == 0) == (a == b)
    assert edit_distance(a, b) == edit_distance(b, a)
    assert edit_distance(a, c) <= edit_distance(a, b) + edit_distance(b, c)


@pytest.mark.parametrize("costs", [(1.0, 1.0, 1.0), (0.5, 1.0, 2.0)])
def test_many_texts_are_compared_as_each_two(costs):
    texts = ["kitten", "", "sitting", "Ätna", "kitten"]
    each = [[edit_distance(a, b, *costs) for b in texts] for a in texts]
    np.testing.assert_array_equal(edit_distances(texts, None, *costs), each)
    np.testing.assert_array_equal(edit_distances(texts[:2], texts, *costs), each[:2])
    assert edit_distances([], ["a"], *costs).shape == (0, 1)
    assert edit_distances(["a"], [], *costs).shape == (1, 0)


@given(TRAINS, TRAINS, st.sampled_from([0.0, 0.5, 1.0, 4.0]))
def test_moves_of_events_are_the_cheapest(a, b, q):
    found = spike_train_distance(a, b, q)
    plain = by_recursion(sorted(a), sorted(b), 1.0, 1.0, lambda s, t: q * abs(s - t))
    assert found == pytest.approx(plain)
    assert found == pytest.approx(spike_train_distance(b, a, q))


def test_it_pays_to_move_an_event_by_less_than_two_over_q():
    assert spike_train_distance([1.0], [1.5], q=2.0) == 1.0
    assert spike_train_distance([1.0], [5.0], q=2.0) == 2.0
    assert spike_train_distance([1.0, 2.0, 3.0], [9.0], q=0.0) == 2.0


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: edit_distance("a", "b", insert=0.0),
        lambda: edit_distances(["a", float("nan")]),  # type: ignore[list-item]
        lambda: edit_distance("a", "b", exchange=float("inf")),
        lambda: spike_train_distance([1.0], [2.0], q=-1.0),
        lambda: spike_train_distance([float("nan")], [2.0]),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(wrong):
    with pytest.raises((DataError, ParamError)) as caught:
        wrong()
    assert is_sentence(str(caught.value))
