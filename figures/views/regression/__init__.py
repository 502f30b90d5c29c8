"""Pictures of regression."""
