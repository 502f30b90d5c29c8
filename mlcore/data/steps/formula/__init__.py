"""Formulas over the columns of a table: read into a small tree, worked out by numpy."""

from mlcore.data.steps.formula.reading import LONGEST, FormulaError, names_in, read
from mlcore.data.steps.formula.working import truths, worked_out

__all__ = ["LONGEST", "FormulaError", "names_in", "read", "truths", "worked_out"]
