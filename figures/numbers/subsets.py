"""A search through subsets of variables, as several pictures show and play it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from figures.recording import Changes, Recording
from mlcore.preparation.capabilities import SearchesVariables
from mlcore.preparation.chain import Prepared
from mlcore.spine.asking import can
from mlcore.spine.wording import listed

NONE = "No step of the preparation searches for variables."


MOST = 40  # variables that a picture of them draws, one a line


def only_some(d: int) -> str:
    """A sentence for pictures that draw the first of many variables; empty where all are drawn."""
    return f" {MOST} of {d} variables are drawn; the numbers are of all." if d > MOST else ""


class Stand(NamedTuple):
    """A subset where the search stands."""

    members: np.ndarray  # (d,)
    value: float  # J
    missed: np.ndarray  # (d,) what J loses without a member; NaN for others and where not scored
    gained: np.ndarray  # (d,) what J gains with one more; NaN for members and where not scored


def search_of(prepared: Prepared) -> SearchesVariables | None:
    """The last step that searches for variables, if there is one."""
    fits: list[Any] = [fit for fit in prepared.fits if can(fit, SearchesVariables)]
    return fits[-1] if fits else None


def answer(fit: SearchesVariables) -> Stand:
    """The subset that is kept."""
    value = float(fit.best[int(fit.chosen.sum())])
    return Stand(fit.chosen, value, fit.missed, fit.gained)


def stands(fit: SearchesVariables) -> list[Stand]:
    """Every subset of the path, then the one that is kept."""
    unknown = np.full(len(fit.variables), np.nan)
    around = fit.path_around if len(fit.path_around) else [unknown] * len(fit.path)
    standings = [
        Stand(
            members,
            float(value),
            np.where(members, value - near, np.nan),
            np.where(members, np.nan, near - value),
        )
        for members, value, near in zip(fit.path, fit.path_values, around, strict=True)
    ]
    return [*standings, answer(fit)]


def player_of(
    fit: SearchesVariables | None, frame: Callable[[Stand], Changes]
) -> Callable[[], Recording] | None:
    """The search step by step: what changes in a picture, J, and who moved; None without steps."""
    if fit is None or len(fit.path) < 2:
        return None

    def recorded() -> Recording:
        every = stands(fit)
        kept = listed([n for n, is_kept in zip(fit.variables, fit.chosen, strict=True) if is_kept])
        sentences = [fit.sentence(step) for step in range(len(fit.path))]
        return Recording(
            frames=[frame(stand) for stand in every],
            objective=np.array([stand.value for stand in every]),
            sentences=[*sentences, f"The search has ended. Kept: {kept}."],
            steps=np.arange(len(every)),
            label="J",
        )

    return recorded
