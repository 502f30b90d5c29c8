"""Pictures of the labs on clustering."""
