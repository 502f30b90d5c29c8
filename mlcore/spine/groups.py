"""Components by name, of classes that are found when they are asked for.

What is looked at of a result holds the options of each picture so: the pictures, which stand above,
say what classes there are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mlcore.spine.param_kinds import Param

Known = Callable[[], Mapping[str, type]]


@dataclass(frozen=True, kw_only=True)
class Group(Param):
    """Sorted pairs of a name and its component, where that differs from its defaults.

    In a link the values of each stand under its own name, not under that of the field.
    """

    known: Known

    def _problem(self, value: Any) -> str | None:
        known = self.known() if value else {}
        are_known = (name in known and type(component) is known[name] for name, component in value)
        return None if all(are_known) else "must hold components of the classes that are known"

    def _plain(self, value: Any) -> tuple:
        changed = {
            name: component
            for name, component in dict(value).items()
            if component != type(component)()
        }
        return tuple(sorted(changed.items(), key=lambda pair: pair[0]))


def group(*, known: Known, doc: str) -> Any:
    """Declare components by name, none of which differs from its defaults."""
    return field(default=(), metadata={"param": Group(doc=doc, known=known)})
