"""What an address of a table may look like; a shared Google Sheet is asked for as CSV."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import SplitResult, parse_qs, quote, unquote, urlsplit

from mlcore.spine.errors import FileError

LONGEST = 2000  # letters
PORTS = {"http": 80, "https": 443}
OPEN_PORTS = (80, 443, 8080, 8443)  # of pages; others are those of other services
SHEET = re.compile(r"/spreadsheets(?:/u/\d+)?/d/([A-Za-z0-9_-]{10,})(?:/|$)")
PUBLISHED = re.compile(r"/spreadsheets(?:/u/\d+)?/d/e/([A-Za-z0-9_-]{10,})/pub")
SAFE = "/%:@!$&'()*+,;=~-._?"  # what stays as it is in a path or a query


class Place(NamedTuple):
    """An address in its parts. `path` has the query; nothing of it is a name or a password."""

    scheme: str
    host: str
    port: int
    path: str

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}{self.path}"

    @property
    def told(self) -> str:
        """The address for people and records: a query may hold a secret, and is left out."""
        return str(self).partition("?")[0]

    @property
    def name(self) -> str:
        """What the file is called there, or the host if it has no name."""
        return unquote(self.path.partition("?")[0].rstrip("/").rpartition("/")[2]) or self.host


def place(text: str, ports: tuple[int, ...] = OPEN_PORTS) -> Place:
    """An address as a person wrote it. Raises FileError, with a sentence, where it is none that is
    fetched."""
    text = text.strip()
    if not text:
        raise FileError("There is no address yet. Give one that begins with https://.")
    if len(text) > LONGEST:
        raise FileError(f"An address may have at most {LONGEST:,} letters.")
    if any(c.isspace() or not c.isprintable() or c == "\\" for c in text):
        raise FileError(
            "An address has no spaces, line ends or backslashes. Check what was pasted."
        )
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise FileError(f"{text[:80]!r} is no address: {error}.") from error
    _check(parts, text)
    port = PORTS[parts.scheme] if port is None else port
    if port not in ports:
        raise FileError(f"Port {port} is none of web pages; {', '.join(map(str, ports))} are.")
    query = f"?{parts.query}" if parts.query else ""
    asked = quote(f"{parts.path or '/'}{query}", safe=SAFE)
    return Place(parts.scheme, _host(parts), port, asked)


def _check(parts: SplitResult, text: str) -> None:
    if parts.scheme not in PORTS:
        raise FileError(
            f"{text[:80]!r} begins with none of http:// and https://, and nothing else is fetched."
        )
    if "@" in parts.netloc:
        raise FileError(
            "An address may hold no name and no password: it would stand in the records of the "
            "run. Fetch the file yourself, and bring it."
        )
    if not parts.hostname:
        raise FileError(f"{text[:80]!r} names no machine.")


def _host(parts: SplitResult) -> str:
    host = (parts.hostname or "").rstrip(".")
    if ":" in host:
        return host
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError as error:
        raise FileError(f"{host[:80]!r} is no name of a machine.") from error


def exported(at: Place) -> Place:
    """Where a Google Sheet is handed out as CSV; any other address as it is."""
    if at.host != "docs.google.com":
        return at
    path, _, query = at.path.partition("?")
    asked = parse_qs(query)
    sheet = _sheet(asked)
    if match := PUBLISHED.match(path):
        end = f"&gid={sheet}&single=true" if sheet else ""
        return at._replace(path=f"/spreadsheets/d/e/{match[1]}/pub?output=csv{end}")
    if match := SHEET.match(path):
        end = f"&gid={sheet}" if sheet else ""
        return at._replace(path=f"/spreadsheets/d/{match[1]}/export?format=csv{end}")
    return at


def _sheet(asked: dict[str, list[str]]) -> str:
    number = asked.get("gid", [""])[0]
    return number if number.isascii() and number.isdecimal() else ""


def read(text: str, ports: tuple[int, ...] = OPEN_PORTS) -> Place:
    """The place that is asked for a table: of a sheet, the one that the address has open."""
    at = place(text, ports)
    behind = text.strip().partition("#")[2]
    if at.host == "docs.google.com" and behind.startswith("gid="):
        joint = "&" if "?" in at.path else "?"
        at = at._replace(path=f"{at.path}{joint}gid={quote(behind[4:], safe='')}")
    return exported(at)
