"""Search in the catalogue: by title, name, synonym, then text, with the reason of each match."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import lru_cache
from html import escape
from typing import Any, NamedTuple

Entry = Mapping[str, Any]

# Of equally good matches those come first that a person can open and run; a synonym is as good as a
# title.
KINDS = ("page", "method", "lab", "guide", "view", "part", "function", "data", "run")
TITLE, SYNONYM, NEAR_TITLE, NEAR_SYNONYM, NEAR_NAME, TEXT = range(6)
ALIKE = 0.7  # share of letters that a misspelled word has in common with the one that is meant
# One spelling of words that are written in several ways.
_SPELLINGS = (("iz", "is"), ("yz", "ys"), ("neighbor", "neighbour"), ("color", "colour"))
_FORMULA = re.compile(r"\$\\?([^$]*)\$")
_PIECES = re.compile(r"([^\W_]+\+*)")


class Hit(NamedTuple):
    """An entry that a search found, how well, and why where its title does not show it."""

    entry: Entry
    rank: int
    reason: str = ""


def search(entries: Iterable[Entry], query: str) -> list[Hit]:
    """The entries that a query finds, the best first; all of them for an empty query."""
    words = _words(query)
    hits = [hit for entry in entries if (hit := _match(entry, words))]
    return sorted(hits, key=_order)


def _order(hit: Hit) -> tuple[int, int, int]:
    return max(hit.rank, SYNONYM), KINDS.index(hit.entry["kind"]), hit.rank


def _match(entry: Entry, words: tuple[str, ...]) -> Hit | None:
    """How an entry answers these words, or None."""
    title, name, names = entry["title"], entry["name"], synonyms_of(entry)
    if _same(title, words) or _same(name, words):
        return Hit(entry, TITLE)
    if matching := [text for text in names if _same(text, words)]:
        return Hit(entry, SYNONYM, f"also called: {matching[0]}")
    if _has(title, words):
        return Hit(entry, NEAR_TITLE)
    if matching := [text for text in names if _has(text, words)]:
        return Hit(entry, NEAR_SYNONYM, f"also called: {matching[0]}")
    if _has(name, words):
        return Hit(entry, NEAR_NAME, f"its name is {name}")
    if _has(entry["paper"], words):
        return Hit(entry, TEXT, entry["paper"])
    fields = ("title", "name", "summary", "line", "paper", "family", "peer")
    every = " ".join([*(str(entry[field]) for field in fields), *names])
    if not _has(every, words):
        return None
    return Hit(entry, TEXT, _told(entry, words))


def _told(entry: Entry, words: tuple[str, ...]) -> str:
    """Where the words stand that neither a name nor the author has."""
    if _has(entry["line"], words):
        return "in its description"
    if _has(entry["summary"], words):
        return _FORMULA.sub(r"\1", entry["summary"])
    return (
        f"of the family {entry['family']}" if _has(entry["family"], words) else "in several words"
    )


def marked(text: str, query: str) -> str:
    """A text as HTML, in which the letters that a query asks for are marked."""
    words = _words(query)
    pieces = _PIECES.split(text)  # words and what stands between them, in turns
    return "".join(_marked(piece, words) for piece in pieces)


def _marked(piece: str, words: Iterable[str]) -> str:
    there = "".join(_words(piece))
    if meant := [word for word in words if there.startswith(word)]:
        end = max(map(len, meant))
        return f"<mark>{escape(piece[:end])}</mark>{escape(piece[end:])}"
    return escape(piece)


def nearest(entries: Iterable[Entry], query: str, most: int = 4) -> list[str]:
    """Titles and synonyms that are spelled much like a query, but for the query itself."""
    spelled = {}
    for entry in entries:
        for name in (entry["title"], *entry["synonyms"]):
            spelled.setdefault("".join(_written(name)), name)
            for word in name.split():
                spelled.setdefault("".join(_written(word)), name)
    wanted = "".join(_words(query))
    near = get_close_matches(wanted, list(spelled), n=2 * most + 1, cutoff=ALIKE)
    others = [spelled[each] for each in near if "".join(_written(spelled[each])) != wanted]
    return list(dict.fromkeys(others))[:most]


def finds(text: str, query: str) -> bool:
    """Whether every word of a query begins a word of a text, and there is one."""
    words = _words(query)
    return bool(words) and _has(text, words)


def synonyms_of(entry: Entry) -> tuple[str, ...]:
    """Other names of an entry: declared ones, names in coverage lists, and its peer's."""
    listed = (name.rpartition(":")[2] for name in entry["also"])
    peer = entry["peer"].rpartition(".")[2]
    return (*entry["synonyms"], *((peer,) if peer else ()), *listed)


@lru_cache(maxsize=20_000)
def _written(text: str) -> tuple[str, ...]:
    """The words of a text of the catalogue, which is asked for the same ones at every letter."""
    return _words(text)


def _words(text: str) -> tuple[str, ...]:
    """The words of a text in one spelling; `k-means++` is k, means++."""
    text = text.lower().replace("'s", "")
    for other, ours in _SPELLINGS:
        text = text.replace(other, ours)
    return tuple(re.findall(r"[^\W_]+\+*", text))


def _same(text: str, words: tuple[str, ...]) -> bool:
    """Whether a text is these words, however they are joined: `StandardScaler`, `one hot`."""
    return bool(words) and "".join(_written(text)) == "".join(words)


def _has(text: str, words: tuple[str, ...]) -> bool:
    """Whether every word begins a word of the text."""
    there = _written(text)
    return all(any(one.startswith(word) for one in there) for word in words)
