"""Descriptions of rows before anything is fitted to them: moments, norms, information."""
