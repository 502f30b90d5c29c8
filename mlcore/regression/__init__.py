"""Rules that predict a number."""

ENTRIES: dict[str, dict[str, str]] = {}
