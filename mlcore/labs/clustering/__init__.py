"""Labs on clustering."""
