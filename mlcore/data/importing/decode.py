"""From bytes to text: the encoding, and files that are no text."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property

from mlcore.data.importing import foreign
from mlcore.data.importing.alphabets import guesses
from mlcore.data.importing.report import CHOSEN, GUESS, LIKELY, SURE, Decision, Note
from mlcore.spine.errors import FileError

# UTF-32 first: its mark begins with that of UTF-16.
MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
# Text holds tabs, line ends, form feeds and marks between cells of these, and little else.
CONTROLS = {chr(c) for c in range(32)} - set("\t\n\r\f\v\x01\x1f")
MAX_CONTROL_SHARE = 0.01
END_OF_FILE = "\x1a"  # old programs write it behind the last line
WIDEST = 4  # bytes of a character
PLAIN = Decision(
    "encoding",
    "utf-8",
    "It holds unaccented letters only, the same in nearly every encoding.",
    SURE,
)
HEAD = 100_000  # characters that are looked at for what no text has
_PADDING = re.compile(rb"\0++(?=[,;|\t\"\n\r]|\Z)")
LEAST_TEXT = 0.2  # of the bytes; more zeros among the rows are no padding of text
_STRANGE = re.compile("[\udc80-\udcff]")  # how Python keeps a byte that is no UTF-8
FEW_STRANGE = 3  # times as many letters make the rest mistakes


@dataclass(frozen=True)
class Decoded:
    """A text with line ends as "\\n", as UTF-8, and how it was read.

    A large file is read from its bytes, so the text is made when somebody asks for all of it.
    """

    utf8: bytes
    taken: Decision
    notes: tuple[Note, ...] = ()

    @cached_property
    def text(self) -> str:
        """All of it."""
        return self.utf8.decode()

    def head(self, most: int) -> str:
        """The first characters."""
        return self.utf8[: WIDEST * most].decode("utf-8", "ignore")[:most]

    def tail(self, most: int) -> str:
        """The last characters."""
        return self.utf8[-WIDEST * most :].decode("utf-8", "ignore")[-most:]


def decode(data: bytes, encoding: str | None) -> Decoded:
    """The text of a file. Raises FileError if it is no text."""
    foreign.check_bytes(data)
    if encoding is None and _is_plain(data):
        return _checked(Decoded(data, PLAIN))
    text, taken, notes = _decoded(data, encoding)
    is_whole = not text.endswith(END_OF_FILE) and not text.startswith("\ufeff")
    if taken.value == "utf-8" and is_whole and not notes and b"\r" not in data:
        return _checked(Decoded(data, taken))  # a large file is not copied
    text = text.rstrip(END_OF_FILE).removeprefix("\ufeff")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _checked(Decoded(text.encode(), taken, notes))


def _is_plain(data: bytes) -> bool:
    """Whether the bytes are the text already, as those of most large files are."""
    return data.isascii() and b"\r" not in data and b"\0" not in data and data[-1:] != b"\x1a"


def _checked(decoded: Decoded) -> Decoded:
    decoded = _without_padding(decoded)
    head, zero = decoded.head(HEAD), decoded.utf8.find(b"\0")
    if zero >= 0:
        line = decoded.utf8.count(b"\n", 0, zero) + 1
        raise FileError(
            f"This is not a text file: line {line} holds a zero byte, which no text has. Export "
            "the table as CSV."
        )
    if sum(map(head.count, CONTROLS)) > MAX_CONTROL_SHARE * len(head):
        raise FileError(
            "This is not a text file: it holds bytes that no text has. Export the table as CSV."
        )
    return decoded


def _without_padding(decoded: Decoded) -> Decoded:
    """The text without the zero bytes that fill cells or the file up: what is behind them ends."""
    zero = decoded.utf8.find(b"\0")
    if zero < 0:
        return decoded
    bare = _PADDING.sub(b"", decoded.utf8)
    if (
        b"\0" in bare
        or not bare.strip()
        or len(bare) < LEAST_TEXT * len(decoded.utf8.rstrip(b"\0"))
    ):
        return decoded
    line = decoded.utf8.count(b"\n", 0, zero) + 1
    sentence = f"Zero bytes that fill up cells or the file were left out, the first in line {line}."
    return replace(decoded, utf8=bare, notes=(*decoded.notes, Note(sentence, line=line)))


def _decoded(data: bytes, encoding: str | None) -> tuple[str, Decision, tuple[Note, ...]]:
    if encoding is not None:
        return _decoded_as(data, encoding, Decision("encoding", encoding, "You chose it.", CHOSEN))
    for mark, name in MARKS:
        if data.startswith(mark):
            reason = "The file begins with its byte order mark."
            return _decoded_as(data, name, Decision("encoding", name, reason, SURE))
    if name := _wide(data):
        reason = "Every other byte is zero, as in text of two bytes a letter."
        return _decoded_as(data, name, Decision("encoding", name, reason, LIKELY))
    return _guessed(data)


def _decoded_as(
    data: bytes, encoding: str, taken: Decision
) -> tuple[str, Decision, tuple[Note, ...]]:
    try:
        return data.decode(encoding), taken, ()
    except (UnicodeError, ValueError) as error:
        is_utf8 = encoding in ("utf-8", "utf-8-sig")
        if is_utf8 and isinstance(error, UnicodeDecodeError) and _is_mostly_utf8(data, error.start):
            text, note = _patched(data)
            return text, taken, (note,)
        raise FileError(
            f"The file cannot be read as {encoding}: some of its bytes mean nothing there. "
            "Leave the encoding to the import, or choose another."
        ) from None


def _wide(data: bytes) -> str | None:
    """UTF-16 without a mark: in Latin text the upper byte of nearly every letter is zero."""
    head = data[:4000]
    even, odd = head[::2].count(0), head[1::2].count(0)
    if len(data) % 2 or max(even, odd) < 0.4 * len(head) or min(even, odd) > 0.05 * len(head):
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def _guessed(data: bytes) -> tuple[str, Decision, tuple[Note, ...]]:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        if _is_mostly_utf8(data, error.start):
            text, note = _patched(data)
            return (
                text,
                Decision("encoding", "utf-8", "Nearly all its letters are UTF-8.", GUESS),
                (note,),
            )
        return *_by_letters(data, error.start), ()
    if text.isascii():
        return text, PLAIN, ()
    return text, Decision("encoding", "utf-8", "All its bytes are valid UTF-8.", SURE), ()


def _is_mostly_utf8(data: bytes, start: int) -> bool:
    """Whether letters of UTF-8 by far outnumber the bytes that are none, the first at `start`."""
    near = data[max(start - HEAD, 0) : start + HEAD].decode("utf-8", "surrogateescape")
    letters = sum(not sign.isascii() for sign in near)
    strange = len(_STRANGE.findall(near))
    return letters - strange >= FEW_STRANGE * strange


def _patched(data: bytes) -> tuple[str, Note]:
    """The text, bytes that are no UTF-8 read as cp1252, and where the first of these stands."""
    text = data.decode("utf-8", "surrogateescape")
    matches = list(_STRANGE.finditer(text))
    line = text.count("\n", 0, matches[0].start()) + 1
    sentence = (
        f"The file is UTF-8 but for {len(matches)} of its bytes, the first in line {line}; those "
        "were read as Windows-1252. Check the accented letters there."
    )
    return _STRANGE.sub(_as_windows, text), Note(sentence, line=line)


def _as_windows(strange: re.Match[str]) -> str:
    return bytes([ord(strange[0]) - 0xDC00]).decode("cp1252", "replace")


def _by_letters(data: bytes, start: int) -> tuple[str, Decision]:
    """The old encoding in which the letters form words, among those that have all the bytes."""
    reason = "It is not UTF-8; so its letters form words best. Check the accented letters."
    for encoding in guesses(data, start):
        try:
            return data.decode(encoding), Decision("encoding", encoding, reason, GUESS)
        except UnicodeDecodeError:
            continue
    raise AssertionError("Mac Roman gives every byte a meaning")
