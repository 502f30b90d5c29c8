"""A group of properties, such as a trace, a layout or a marker: read and changed as with Plotly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

import numpy as np
from plotly.colors import get_colorscale

# Properties that are groups wherever they stand; numbered ones (`xaxis2`) are as the first.
GROUPS = frozenset(
    (
        "aspectratio", "camera", "center", "colorbar", "coloraxis", "contours", "diagonal",
        "error_x", "error_y", "error_z", "eye", "font", "grid", "hoverlabel", "insidetextfont",
        "legend", "line", "margin", "marker", "modebar", "newselection", "outsidetextfont",
        "projection", "scene", "selected", "template", "textfont", "tickfont", "title",
        "unselected", "up", "xaxis", "yaxis", "zaxis",
    )
)  # fmt: skip
LISTS = frozenset(
    ("annotations", "dimensions", "images", "selections", "shapes", "sliders", "updatemenus")
)
FREE = ("args", "args2", "meta")  # whatever they hold is handed on as it is
PLAIN = frozenset((str, int, float, bool, list, tuple, np.ndarray, type(None)))
UNDERSCORED = ("paper_bgcolor", "plot_bgcolor", "error_x", "error_y", "error_z")


@runtime_checkable
class Written(Protocol):
    """A group of properties: of ours, or of Plotly's own."""

    def to_plotly_json(self) -> dict[str, Any]:
        """The properties by name."""
        ...


@runtime_checkable
class Column(Protocol):
    """A column of a table of pandas."""

    def to_numpy(self) -> np.ndarray:
        """Its values."""
        ...


class Node:
    """Properties by name. One that is not there reads as None, or as the empty group that it is.

    A name may lead on into groups: `marker_line_width`. None takes a property away.
    """

    __slots__ = ("_parent", "_props")

    _groups: ClassVar = GROUPS
    _parent: tuple[Node, str] | None  # where an empty group goes once something is set in it
    _props: dict[str, Any]

    def __init__(self, props: dict[str, Any], parent: tuple[Node, str] | None = None) -> None:
        object.__setattr__(self, "_props", props)
        object.__setattr__(self, "_parent", parent)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # what Python asks an object for
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, key: str) -> Any:
        head, rest = path(key)
        if rest:
            return self[head][rest]
        if head not in self._props:
            return self._absent(head)
        return _presented(head, self._props[head])

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __setitem__(self, key: str, value: Any) -> None:
        head, rest = path(key)
        if rest:
            self[head][rest] = value
        elif value is None:
            self._props.pop(head, None)
        else:
            self._settled()[head] = own(head, value)

    def __contains__(self, key: str) -> bool:
        return key in self._props

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._props))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and self._props == other._props

    __hash__ = None  # what changes has no hash

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._props!r})"

    def update(self, patch: Any = None, /, overwrite: bool = False, **more: Any) -> Self:
        """Change properties; groups are merged, or replaced where they `overwrite`."""
        changes = {**(as_mapping(patch) if patch is not None else {}), **more}
        if overwrite:
            for key, value in changes.items():
                self[key] = value
        elif changes:
            merge(self._settled(), changes)
        return self

    def to_plotly_json(self) -> dict[str, Any]:
        """A copy as dicts, lists and arrays."""
        return own_pairs(self._props)

    def _absent(self, name: str) -> Any:
        if name.rstrip("0123456789") in self._groups:
            return Node({}, (self, name))
        return () if name in LISTS else None

    def _settled(self) -> dict[str, Any]:
        """The properties, at their place in what they are a group of."""
        if self._parent is not None:
            above, key = self._parent
            # Another reader of the same empty group may have been first.
            props = above._settled().setdefault(key, self._props)
            object.__setattr__(self, "_props", props)
            object.__setattr__(self, "_parent", None)
        return self._props


@lru_cache(4096)
def path(key: str) -> tuple[str, str]:
    """The first name of a path, and what follows: `marker_line_width` -> `marker`, `line_width`."""
    for name in UNDERSCORED:
        if key.startswith(name):
            return name, key[len(name) + 1 :]
    head, _, rest = key.replace(".", "_").partition("_")
    return head, rest


def as_mapping(value: Any) -> Mapping[str, Any]:
    """The properties of a group in any form; of one of Plotly's own too."""
    if isinstance(value, Node):
        return value._props
    return value if isinstance(value, Mapping) else value.to_plotly_json()


def is_group(value: Any) -> bool:
    """Whether a value is a group of properties, in any form."""
    kind = type(value)
    if kind in PLAIN:
        return False
    return kind is dict or isinstance(value, Mapping | Written)


def merge(props: dict[str, Any], changes: Mapping[str, Any]) -> None:
    """Change properties in place, group by group."""
    for key, value in changes.items():
        head, rest = path(key)
        if rest:
            value = {rest: value}
        elif head == "title" and isinstance(value, str):
            value = {"text": value}
        now = props.get(head)
        if value is None:
            props.pop(head, None)
        elif type(now) is dict and is_group(value) and head not in FREE:
            merge(now, as_mapping(value))
        elif head in LISTS and isinstance(now, list):
            _merge_lists(now, value)
        else:
            props[head] = own(head, value)


def _merge_lists(now: list[dict[str, Any]], values: Any) -> None:
    for mine, theirs in zip(now, values, strict=False):
        if mine is not as_mapping(theirs):
            merge(mine, as_mapping(theirs))
    now += [own_pairs(as_mapping(value)) for value in values[len(now) :]]


def own(key: str, value: Any) -> Any:
    """A value as it is kept: it shares no group with another, and arrays stay what they are."""
    if type(value) is str:
        return _named(key, value)
    if key in FREE or type(value) in (int, float, bool):
        return value
    if isinstance(value, list | tuple):
        return _own_list(key, value)
    if isinstance(value, np.generic | np.ndarray):
        return value if value.ndim else value.item()
    if is_group(value):
        return own_pairs(as_mapping(value))
    return value.to_numpy() if isinstance(value, Column) else value


def own_pairs(pairs: Mapping[str, Any]) -> dict[str, Any]:
    """A group as it is kept, without what is None."""
    kept: dict[str, Any] = {}
    for key, value in pairs.items():
        head, rest = path(key)
        if value is None:
            continue
        if rest:
            merge(kept, {key: value})
        else:
            kept[head] = own(head, value)
    return kept


def _own_list(key: str, values: Any) -> list[Any]:
    if key == "colorscale":
        return _scale(values)
    if len(values) and is_group(values[0]):
        return [own_pairs(as_mapping(value)) for value in values]
    return list(values)


def _named(key: str, value: str) -> Any:
    if key == "title":
        return {"text": value}
    return [list(pair) for pair in _known_scale(value)] if key == "colorscale" else value


@cache
def _known_scale(name: str) -> list[list[Any]]:
    return get_colorscale(name)


def _scale(values: Any) -> list[list[Any]]:
    """Pairs of place and colour; colours alone stand at equal distances."""
    if not isinstance(values[0], str):
        return [list(pair) for pair in values]
    return [[k / (len(values) - 1), color] for k, color in enumerate(values)]


def _presented(name: str, value: Any) -> Any:
    """A value as it is read: groups can be changed in place, lists cannot."""
    if name in FREE or not isinstance(value, dict | list):
        return value
    if isinstance(value, dict):
        return Node(value)
    if value and type(value[0]) is dict:
        return tuple(Node(each) for each in value)
    return tuple(map(tuple, value)) if name == "colorscale" else tuple(value)
