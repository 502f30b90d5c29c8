"""What must be true of linear discriminants that leave wild rows out."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.classification.fisher import Fisher
from mlcore.classification.lda import LDA
from mlcore.spine.errors import ParamError


@pytest.mark.parametrize("make", [LDA, Fisher])
def test_wild_rows_turn_no_axis(make):
    """A tenth of both classes lies far off along the axis that parts them; the others decide."""
    rng = np.random.default_rng(5)
    C = np.array([[2.0, 1.2], [1.2, 1.0]])
    X, y = rng.multivariate_normal([0, 0], C, 6000), np.repeat([0, 1], 3000)
    X[y == 1] += [2.0, 0.0]
    wild = X.copy()
    wild[::10] += [0.0, 60.0]
    direction = np.linalg.solve(C, [2.0, 0.0])
    truth = direction / np.sqrt(direction @ C @ direction)  # of unit variance within classes
    fit = make(trim=0.25).fit(wild, y)
    np.testing.assert_allclose(fit.axes[0], truth, atol=0.08)
    assert fit.notes[0].startswith(tuple(str(k) for k in range(600, 800)))
    assert np.abs(make().fit(wild, y).axes[0] - truth).max() > 0.3
    np.testing.assert_allclose(make().fit(X, y).axes[0], truth, atol=0.08)
    w = rng.integers(0, 3, 400)
    some = slice(2800, 3200)
    repeated = make(trim=0.2).fit(np.repeat(wild[some], w, 0), np.repeat(y[some], w))
    weighed = make(trim=0.2).fit(wild[some], y[some], weights=w)
    np.testing.assert_allclose(weighed.axes, repeated.axes, rtol=1e-8)


def test_there_is_no_trimmed_spread_of_all_rows():
    with pytest.raises(ParamError, match="Choose pooled"):
        Fisher(within="total", trim=0.1)
