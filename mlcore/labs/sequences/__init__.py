"""Labs on sequences."""
