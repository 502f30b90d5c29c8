"""Dimensionality reduction: choose a map, see the rows on it, what it keeps and what it mixes."""

from ui.method.page import Page, method_page

method_page(
    Page(
        "dimensionality_reduction",
        "Dimensionality reduction",
        "reduction",
        "pca&method.n_components=2",
    )
)
