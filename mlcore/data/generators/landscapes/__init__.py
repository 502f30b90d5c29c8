"""Functions to be minimised, as tables."""
