"""Search in the catalogue: by title, name, synonym, then text, with the reason of each match."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

Entry = Mapping[str, Any]

# Of equally good matches those come first that a person can open and run; a synonym is as good as a
# title.
KINDS = ("page", "method", "lab", "guide", "view", "part", "function", "data", "run")
TITLE, SYNONYM, NEAR_TITLE, NEAR_NAME, NEAR_SYNONYM, TEXT = range(6)
# One spelling of words that are written in several ways.
_SPELLINGS = (("iz", "is"), ("yz", "ys"), ("neighbor", "neighbour"), ("color", "colour"))


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


def _match(entry: Entry, words: list[str]) -> Hit | None:
    """How an entry answers these words, or None."""
    title, name, names = entry["title"], entry["name"], synonyms_of(entry)
    if _same(title, words) or _same(name, words):
        return Hit(entry, TITLE)
    if matching := [text for text in names if _same(text, words)]:
        return Hit(entry, SYNONYM, f"also called: {matching[0]}")
    if _has(title, words):
        return Hit(entry, NEAR_TITLE)
    if _has(name, words):
        return Hit(entry, NEAR_NAME, f"its name is {name}")
    if matching := [text for text in names if _has(text, words)]:
        return Hit(entry, NEAR_SYNONYM, f"also called: {matching[0]}")
    fields = ("title", "name", "summary", "paper", "family", "peer")
    every = " ".join([*(str(entry[field]) for field in fields), *names])
    return Hit(entry, TEXT, "in its description") if _has(every, words) else None


def synonyms_of(entry: Entry) -> tuple[str, ...]:
    """Other names of an entry: declared ones, names in coverage lists, and its peer's."""
    listed = (name.rpartition(":")[2] for name in entry["also"])
    peer = entry["peer"].rpartition(".")[2]
    return (*entry["synonyms"], *((peer,) if peer else ()), *listed)


def _words(text: str) -> list[str]:
    """The words of a text in one spelling; `k-means++` is k, means++."""
    text = text.lower().replace("'s", "")
    for other, ours in _SPELLINGS:
        text = text.replace(other, ours)
    return re.findall(r"[^\W_]+\+*", text)


def _same(text: str, words: list[str]) -> bool:
    """Whether a text is these words, however they are joined: `StandardScaler`, `one hot`."""
    return bool(words) and "".join(_words(text)) == "".join(words)


def _has(text: str, words: list[str]) -> bool:
    """Whether every word begins a word of the text."""
    there = _words(text)
    return all(any(one.startswith(word) for one in there) for word in words)
