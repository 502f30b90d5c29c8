"""Distances of many rows at once, column by column."""
