"""Compiled loops of bandits whose rewards depend on the arm alone."""
