"""What to call things side by side: those of one name by the settings in which they differ."""

from __future__ import annotations

from collections.abc import Sequence

from mlcore.runs.paths import param_at, value_at
from mlcore.spine import codec
from mlcore.spine.component import Component


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
    said = [_setting(items[k], key) for key in differing if key in mine]
    same = sum(item == items[k] for item in items[:k])
    return names[k] + (f", {', '.join(said)}" if said else "") + (f" ({same + 1})" if same else "")


def _setting(item: Component, path: str) -> str:
    """One setting in words: "neighbours 15", "kernel Linear"."""
    noun = param_at(item, path).label or path.split(".")[-1].replace("_", " ")
    value = value_at(item, path)
    if isinstance(value, float):
        return f"{_lower(noun)} {value:g}"
    if isinstance(value, Component):
        return f"{_lower(noun)} {value.title()}"
    return f"{_lower(noun)} {codec.flatten(item)[path].replace('_', ' ')}"


def _lower(text: str) -> str:
    """The text inside a line; names such as C and RBF stay as they are."""
    return text if text[:2].isupper() else text[0].lower() + text[1:]
