"""Names and cells that people wrote, as texts that Plotly shows letter by letter.

Plotly reads markup in every text of a figure: tags, links and entities, and in templates fields
such as `%{x}`. What people wrote enters a figure with the numbers that are drawn, so `literal`
makes it plain there, in one place for all views. The markup of a drawing itself is added later.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar

import numpy as np

from mlcore.spine.fit import Column

# What begins a tag, an entity or a field. A character that is not drawn stands behind it and ends
# its meaning; an entity could be cut in two where a long name is shortened.
_MARKUP = re.compile(r"[<&](?!\u2060)|%(?=\{)")
_JOINER = "\u2060"
T = TypeVar("T")


def literal(numbers: T) -> T:
    """The same numbers, with each text in them safe to draw; without any markup the same object.

    Texts are looked for in tuples, lists, mappings, arrays and columns.
    """
    return _literal(numbers)


def _literal(value: Any) -> Any:
    if isinstance(value, str):
        return _MARKUP.sub(rf"\g<0>{_JOINER}", value) if _MARKUP.search(value) else value
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, tuple | list):
        items = [_literal(item) for item in value]
        return _like(value, items) if _differ(items, value) else value
    if isinstance(value, Mapping):
        pairs = {_literal(key): _literal(item) for key, item in value.items()}
        return pairs if _differ([*pairs, *pairs.values()], [*value, *value.values()]) else value
    if isinstance(value, Column):
        before = {field.name: getattr(value, field.name) for field in fields(value)}
        after = {name: _literal(item) for name, item in before.items()}
        return replace(value, **after) if _differ(after.values(), before.values()) else value
    return value


def _differ(after: Any, before: Any) -> bool:
    """Whether any item was replaced by another object."""
    return any(one is not other for one, other in zip(after, before, strict=True))


def _like(value: Any, items: list[Any]) -> Any:
    """These items as the same kind of tuple or list."""
    kind = type(value)
    return kind(items) if kind in (tuple, list) else kind(*items)  # a named tuple


def _array(values: np.ndarray) -> np.ndarray:
    if values.dtype.kind not in "OU":
        return values
    before = values.ravel().tolist()
    after = [_literal(item) for item in before]
    if not _differ(after, before):
        return values
    changed = np.array(after, dtype=object if values.dtype.kind == "O" else None)
    return changed.reshape(values.shape)
