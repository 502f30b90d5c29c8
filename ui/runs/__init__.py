"""Runs of a session: asked for, under way, listed, shared."""
