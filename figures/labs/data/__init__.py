"""Pictures of the labs on tables."""
