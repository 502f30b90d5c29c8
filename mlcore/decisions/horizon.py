"""How far every world looks ahead: settings that all of them declare alike."""

from __future__ import annotations

from typing import Any

from mlcore.spine.params import integer, real


def discount(default: float = 0.99) -> float:
    """Declare the discount of later rewards."""
    return real(
        default,
        low=0.0,
        high=1.0,
        soft=(0.5, 1.0),
        symbol=r"\gamma",
        label="Discount",
        doc="What a reward one move later is worth.",
    )


def most_moves(default: int | str = 200, *, auto: str = "") -> Any:
    """Declare the moves after which an episode is cut."""
    return integer(
        default,
        auto=auto,
        low=1,
        high=10_000,
        soft=(10, 1000),
        log=True,
        label="Maximum episode length",
        advanced=True,
        doc="Moves after which an episode is cut.",
    )
