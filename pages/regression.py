"""Regression: choose a method, move its knobs, see its pictures and scores, step through it."""

from ui.method_page import Page, method_page

PICTURES = ("residuals", "fit_plot", "coefficients", "coefficient_path", "objective_trace")

method_page(Page("regression", "Regression", "regression", "ridge", PICTURES))
