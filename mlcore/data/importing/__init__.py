"""Reading delimited text of any habit into a table, and saying what was decided on the way."""

from mlcore.data.importing.decisions import Decisions
from mlcore.data.importing.reading import MAX_BYTES, read
from mlcore.data.importing.report import Imported, Note, Ragged, Report, Taken

__all__ = [
    "MAX_BYTES",
    "Decisions",
    "Imported",
    "Note",
    "Ragged",
    "Report",
    "Taken",
    "read",
]
