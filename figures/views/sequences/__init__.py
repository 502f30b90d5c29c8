"""Pictures of sequences: which state when, what follows what, what a state shows."""
