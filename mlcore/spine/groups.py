"""Components by name, of classes that are found when they are asked for.

What is looked at of a result holds the options of each picture so: the pictures, which stand above,
say what classes there are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mlcore.spine.params import Param

Known = Callable[[], Mapping[str, type]]


@dataclass(frozen=True, kw_only=True)
class Group(Param):
    """Sorted pairs of a name and its component, where that differs from its defaults.

    In a link the values of each stand under its own name, not under that of the field.
    """

    known: Known

    def _problem(self, value: Any) -> str | None:
        known = self.known() if value else {}
        fitting = (name in known and type(it) is known[name] for name, it in value)
        return None if all(fitting) else "must hold components of the classes that are known"

    def _plain(self, value: Any) -> tuple:
        held = {name: it for name, it in dict(value).items() if it != type(it)()}
        return tuple(sorted(held.items(), key=lambda pair: pair[0]))


def group(*, known: Known, doc: str) -> Any:
    """Declare components by name, none of which differs from its defaults."""
    return field(default=(), metadata={"param": Group(doc=doc, known=known)})
