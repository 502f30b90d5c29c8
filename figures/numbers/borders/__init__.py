"""Borders between classes: planes and conics in units of the table."""
