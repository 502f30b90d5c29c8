"""Pictures of the labs on preparation."""
