"""Marks and words that pictures share."""
