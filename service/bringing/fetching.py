"""A file from an address, fetched in a worker: to public machines alone, and within bounds.

The name is asked for once, and the connection is made to the address that was looked at, so that no
second answer can lead elsewhere. Redirections are followed here, each looked at as the first. No
cookie, no password and no proxy of the machine is used. Bytes are counted while they come, and one
clock runs over all of it: a server that sends a letter a second is not waited for.
"""

from __future__ import annotations

import socket
import ssl
import threading
import time
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import NamedTuple
from urllib.parse import urljoin

from mlcore.data.unpacking import Unpacker
from mlcore.spine.errors import FileError
from service.bringing import addresses, networks
from service.bringing.addresses import Place

SECONDS = 60.0  # for all of it
PATIENCE = 15.0  # for a connection
MOST_REDIRECTIONS = 5
REDIRECTIONS = (301, 302, 303, 307, 308)
CHUNK = 64 * 1024
AGENT = "MLScope (a table for a person; at most one request a press)"
NO_TABLES = ("image/", "audio/", "video/", "font/", "model/", "multipart/")
SIGN_IN = "accounts.google.com"


class Fetched(NamedTuple):
    """What came, from where in the end, and what the server says it is."""

    content: bytes
    place: str  # the address that was asked for, without its query
    name: str
    kind: str


class Bounds(NamedTuple):
    """What may be fetched: bytes, seconds for all of it, ports, and where, for tests."""

    size: int
    seconds: float = SECONDS
    ports: tuple[int, ...] = addresses.OPEN_PORTS
    open_to: tuple[tuple[str, int], ...] = ()  # (address, port) although it is not public


def fetch(text: str, bounds: Bounds) -> Fetched:
    """The file at an address. Raises FileError, with a sentence, where it is not to be had."""
    end = time.monotonic() + bounds.seconds
    at = asked = addresses.read(text, bounds.ports)
    for _ in range(MOST_REDIRECTIONS + 1):
        with _asked(at, end, bounds.open_to) as response:
            if response.status not in REDIRECTIONS:
                return _taken(response, at, asked, bounds)
            at = _next(at, response.getheader("Location"), bounds)
    raise FileError(
        f"{asked.told} leads on more than {MOST_REDIRECTIONS} times. Give the address of the file "
        "itself."
    )


def _next(at: Place, location: str | None, bounds: Bounds) -> Place:
    """Where a redirection leads: looked at as an address that a person wrote."""
    if not location:
        raise FileError(f"{at.told} leads on and does not say where to.")
    there = addresses.place(urljoin(str(at), location), bounds.ports)
    if there.host == SIGN_IN:
        raise FileError(
            "This sheet is open to people who sign in alone. Share it with anyone who has the "
            "link, or bring it as a file."
        )
    if at.scheme == "https" and there.scheme == "http":
        raise FileError(f"{at.told} leads from an encrypted address to one that is not.")
    return there


@contextmanager
def _asked(at: Place, end: float, open_to: Collection[tuple[str, int]]) -> Iterator[HTTPResponse]:
    """The answer to one request, until it is read; FileError where none comes in time."""
    address = networks.resolved(at.host, at.port, open_to)
    left = end - time.monotonic()
    if left <= 0:
        raise _late(at)
    try:
        connected = socket.create_connection((address, at.port), min(left, PATIENCE))
    except OSError as error:
        raise FileError(
            f"{at.host} does not answer ({_reason(error)}). Try again later."
        ) from error
    line = _Line(connected, end)
    try:
        line.encrypt(at)
        connection = HTTPConnection(at.host, at.port)
        connection.sock = line.socket
        connection.request("GET", at.path, headers=_headers(at))
        yield connection.getresponse()
    except FileError as error:
        raise _late(at) if line.ended(error.__cause__) else error from error.__cause__
    except (OSError, HTTPException, ValueError) as error:
        raise _late(at) if line.ended(error) else _broken(at, error) from error
    finally:
        line.close()
    if line.is_cut:  # what has no announced length ends as if it were whole
        raise _late(at)


