"""What a browser may find again after the server was restarted, on disk, so that nobody else can
read it: neither who gets the disk or a backup, nor another browser, nor this server by itself.

The key is the secret of the browser, which no file holds. From it come the name of a folder and the
key of AES-256-GCM; the place of a file is sealed with what is in it, so that a file that was
changed, or put in the place of another, is not opened. What is left to a thief of the disk are
sizes, counts and times.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from secrets import token_bytes, token_hex
from typing import NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from service.database import folder
from service.limits import current_limits

LOG = logging.getLogger(__name__)

FOLDER = "kept"  # beside the database of shared runs
FORMAT = b"mlscope kept 1\n"  # what every file begins with
NONCE = 12  # bytes
KIND = 16  # first digits of the name of a file, which those of one kind have in common
SHARE = 4  # a browser may use this part of the whole room
MOST_FILES = 10_000  # all are looked through at each writing, while every other one waits
TIDY_SECONDS = 600.0  # between searches for what is too old
PLACE, FILE = re.compile(r"[0-9a-f]{64}"), re.compile(r"[0-9a-f]{64}(\.new)?")


class _File(NamedTuple):
    path: Path
    size: int
    used: float


class Vault:
    """Files by browser and name in a folder; those that were not used for longest go first."""

    def __init__(
        self,
        folder: Path,
        most_bytes: float,
        seconds: float,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._folder, self._most, self._seconds, self._clock = folder, most_bytes, seconds, clock
        self._lock = threading.Lock()
        self._tidied = -TIDY_SECONDS

    def put(self, browser: str, name: str, content: bytes) -> bool:
        """Keep this for a browser, "" for none, in the place of what had the name. Whether it is
        kept: not where there is no room for it, be it that the disk is full."""
        if not browser or not self._seconds:
            return False
        path = self._path(browser, name)
        sealed = self._sealed(browser, path, content)
        if len(sealed) > self._most / SHARE:
            return False
        half = path.with_name(f"{token_hex(32)}.new")
        try:
            self._write(half, sealed)
            with self._lock:
                self._make_room({path, half}, len(sealed))
                os.replace(half, path)
        except OSError as error:
            _removed(half)
            LOG.warning("What a browser brought could not be kept on disk: %s", error)
            return False
        return True

    def get(self, browser: str, name: str) -> bytes | None:
        """What this browser has under a name; from now on it is kept as long again."""
        if not browser or not self._seconds:
            return None
        return self._opened(browser, self._path(browser, name))

    def every(self, browser: str, kind: str, besides: Iterable[str] = ()) -> Iterator[bytes]:
        """All that this browser has under names that begin with a kind, without these names, the
        last used first."""
        if not browser or not self._seconds:
            return
        self.tidy()
        others = {self._path(browser, name).name for name in besides}
        begin = self._path(browser, kind).name[:KIND]
        files = sorted(self._files(self._place(browser)), key=lambda file: -file.used)
        for file in files:
            name = file.path.name
            if not name.startswith(begin) or name in others:
                continue
            if (content := self._opened(browser, file.path)) is not None:
                yield content

    def delete(self, browser: str) -> bool:
        """Remove all that a browser has; whether nothing is left of it."""
        if not browser:
            return True
        with self._lock:
            gone = [_removed(file.path) for file in self._files(self._place(browser))]
            _remove_if_empty(self._place(browser))
        return all(gone)

    def tidy(self) -> None:
        """Remove what was not used for too long, and what a server that ended half-way left."""
        with self._lock:
            now = self._clock()
            if now - self._tidied < TIDY_SECONDS:
                return
            self._tidied = now
            for file in self._all():
                half_written = file.path.suffix and now - file.used > TIDY_SECONDS
                if now - file.used > self._seconds or half_written:
                    _removed(file.path)
                    _remove_if_empty(file.path.parent)

    def _opened(self, browser: str, path: Path) -> bytes | None:
        """What is in a file, which takes as long as it is large: nobody waits for it."""
        try:
            with path.open("rb") as file:
                told = os.fstat(file.fileno())
                if self._clock() - told.st_mtime > self._seconds:
                    return None
                content = file.read()
                os.utime(file.fileno(), (now := self._clock(), now))
        except OSError:  # there is none, or it was removed at this moment
            return None
        return self._unsealed(browser, path, content, told.st_ino)

    def _sealed(self, browser: str, path: Path, content: bytes) -> bytes:
        nonce = token_bytes(NONCE)
        return FORMAT + nonce + AESGCM(_key(browser)).encrypt(nonce, content, _where(path))

    def _unsealed(self, browser: str, path: Path, content: bytes, number: int) -> bytes | None:
        """What was sealed at this place by this browser; None, and no file, for anything else.

        `number` is that of the file, as another may have taken its place meanwhile.
        """
        head = len(FORMAT) + NONCE
        try:
            if not content.startswith(FORMAT) or len(content) < head:
                raise InvalidTag
            nonce = content[len(FORMAT) : head]
            return AESGCM(_key(browser)).decrypt(nonce, content[head:], _where(path))
        except InvalidTag:
            LOG.warning("A kept file was changed since it was written, and is removed: %s", path)
            with self._lock, suppress(OSError):
                if path.stat().st_ino == number:
                    _removed(path)
            return None

    def _make_room(self, besides: set[Path], size: int) -> None:
        """Let go of what was not used for longest: of this browser, then of all; never of the file
        that comes, nor of the one in whose place."""
        place = next(iter(besides)).parent
        files = [file for file in self._all() if file.path not in besides]
        own = [file for file in files if file.path.parent == place]
        gone = _let_go(own, self._most / SHARE - size, MOST_FILES // SHARE - 1)
        left = [file for file in files if file not in gone]
        _let_go(left, self._most - size, MOST_FILES - 1)

    def _write(self, half: Path, sealed: bytes) -> None:
        """A file that nobody looks for yet, readable for this server alone."""
        with self._lock:  # or its folder would go while it is empty
            half.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            opened = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(opened, "wb") as out:
            out.write(sealed)
        os.utime(half, (now := self._clock(), now))

    def _place(self, browser: str) -> Path:
        return self._folder / _derived(browser, "place").hex()

    def _path(self, browser: str, name: str) -> Path:
        kind = _hash(browser, name.partition(" ")[0])[:KIND]
        return self._place(browser) / f"{kind}{_hash(browser, name)[KIND:]}"

    def _all(self) -> list[_File]:
        """Every file, whoever has it."""
        return [file for place in _listed(self._folder, PLACE) for file in self._files(place)]

    def _files(self, place: Path) -> list[_File]:
        """The files of one browser."""
        files = []
        for path in _listed(place, FILE):
            try:
                told = path.stat()
            except OSError:  # another server removed it
                continue
            files.append(_File(path, told.st_size, told.st_mtime))
        return files


def _listed(folder: Path, pattern: re.Pattern[str]) -> list[Path]:
    """What is in a folder and named by us: nothing else there is touched."""
    try:
        return [path for path in folder.iterdir() if pattern.fullmatch(path.name)]
    except OSError:  # nothing was ever kept
        return []


def _let_go(files: list[_File], most: float, most_files: int) -> list[_File]:
    """Remove the longest unused until the others are at most so many, of so many bytes together;
    those that went."""
    used, gone = sum(file.size for file in files), []
    for file in sorted(files, key=lambda file: file.used):
        if used <= most and len(files) - len(gone) <= most_files:
            break
        used -= file.size
        gone.append(file)
        _removed(file.path)
        _remove_if_empty(file.path.parent)
    return gone


def _removed(path: Path) -> bool:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        LOG.warning("A kept file could not be removed: %s", error)
        return False
    return True


def _remove_if_empty(place: Path) -> None:
    with suppress(OSError):  # something is in it, or it is not there
        place.rmdir()


def _hash(browser: str, name: str) -> str:
    """A name as nobody can guess it who has not the key: it may be the digest of a known table."""
    return hashlib.blake2b(name.encode(), key=_derived(browser, "name"), digest_size=32).hexdigest()


def _where(path: Path) -> bytes:
    """What is sealed with a file, so that it opens at its own place alone."""
    return FORMAT + f"{path.parent.name}/{path.name}".encode()


def _key(browser: str) -> bytes:
    return _derived(browser, "key")


def _derived(browser: str, use: str) -> bytes:
    """A secret for one use: none of them tells another, or the one that they come from."""
    info = f"mlscope kept {use}".encode()
    return HKDF(SHA256(), 32, salt=None, info=info).derive(browser.encode())


@cache
def vault() -> Vault | None:
    """The one of this installation; None where it keeps nothing on disk."""
    limits = current_limits()
    if not limits.keep_days:
        return None
    most, seconds = limits.keep_mb * 2**20, limits.keep_days * 86400
    return Vault(folder(os.environ) / FOLDER, most, seconds)
