"""Solvers, losses, penalties and schedules."""

ENTRIES: dict[str, dict[str, str]] = {}
