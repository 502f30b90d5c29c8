"""Reading text, workbooks and Parquet files into a table, and saying what was decided."""

from mlcore.data.importing.bounds import BOUNDS, Bounds
from mlcore.data.importing.decisions import Decisions
from mlcore.data.importing.reading import read, read_sheets
from mlcore.data.importing.report import Decision, Imported, Note, Ragged, Report

__all__ = [
    "BOUNDS",
    "Bounds",
    "Decisions",
    "Imported",
    "Note",
    "Ragged",
    "Report",
    "Decision",
    "read",
    "read_sheets",
]
