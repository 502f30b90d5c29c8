"""A model and the rows of another table: its columns found again, and what the model says."""
