"""A table that a person brought: named by its digest, never by a path."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mlcore.data.sources import Origin, Source
from mlcore.data.table import Table
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.params import text

LONGEST_NAME = 200  # letters: a file may be called by more, and a link carries the name
ENDING = ".arrow"  # of a file that holds a table as it was read


@enter(Card("upload", "Uploaded table", ("source",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class Upload(Source):
    """A table from a file, found again by the digest of its content."""

    digest: str = text("", doc="SHA-256 of the table: names, kinds and values.")
    name: str = text("Uploaded table", longest=LONGEST_NAME, doc="Name of the file, for people.")

    @classmethod
    def of(cls, digest: str, file: str) -> Upload:
        """The table of a file, whose name is shortened in its middle if it is very long."""
        end = LONGEST_NAME // 2
        return cls(
            digest=digest,
            name=file if len(file) <= LONGEST_NAME else f"{file[: end - 1]}…{file[-end:]}",
        )

    def conflict(self) -> str | None:
        """Refuse what is no digest."""
        if self.digest and (len(self.digest) != 64 or set(self.digest) - set("0123456789abcdef")):
            return "Uploaded table: digest must be 64 hexadecimal digits."
        return None

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The uploaded table with this digest. Raises DataError if it is not among the uploads."""
        require(self, uploads)
        return Origin(uploads[self.digest], self.name)


def uploaded(component: Component) -> dict[str, Upload]:
    """The uploaded tables that a component needs, by digest."""
    tables = {component.digest: component} if isinstance(component, Upload) else {}
    for part in component.parts():
        tables |= uploaded(part)
    return tables


def require(component: Component, uploads: Container[str]) -> None:
    """Check that every uploaded table that a component needs is among the `uploads`, by digest.

    Raises DataError, with the name of the first that is not.
    """
    for digest, table in uploaded(component).items():
        if digest not in uploads:
            raise DataError(
                f"The table {table.name!r} is not here: uploaded tables stay with the person who "
                "brought them. Upload the same file again to repeat this run."
            )


def uploads(paths: Sequence[str]) -> dict[str, Table]:
    """The tables of files, by digest; every decision is left to the import.

    Files of text, each sheet of a workbook, Parquet, or a table stored as it was read. Raises
    ParamError without any path.
    """
    if not paths:
        raise ParamError("This run needs an uploaded table; name its file as an argument.")
    tables = [table for path in paths for table in _read(Path(path))]
    return {table.digest(): table for table in tables}


def _read(path: Path) -> list[Table]:
    # Reading needs pyarrow, and the component alone does not.
    from mlcore.data import stored
    from mlcore.data.importing import read, read_sheets

    content = path.read_bytes()
    if path.suffix == ENDING:
        return [stored.from_bytes(content)]
    first = read(content, path.name)
    return [first.table, *(imported.table for imported in read_sheets(content, first))]
