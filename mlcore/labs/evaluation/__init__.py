"""Labs on scores and how they are come by."""
