"""The page of a method: its settings, score, pictures and tabs."""
