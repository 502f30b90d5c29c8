"""Pictures of classification."""
