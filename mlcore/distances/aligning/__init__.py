"""Sequences of letters made into each other."""
