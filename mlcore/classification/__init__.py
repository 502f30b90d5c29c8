"""Rules that predict a class."""

ENTRIES: dict[str, dict[str, str]] = {}
