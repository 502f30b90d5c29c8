"""Numbers of rows in a short line: 3-7, 12, 40-52; they count from 1, as people do."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from mlcore.spine.errors import ParamError

LONGEST = 6000  # letters: what a link can hold beside everything else
SPAN = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


def written(numbers: Iterable[int]) -> str:
    """Row numbers, from 0, as spans that count from 1: the inverse of `read`."""
    rows = np.unique(np.asarray(list(numbers), dtype=np.int64)) + 1
    if not len(rows):
        return ""
    breaks = np.flatnonzero(np.diff(rows) > 1)
    first, last = rows[np.append(0, breaks + 1)], rows[np.append(breaks, len(rows) - 1)]
    spans = zip(first.tolist(), last.tolist(), strict=True)
    return ",".join(f"{a}" if a == b else f"{a}-{b}" for a, b in spans)


def read(text: str) -> np.ndarray:
    """The spans of rows that a text says, (m, 2): first row, from 0, and the one behind the last.

    They rise and do not touch; none is written out, for one may hold millions. Raises ParamError
    for anything else.
    """
    spans: list[tuple[int, int]] = []
    for first, end in sorted(_span(part) for part in filter(None, map(str.strip, text.split(",")))):
        if spans and first <= spans[-1][1]:
            spans[-1] = spans[-1][0], max(end, spans[-1][1])
        else:
            spans.append((first, end))
    return np.array(spans, dtype=np.int64).reshape(-1, 2)


def _span(text: str) -> tuple[int, int]:
    match = SPAN.fullmatch(text)
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not 1 <= first <= last:
        raise ParamError(f"Rows are written as 3-7, 12, 40-52, counted from 1; got {text[:40]!r}.")
    return first - 1, last


def inside(spans: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Which row numbers, (n,), lie in one of the spans, (m, 2): shape (n,)."""
    at = np.searchsorted(spans[:, 0], numbers, side="right") - 1
    return (at >= 0) & (numbers < np.append(spans[:, 1], 0)[at])
