"""A sample of all variants: `MLSCOPE_SAMPLE=n` takes sample n; without it all are tried."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TypeVar
from zlib import crc32

import pytest

T = TypeVar("T")
VARIABLE = "MLSCOPE_SAMPLE"


def sample() -> int | None:
    """The number of the sample; None where everything is tried."""
    said = os.environ.get(VARIABLE, "")
    if said and not said.isdecimal():
        raise pytest.UsageError(f"{VARIABLE} must be a whole number from 0; got {said!r}.")
    return int(said) if said else None


def chosen(variants: Iterable[T], of: str) -> list[T]:
    """All variants of an entry; in a sample the first, which is its default, and one other."""
    found = list(variants)
    if sample() is None or len(found) < 3:
        return found
    return [found[0], found[1 + turn(of, len(found) - 1)]]


def turn(of: str, n: int) -> int:
    """Which of `n` it is this time: each once in `n` samples, another one for every name."""
    return ((sample() or 0) + crc32(of.encode())) % n
