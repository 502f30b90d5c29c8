"""Maps to fewer dimensions."""

ENTRIES: dict[str, dict[str, str]] = {}
