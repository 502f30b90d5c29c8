"""Pictures of the labs on classification."""
