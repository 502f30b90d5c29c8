"""Sums of smooth curves: their bases, how strongly they are smoothed, and how they are found."""
