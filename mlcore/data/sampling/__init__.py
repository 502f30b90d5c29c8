"""Rows drawn by chance: from rows, from a density, from a generator."""
