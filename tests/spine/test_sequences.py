"""Rows in sequences: how a data set knows them, and who is told of them."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.regression.scaled_target import ScaledTarget
from mlcore.spine.errors import DataError
from tests.changes import Changes, entered


@pytest.fixture(autouse=True, scope="module")
def _in_the_catalogue():
    with entered():
        yield


def test_a_method_that_takes_sequences_stands_in_no_other():
    outer = ScaledTarget(regressor=Changes())
    with pytest.raises(DataError, match="Line in changes learns from whole sequences"):
        outer.fit(np.arange(12.0).reshape(6, 2), np.arange(6.0))
