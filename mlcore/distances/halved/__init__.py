"""Rows in a tree of boxes that halve each other."""
