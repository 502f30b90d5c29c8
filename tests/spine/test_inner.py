"""Methods within methods: what the inner one refuses of an output is refused of the whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mlcore.regression.ridge import Ridge
from mlcore.spine.errors import DataError
from mlcore.spine.inner import fit_outputs, fit_together

X = np.arange(6.0).reshape(3, 2)
GOOD, BAD = np.ones(3), -np.ones(3)


class Positive:
    """Takes positive outputs alone, and learns from them together or one after the other."""

    def applies(self, X: np.ndarray, y: np.ndarray) -> str | None:
        return None if (y > 0).all() else "Positive needs outputs above 0."

    def fit_outputs(self, given: Any) -> Any:
        return lambda y: y.sum()

    def fit_together(self, given: Any) -> Any:
        return tuple(given.target.T)


def test_every_output_is_asked_for():
    given = Ridge()._given(X, GOOD)
    fit = fit_outputs(Positive(), given, GOOD)
    assert fit(GOOD) == 3
    with pytest.raises(DataError, match="above 0"):
        fit(BAD)
    with pytest.raises(DataError, match="above 0"):
        fit_outputs(Positive(), given, BAD)
    with pytest.raises(DataError, match="above 0"):
        fit_together(Positive(), given, np.column_stack([GOOD, BAD]))
    assert len(fit_together(Positive(), given, np.column_stack([GOOD, GOOD]))) == 2
