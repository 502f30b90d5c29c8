"""What every fit promises of its verbs: predictions, groups, coordinates, and what they rest on."""

from __future__ import annotations

import pytest

from mlscope.contract.verbs import CHECKS
from tests.contract.subjects import Case, cases, methods

NO_PREIMAGE = "hardly any point in the space of features is that of a row"
# "check:component" -> why the promise is not kept. Strict: an exception that is not needed fails.
FIRST_OF_EQUALS = "of columns that part the few rows of a node alike, the first is asked about"
CONSTANT = "the baseline that learns nothing from the columns, by definition"
LATER_HALF = "where no column is named, the later half is the second block"
DEAD_UNITS = "a unit of a map may be nearest to no row, and keeps its number"
MANY_UNITS = "a map shares the rows of one group among many units"
EXCEPTIONS: dict[str, str] = {
    "labels_number_the_groups:reduction.som": DEAD_UNITS,
    "groups_do_not_depend_on_the_order:reduction.som": MANY_UNITS,
    "the_way_back_has_the_width_of_the_rows:reduction.kernel_pca": NO_PREIMAGE,
    "what_is_plain_is_learned:classification.constant": CONSTANT,
    "what_is_plain_is_learned:regression.constant_regression": CONSTANT,
    "order_of_columns_does_not_matter:reduction.cca": LATER_HALF,
    "order_of_columns_does_not_matter:regression.regression_tree": FIRST_OF_EQUALS,
}


@pytest.mark.parametrize("case", cases(CHECKS, methods(), EXCEPTIONS))
def test_verb(case: Case) -> None:
    case.check(case.subject)
