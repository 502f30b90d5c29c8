"""Settings that several losses share."""

from __future__ import annotations

from typing import Any

from mlcore.spine.params import real


def quantile_level() -> Any:
    """The quantile q that the pinball loss looks for."""
    return real(
        0.9,
        above=0.0,
        below=1.0,
        soft=(0.05, 0.95),
        symbol="q",
        doc="Share of the targets that are to lie below the prediction.",
    )
