"""Labs on sequential decision making."""
