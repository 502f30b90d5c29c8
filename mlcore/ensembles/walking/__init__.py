"""Rows sent down all trees of an ensemble."""
