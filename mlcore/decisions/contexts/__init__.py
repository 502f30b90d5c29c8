"""Compiled loops of bandits with contexts."""
