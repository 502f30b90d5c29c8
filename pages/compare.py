"""Compare: several methods on the same folds, and whether their differences are real."""

from ui.compare.page import compare_page

compare_page()
