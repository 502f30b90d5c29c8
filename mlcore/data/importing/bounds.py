"""What a table may be: how large its file, how much that unpacks to, its rows, columns and cells.

A small file may declare more than a machine holds, so every reader asks here before it makes room.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlcore.spine.errors import FileError

SMALLER = "Bring a sample of its rows."


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """The largest file and table that are read. `rows` of None leaves them to `cells`."""

    file: int = 200 * 2**20  # bytes, as it was brought
    unpacked: int = 2**30  # bytes that its parts, or its texts, take in memory
    rows: int | None = None
    columns: int = 20_000
    cells: int = 50_000_000  # 400 MB of numbers: a million rows of fifty columns
    sheet: int = 25_000_000  # cells of a sheet, each an object by itself while it is read

    def check_file(self, size: int) -> None:
        """Refuse an empty file, and one of too many bytes: raises FileError if it is one."""
        if not size:
            raise FileError(
                "The file is empty. Bring a file with a line of names and rows below it."
            )
        if size > self.file:
            raise FileError(
                f"The file has {size / 2**20:,.0f} MB; at most {self.file / 2**20:,.0f} MB can be "
                f"read here. {SMALLER}"
            )

    def check_unpacked(self, size: float) -> None:
        """Refuse what unpacks to too many bytes: raises FileError if `size` is above the bound."""
        if size > self.unpacked:
            raise FileError(
                f"The file unpacks to more than {self.unpacked / 2**20:,.0f} MB, too much to be "
                f"read here. {SMALLER}"
            )

    def check_rows(self, rows: int) -> None:
        """Refuse a table with too many rows: raises FileError if it has them."""
        if self.rows is not None and rows > self.rows:
            raise FileError(
                f"The table has {rows:,} rows; this installation takes {self.rows:,}. {SMALLER}"
            )

    def check_columns(self, columns: int) -> None:
        """Refuse a table with too many columns: raises FileError if it has them."""
        if columns > self.columns:
            raise FileError(
                f"The file has {columns:,} columns; at most {self.columns:,} can be read. "
                "Leave some out, or exchange rows and columns."
            )

    def check_cells(self, rows: int, columns: int) -> None:
        """Refuse a table with too many cells: raises FileError if it has them."""
        _check("file", rows, columns, self.cells)

    def check_sheet(self, rows: int, columns: int) -> None:
        """Refuse a sheet with too many cells, empty ones too: raises FileError if it has them."""
        _check("sheet", rows, columns, self.sheet)


def _check(what: str, rows: int, columns: int, most: int) -> None:
    if rows * columns > most:
        raise FileError(
            f"The {what} has {rows:,} rows of {columns:,} cells, empty ones among them; at most "
            f"{most:,} cells can be read. Leave out rows or columns, or clear what stands far "
            "from the table."
        )


BOUNDS = Bounds()
