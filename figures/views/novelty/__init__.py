"""Pictures of what is usual and what is not."""
