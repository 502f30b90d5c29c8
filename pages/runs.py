"""Runs: what this session carried out, as a table, two side by side, and what came from what."""

from ui.runs.page import runs_page

runs_page()
