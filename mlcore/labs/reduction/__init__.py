"""Labs on dimensionality reduction."""
