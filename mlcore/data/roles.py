"""What each column is used for: as a person says, else the source, else as is proposed."""

from __future__ import annotations

from collections.abc import Iterable

from mlcore.data import proposed_roles
from mlcore.data.sources import Origin
from mlcore.data.table import Table
from mlcore.spine.errors import DataError

ROLES = ("feature", "target", "group", "sequence", "weight", "order", "label", "ignore")
MOST_NAMED = 8  # columns in a sentence


def assigned_roles(
    table: Table, origin: Origin, target: str | None, decided: tuple[tuple[str, str], ...]
) -> dict[str, str]:
    """The role of each column, by its name; `target` and `decided` are what the person says.

    Raises DataError if they name no column, or give the target a second role that excludes it.
    """
    roles = proposed_roles.roles(table) | dict(origin.roles)
    first = first_target(table, origin, target)
    roles |= {name: "feature" for name, role in roles.items() if role == "target"}
    # Several targets of a source go together, whichever of them is first.
    targets = {origin.target, *(name for name, role in origin.roles if role == "target")}
    roles |= dict.fromkeys(roles.keys() & targets, "target") if first in targets else {}
    for name in (*(name for name, _ in decided), *([first] if first else [])):
        if name not in roles:
            raise DataError(f"The table has no column {name!r}; choose one of {_some(roles)}.")
    roles |= dict(decided)
    if first and roles[first] == "sequence":
        raise DataError(
            f"Column {first} says which sequence a row belongs to, so it cannot be the target "
            "too. Choose another target, or give the column another role."
        )
    if first:
        roles[first] = "target"
    return roles


def first_target(table: Table, origin: Origin, target: str | None) -> str | None:
    """The target that is meant where there is one, and the first of several."""
    if target != "proposed":
        return target
    return origin.target if origin.target in table.names else proposed_roles.propose_target(table)


def _some(names: Iterable[str]) -> str:
    shown = list(names)
    more = " and others" if len(shown) > MOST_NAMED else ""
    return ", ".join(shown[:MOST_NAMED]) + more
