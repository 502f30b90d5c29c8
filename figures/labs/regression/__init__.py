"""Pictures of the labs on regression."""
