"""Which of the old encodings a text has: the one in which its letters form words."""

from __future__ import annotations

import re
from typing import NamedTuple

# What is read at most to tell an encoding; a few hundred letters decide.
LOOKED_AT = 100_000
WESTERN = "äöüßéèêëàâáãåæçñíìîïóòôõøúùûœ"
CENTRAL = "ąćęłńóśźżáčďéěíňřšťúůýžőűäöüăâîșțĺľŕ"
CYRILLIC = "абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґўјљњђћџ"
# Signs that stand in tables of any language, between words rather than in them.
SIGNS = set("€£¥°±²³µ·§©®«»„“”‚‘’–—…•½¼¾×÷¿¡\u00a0№ªº™†‰√≤≥≈−")
# Single bytes: the encoding and the small letters that texts in it are made of; on equal terms the
# first is taken.
SINGLE = (
    ("cp1252", WESTERN),
    ("latin-1", WESTERN),
    ("cp1250", CENTRAL),
    ("iso-8859-2", CENTRAL),
    ("cp1251", CYRILLIC),
    ("koi8-r", CYRILLIC),
    ("mac-roman", WESTERN),
    ("cp850", WESTERN),
)
# Several bytes: the encoding and the signs that texts in it are made of.
SEVERAL = (
    ("shift_jis", re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")),
    ("euc-jp", re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")),
    ("euc-kr", re.compile(r"[\uac00-\ud7a3]")),
    ("gb18030", re.compile(r"[\u4e00-\u9fff]")),
    ("big5", re.compile(r"[\u4e00-\u9fff]")),
)
# A text of several bytes is hardly one by chance if it has no single byte left over.
LEAST_SHARE = 0.85
# What a sign costs that the language does not use, or that stands where it does not belong.
RARE, ODD_CASE, INSIDE = 1.0, 1.5, 2.0


class Guess(NamedTuple):
    """An encoding and how badly a sign in it fits its place, on average; 0 is perfect."""

    encoding: str
    misfit: float


def guess(data: bytes) -> Guess | None:
    """The encoding in which the letters beyond ASCII fit best; None if it can be none of them."""
    head = _whole_lines(data)
    found = [g for encoding, letters in SINGLE if (g := _single(head, encoding, set(letters)))]
    found += [g for encoding, signs in SEVERAL if (g := _several(head, encoding, signs))]
    return min(found, key=lambda it: it.misfit, default=None)


def _whole_lines(data: bytes) -> bytes:
    """The lines that have bytes beyond ASCII, as far as they are needed."""
    lines = (line for line in re.split(rb"[\r\n]+", data[: 8 * LOOKED_AT]) if not line.isascii())
    kept, size = [], 0
    for line in lines:
        kept.append(line)
        size += len(line)
        if size > LOOKED_AT:
            break
    return b"\n".join(kept) or data[-LOOKED_AT:]


def _single(head: bytes, encoding: str, letters: set[str]) -> Guess | None:
    try:
        text = head.decode(encoding)
    except UnicodeDecodeError:
        return None
    places = [at for at, sign in enumerate(text) if not sign.isascii()]
    costs = [_misfit(text[at - 1 : at], text[at], text[at + 1 : at + 2], letters) for at in places]
    return Guess(encoding, sum(costs) / max(len(costs), 1))


def _misfit(before: str, sign: str, after: str, letters: set[str]) -> float:
    """How badly a sign fits between its neighbours."""
    inside = before.isalpha() and after.isalpha()
    if not sign.isalpha():
        return RARE * (sign not in SIGNS) + INSIDE * inside + RARE * (not sign.isprintable())
    case = ODD_CASE * (sign.isupper() and before.islower())
    return case + RARE * (sign.lower() not in letters)


def _several(head: bytes, encoding: str, signs: re.Pattern[str]) -> Guess | None:
    try:
        text = head.decode(encoding)
    except UnicodeDecodeError:
        return None
    beyond = [sign for sign in text if not sign.isascii()]
    share = sum(map(bool, map(signs.match, beyond))) / max(len(beyond), 1)
    runs = re.findall(r"[^\x00-\x7f]+", text)
    # Accents of Western words pair into one such sign among letters; words of these are longer.
    alone = sum(len(run) == 1 for run in runs) / max(len(runs), 1)
    if share < LEAST_SHARE or alone > 0.5:
        return None
    return Guess(encoding, 1 - share + COMMON[encoding] * _uncommon(beyond, encoding))
