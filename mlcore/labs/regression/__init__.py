"""Labs on regression."""
