"""Methods that ask many members and join what they say."""

ENTRIES: dict[str, dict[str, str]] = {
    "classification": {},
    "regression": {},
}
