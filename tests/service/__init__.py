"""Workers, jobs, limits, results."""
