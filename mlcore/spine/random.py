"""Random numbers: one seed, split by name."""

from __future__ import annotations

import zlib

import numpy as np


def generator(seed: int, name: str) -> np.random.Generator:
    """The stream called `name` of a seed: the same whatever else is drawn."""
    # CRC-32 is stable across machines and versions, unlike Python's own hash.
    return np.random.default_rng(np.random.SeedSequence([seed, zlib.crc32(name.encode())]))
