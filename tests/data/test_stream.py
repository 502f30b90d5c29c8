"""What a method that learns step by step sees of the rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlcore.data.sampling.stream import stream
from mlcore.spine.errors import DataError, ParamError
from tests.contract.subjects import is_sentence

ORDERED = st.sampled_from(["shuffled", "file", "sorted"])


@given(st.integers(1, 30), st.integers(1, 9), st.integers(1, 3), ORDERED)
def test_every_pass_has_every_row_once(n, size, passes, order):
    y = np.arange(n) % 3
    seen = list(stream(n, batch_size=size, order=order, passes=passes, y=y))
    assert [batch.update for batch in seen] == list(range(1, len(seen) + 1))
    for epoch in range(1, passes + 1):
        parts = [batch.rows for batch in seen if batch.epoch == epoch]
        assert sorted(np.concatenate(parts)) == list(range(n))
        assert all(len(part) == size for part in parts[:-1])


@pytest.mark.parametrize(("scheme", "updates"), [("online", 10), ("minibatch", 3), ("batch", 1)])
def test_a_scheme_says_how_many_updates_a_pass_has(scheme, updates):
    assert len(list(stream(10, scheme, batch_size=4))) == updates


def test_orders():
    first = [batch.rows[0] for batch in stream(5, "online", order="file")]
    assert first == [0, 1, 2, 3, 4]
    by_class = [b.rows[0] for b in stream(4, "online", order="sorted", y=["b", "a", "b", "a"])]
    assert by_class == [1, 3, 0, 2]
    one, other = (batch.rows.tolist() for batch in stream(20, "batch", passes=2))
    assert one != other
    drawn = next(stream(1000, "batch", order="with_replacement")).rows
    assert len(drawn) == 1000
    assert len(set(drawn.tolist())) / 1000 == pytest.approx(1 - np.exp(-1), abs=0.04)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: stream(0),
        lambda: stream(5, batch_size=0),
        lambda: stream(5, passes=0),
        lambda: stream(5, "active"),
        lambda: stream(5, order="random"),
        lambda: stream(5, order="sorted"),
        lambda: stream(5, y=[1, 2]),
    ],
)
def test_what_cannot_be_is_refused_before_the_first_batch(wrong):
    with pytest.raises((DataError, ParamError)) as caught:
        wrong()
    assert is_sentence(str(caught.value))
