"""What undo and redo walk through: the states that each page was in, and those taken back.

The browser's Back and Forward walk through the same states: one that comes back by its address is
found here, so that both ways of walking agree. No Streamlit here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

KEEP = 50  # states of all pages, each a run and a view
OTHER = {"past": "future", "future": "past"}


@dataclass
class Walks:
    """(page, state) of what was before and of what was taken back, the nearest last."""

    past: list[tuple[str, Any]] = field(default_factory=list)
    future: list[tuple[str, Any]] = field(default_factory=list)

    def can(self, page: str, towards: str) -> bool:
        """Whether there is something to undo ("past") or redo ("future") on a page."""
        return any(of == page for of, _ in getattr(self, towards))

    def left(self, page: str, before: Any) -> None:
        """A page was changed and is no longer in this state; what it took back is given up."""
        self.past = [*self.past, (page, before)][-KEEP:]
        self.future = [(of, state) for of, state in self.future if of != page]

    def step(self, page: str, now: Any, towards: str) -> Any:
        """The nearest state of a page that way; the one that is shown stays to come back to."""
        stack = getattr(self, towards)
        at = max(k for k, (of, _) in enumerate(stack) if of == page)
        getattr(self, OTHER[towards]).append((page, now))
        return stack.pop(at)[1]

    def reached(self, page: str, before: Any, state: Any) -> None:
        """The browser brought a state: by as many steps as lead to it, or as a change."""
        for towards in OTHER:
            if (page, state) in getattr(self, towards):
                while before != state:
                    before = self.step(page, before, towards)
                return
        self.left(page, before)
