"""What every method promises of fitting: the fit, its steps, what it refuses, what it costs."""

from __future__ import annotations

import pytest

from mlscope.contract.methods import CHECKS
from tests.contract.subjects import Case, cases, methods

__all__ = ["CHECKS"]

# "check:component" -> why the promise is not kept. Strict: an exception that is not needed fails.
EXCEPTIONS: dict[str, str] = {}


@pytest.mark.parametrize("case", cases(CHECKS, methods(), EXCEPTIONS))
def test_method(case: Case) -> None:
    case.check(case.subject)
