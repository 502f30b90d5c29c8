"""Scores within groups of rows, and the measures of fairness between them: of arrays."""
