"""Worlds whose states are vectors of numbers, and agents that learn by features of them."""
