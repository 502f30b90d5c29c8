"""Groups in rows."""

ENTRIES: dict[str, dict[str, str]] = {}
