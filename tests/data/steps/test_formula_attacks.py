"""Formulas that want to break the page: each gives a column or a sentence, at once."""

from __future__ import annotations

import random

import numpy as np
import pytest

from mlcore.data.steps.formula import FormulaError, worked_out
from mlcore.data.steps.formula.functions import FUNCTIONS, SPECIAL
from mlcore.data.table import ColumnData, Table, coded, numeric

N = 24
TINY = [np.nan, 0.0, 1e308, -1e308, 5e-324, 1e-320]
DATES = np.r_[np.linspace(-7e5, 2.9e6, N - 3), np.nan, -719_162, 2_932_896]  # days since 1970
TABLE = Table.of(
    numeric("x", np.r_[TINY, np.linspace(-3, 3, N - len(TINY))]),
    coded("s", (["a", "", "12,5", "=1+1", "é", "8 hours"] * 4)[:N], "nominal"),
    ColumnData("d", "datetime", DATES),
)
LEAVES = ["x", "s", "d", "`s`", "1e308", "0", "-1", "1e999", "9" * 30, "'a'", '"2024-01-01"', "''"]
MARKS = ["+", "-", "*", "/", "^", "**", "<", "<=", "=", "!=", " and ", " or "]
NAMES = [*(name for name in FUNCTIONS if name.isalnum()), *SPECIAL]


def formula(lot: random.Random, depth: int) -> str:
    kind = lot.random()
    if depth == 0 or kind < 0.25:
        return lot.choice(LEAVES)
    if kind < 0.6:
        return formula(lot, depth - 1) + lot.choice(MARKS) + formula(lot, depth - 1)
    if kind < 0.75:
        return lot.choice(["-", "+", "not ", ""]) + f"({formula(lot, depth - 1)})"
    of = ", ".join(formula(lot, depth - 1) for _ in range(lot.choice([1, 1, 1, 2, 2, 3])))
    return f"{lot.choice(NAMES)}({of})"


@pytest.mark.parametrize("seed", range(3))
def test_any_formula_gives_a_column_or_a_sentence(seed):
    """A warning of numpy would be an error here."""
    lot, worked = random.Random(seed), 0
    for _ in range(150):
        try:
            value = worked_out(formula(lot, lot.choice([1, 2, 3])), TABLE)
        except FormulaError:
            continue
        assert len(value.values) in (1, N)
        worked += 1
    assert worked > 30


@pytest.mark.parametrize(
    "text", ["(" * 400 + "x", "-" * 400 + "x", "x" + "^x" * 240, "min(" + "x," * 240 + "x)"]
)
def test_what_is_too_deep_or_too_long_is_a_sentence(text):
    with pytest.raises(FormulaError):
        worked_out(text, TABLE)
