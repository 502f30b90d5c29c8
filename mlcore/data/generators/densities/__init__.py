"""Rows from known distributions, manifolds and sources."""
