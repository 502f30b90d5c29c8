"""Merges of many pairs of clusters at once."""
