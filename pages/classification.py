"""Classification: choose a method, move its knobs, see its pictures and scores, step through it."""

from ui.method.page import Page, method_page

method_page(Page("classification", "Classification", "classes_and_novelty", "logistic"))
