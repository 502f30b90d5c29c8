"""Pictures of preparation."""
