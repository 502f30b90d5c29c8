"""Random numbers: one seed, split by name."""

from __future__ import annotations

import zlib

import numpy as np


def generator(seed: int, name: str, child: int | None = None) -> np.random.Generator:
    """The stream called `name` of a seed: the same whatever else is drawn.

    Members of an ensemble have one each, `child` 0, 1 ...: it is the same for any number of them,
    and whichever is fitted first.
    """
    # CRC-32 is stable across machines and versions, unlike Python's own hash.
    key = () if child is None else (child,)
    sequence = np.random.SeedSequence([seed, zlib.crc32(name.encode())], spawn_key=key)
    return np.random.default_rng(sequence)
