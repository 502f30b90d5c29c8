"""Subsets of variables: how they are scored, how they are searched, how steady the choice is."""
