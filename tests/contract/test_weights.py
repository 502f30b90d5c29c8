"""What a weight is, as the card says: copies of a row, or its precision."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mlcore.spine.registry import lookup, names
from ui.method.cards import WEIGHTS

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = 5.0 + X @ [1.0, -2.0] + np.sin(3.0 * X[:, 0]) + 0.3 * RNG.normal(size=60)
W = RNG.integers(1, 4, 60).astype(float)
ROWS = np.repeat(np.arange(60), W.astype(int))
# With a bandwidth by rows left out: one of two copies tells of the other.
SETTINGS: dict[str, dict[str, Any]] = {
    "local_regression": {"width": "fixed"},
    "generalised_linear": {"family": "gamma"},
}
SAYING = [
    (slot, name)
    for slot in ("regression", "classification", "novelty")
    for name in names(slot)
    if lookup(slot, name).card.weigh
]


def answers(slot: str, name: str, rows: Any, weights: Any) -> np.ndarray:
    """Predictions, and how sure they or the coefficients are said to be."""
    method = lookup(slot, name)(**SETTINGS.get(name, {}))
    target = {"regression": Y, "classification": (Y > 5.0).astype(int)}.get(slot)
    data = (X[rows],) if target is None else (X[rows], target[rows])
    fit = method.fit(*data, weights=weights, **({"seed": 0} if method.card.random else {}))
    verb = next(v for v in ("decision", "probabilities", "predict") if hasattr(fit, v))
    own = [np.ravel(getattr(fit, verb)(X))]
    sure = [getattr(fit, f, None) for f in ("covariance", "standard_errors")]
    own += [np.ravel(each) for each in sure if each is not None]
    return np.concatenate(own)


@pytest.mark.parametrize(("slot", "name"), SAYING)
def test_a_weight_is_what_the_card_says(slot, name):
    card = lookup(slot, name).card
    assert card.weigh in WEIGHTS
    assert "weights" in card.takes
    every = slice(None)
    weighted, copied = answers(slot, name, every, W), answers(slot, name, ROWS, None)
    as_copies = np.allclose(weighted, copied, rtol=1e-6, atol=1e-8)
    assert as_copies == (card.weigh == "copies")
    if card.weigh == "precisions":
        np.testing.assert_allclose(answers(slot, name, every, 5.0 * W), weighted, rtol=1e-8)
