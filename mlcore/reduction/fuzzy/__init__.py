"""Maps of fuzzy sets of neighbours."""
