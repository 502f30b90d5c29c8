"""Labs on tables."""
