"""Pictures of the labs on sequences."""
