"""Sequences: choose a model, see the states behind the rows, what follows what, what comes next."""

from ui.method.page import Page, method_page

method_page(Page("sequences", "Sequences", "sequences", "hmm&data=animal_tracks&preparation="))
