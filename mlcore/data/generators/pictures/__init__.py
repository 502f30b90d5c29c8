"""Rows that are pictures."""
