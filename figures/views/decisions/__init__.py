"""Pictures of sequential decision making."""
