"""Pictures of the labs on dimensionality reduction."""
