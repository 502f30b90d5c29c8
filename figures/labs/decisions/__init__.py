"""Pictures of the labs on sequential decision making."""
