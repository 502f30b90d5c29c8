"""Rows of classes."""
