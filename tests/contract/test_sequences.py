"""What a method that takes lengths promises, kept by one that is in no catalogue.

It stands for those that come: the promises are those of `test_methods`, asked of every entry.
"""

from __future__ import annotations

import pytest

from tests.changes import Changes
from tests.contract.subjects import Case, Subject, cases
from tests.contract.test_methods import CHECKS

WHOLE = Subject("regression", "changes", Changes)


@pytest.mark.parametrize("case", cases(CHECKS, [WHOLE], {}))
def test_method_of_sequences(case: Case) -> None:
    case.check(case.subject)