class _Line:
    """A connection that is cut when its time is over, wherever its reader waits."""

    def __init__(self, connected: socket.socket, end: float) -> None:
        self.socket, self.is_cut = connected, False
        self._clock = threading.Timer(max(0.0, end - time.monotonic()), self._cut)
        self._clock.daemon = True
        self._clock.start()

    def encrypt(self, at: Place) -> None:
        """Speak TLS from now on, where the address says so."""
        if at.scheme == "https":
            context = ssl.create_default_context()
            # Not at once: the handshake is on the clock too, which must know the new socket.
            self.socket = context.wrap_socket(
                self.socket, server_hostname=at.host, do_handshake_on_connect=False
            )
            self.socket.do_handshake()

    def ended(self, error: BaseException | None) -> bool:
        """Whether its time was over: it was cut, or a reader's own clock ended first."""
        return self.is_cut or isinstance(error, TimeoutError)

    def close(self) -> None:
        """Let go of it."""
        self._clock.cancel()
        self.socket.close()

    def _cut(self) -> None:
        self.is_cut = True
        with suppress(OSError):  # closed meanwhile
            socket.socket.shutdown(self.socket, socket.SHUT_RDWR)


def _headers(at: Place) -> dict[str, str]:
    return {
        "Host": str(at._replace(path="")).partition("//")[2],
        "User-Agent": AGENT,
        "Accept": "text/csv, text/*, application/*, */*;q=0.1",
        "Accept-Encoding": "identity",
        "Connection": "close",
    }


def _taken(response: HTTPResponse, at: Place, asked: Place, bounds: Bounds) -> Fetched:
    """The body of the last answer, if it may be a table."""
    if response.status != 200:
        raise FileError(
            f"{at.told} answers {response.status} {response.reason[:60]}. Check that the address "
            "is right and open to everybody."
        )
    kind = (response.getheader("Content-Type") or "").partition(";")[0].strip().lower()
    if kind.startswith(NO_TABLES):
        raise FileError(f"{at.told} is {kind[:60]} and no table.")
    announced = response.getheader("Content-Length") or ""
    if announced.isdecimal() and int(announced[:19]) > bounds.size:
        raise _large(at, bounds)
    packing = (response.getheader("Content-Encoding") or "identity").strip().lower()
    content = _body(response, at, packing, bounds)
    if announced.isdecimal() and packing == "identity" and len(content) < int(announced[:19]):
        raise _broken(at, OSError("it ended before all had come"))
    return Fetched(content, asked.told, asked.name, kind)


def _body(response: HTTPResponse, at: Place, packing: str, bounds: Bounds) -> bytes:
    """All that comes, counted as it comes and as it unpacks."""
    unpack = _Unpacking(packing, at)
    parts: list[bytes] = []
    size = came = 0
    while chunk := response.read1(CHUNK):
        came += len(chunk)
        part = unpack(chunk, bounds.size + 1 - size)
        size += len(part)
        parts.append(part)
        if size > bounds.size or came > bounds.size:
            raise _large(at, bounds)
    unpack.end()
    return b"".join(parts)


class _Unpacking:
    """Takes off the packing for the way, which some servers use although nobody asked for it."""

    def __init__(self, packing: str, at: Place) -> None:
        if packing not in ("identity", "gzip", "x-gzip", "deflate"):
            raise FileError(f"{at.told} comes packed as {packing[:40]!r}, which nobody asked for.")
        self._at = at
        is_packed, is_gzip = packing != "identity", "gzip" in packing
        self._unpacker = Unpacker(is_gzip=is_gzip) if is_packed else None

    def __call__(self, chunk: bytes, most: int) -> bytes:
        """What a piece holds, at most so many bytes of it."""
        if self._unpacker is None:
            return chunk
        try:
            return self._unpacker(chunk, most)
        except zlib.error as error:
            raise _broken(self._at, error) from error

    def end(self) -> None:
        """Check that all has come."""
        if self._unpacker is not None and not self._unpacker.is_whole:
            raise _broken(self._at, OSError("it ended before all had come"))


def _large(at: Place, bounds: Bounds) -> FileError:
    return FileError(
        f"{at.told} has more than the {bounds.size / 2**20:,.0f} MB that may be fetched. Bring a "
        "sample of its rows."
    )


def _late(at: Place) -> FileError:
    return FileError(f"{at.told} did not come within the time allowed. Try again, or bring a file.")


def _broken(at: Place, error: Exception) -> FileError:
    return FileError(f"{at.told} cannot be fetched ({_reason(error)}). Try again, or bring a file.")


def _reason(error: Exception) -> str:
    if isinstance(error, ssl.SSLError):
        return "its certificate or its encryption is not valid"
    reason = error.strerror if isinstance(error, OSError) else None
    return (reason or str(error) or type(error).__name__)[:80]
