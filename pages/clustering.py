"""Clustering: choose a method, move its knobs, see its groups and scores, step through it."""

from ui.method.page import Page, method_page

method_page(Page("clustering", "Clustering", "groups_and_novelty", "kmeans"))
