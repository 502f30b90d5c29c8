"""What every lab is: one idea with controls, whose numbers follow from its settings and a seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from mlcore.spine.component import Component
from mlcore.spine.params import integer


@dataclass(frozen=True, kw_only=True)
class Lab(Component):
    """One idea with its controls.

    `tasks` says what to do, one sentence each; `seen` what one should then see. The card names the
    pages that show it. The numbers are drawn by the module of the same name in `figures.labs`.
    """

    tasks: ClassVar[tuple[str, ...]] = ()
    seen: ClassVar[str] = ""

    def clicked(self, marks: tuple[int, ...]) -> Self:
        """The lab after a click on these marks, which its pictures have numbered; as it is, if none
        of its pictures has such marks."""
        return self

    def compute(self, seed: int = 0) -> Any:
        """The numbers of these settings, as a named tuple; equal seeds give equal bits."""
        raise NotImplementedError


def row_count(
    default: int,
    soft: tuple[int, int],
    *,
    low: int | None = None,
    high: int | None = None,
    doc: str = "Rows in all.",
) -> int:
    """Declare how many rows a lab draws, on a log scale; the slider ends at `soft`."""
    return integer(
        default,
        low=soft[0] if low is None else low,
        high=soft[1] if high is None else high,
        soft=soft,
        log=True,
        label="Rows",
        doc=doc,
    )
