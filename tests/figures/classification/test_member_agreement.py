"""How often members agree, checked on values."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from figures.views.trees import member_agreement

ANSWERS = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 0, 1]])
TRUTH = np.array([0, 0, 0, 1])


def test_shares_are_those_of_equal_answers():
    fit = SimpleNamespace(
        classes=np.arange(2),
        member_names=("a", "b", "c"),
        member_answers=lambda X: ANSWERS,
        predict=lambda X: np.array([0, 0, 1, 1]),
    )
    prepared = SimpleNamespace(X=np.zeros((4, 1)), y=TRUTH)
    a = member_agreement.numbers(fit, SimpleNamespace(prepared=prepared))
    np.testing.assert_allclose(a.shares, [[1, 0.75, 0.75], [0.75, 1, 0.5], [0.75, 0.5, 1]])
    np.testing.assert_allclose(a.right, [0.75, 0.5, 0.5])
    assert (a.united, a.right_united, a.right_split) == (0.5, 0.5, 1.0)
    text = member_agreement.reading(a)
    assert text.startswith("All say the same on 50 % of the rows, and there 50 % are right; where")
    assert text.endswith("b and c differ most, on 50 %.")
