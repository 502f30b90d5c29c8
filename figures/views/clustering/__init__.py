"""Pictures of clustering."""
