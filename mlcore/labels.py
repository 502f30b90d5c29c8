"""What to call things side by side: those of one name by the settings in which they differ."""

from __future__ import annotations

from collections.abc import Sequence

from mlcore import codec
from mlcore.component import Component


def told_apart(names: Sequence[str], items: Sequence[Component]) -> tuple[str, ...]:
    """The names of the items; namesakes with what sets them apart, or with their number."""
    return tuple(
        name if names.count(name) == 1 else _with_settings(names, items, k)
        for k, name in enumerate(names)
    )


def _with_settings(names: Sequence[str], items: Sequence[Component], k: int) -> str:
    mine = codec.flatten(items[k])
    others = [codec.flatten(it) for i, it in enumerate(items) if names[i] == names[k] and i != k]
    differing = sorted({key for o in others for key in {*mine, *o} if mine.get(key) != o.get(key)})
    said = [
        f"{key.split('.')[-1].replace('_', ' ')} {mine[key].replace('_', ' ')}"
        for key in differing
        if key in mine
    ]
    same = sum(item == items[k] for item in items[:k])
    return names[k] + (f", {', '.join(said)}" if said else "") + (f" ({same + 1})" if same else "")
