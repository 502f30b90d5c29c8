"""Labs on classification."""
