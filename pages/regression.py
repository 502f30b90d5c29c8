"""Regression: choose a method, move its knobs, see its pictures and scores, step through it."""

from ui.method_page import Page, method_page

PICTURES = (
    "residuals", "output_errors", "fit_plot", "tree_diagram", "coefficients", "importances",
    "coefficient_path", "objective_trace",
)  # fmt: skip

method_page(Page("regression", "Regression", "regression", "ridge", PICTURES))
