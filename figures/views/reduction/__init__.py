"""Pictures of dimensionality reduction."""
