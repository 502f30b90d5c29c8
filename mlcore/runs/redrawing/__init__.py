"""A map that is drawn again, from other rows or another start: which places come again."""
