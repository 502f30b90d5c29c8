"""Pictures of scores and how they are come by."""
