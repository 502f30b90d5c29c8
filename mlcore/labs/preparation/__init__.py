"""Labs on preparation."""
