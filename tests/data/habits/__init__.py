"""Small files as programs write them, each with the table that a careful person reads in it."""
