"""Pictures of the labs on scores and how they are come by."""
