"""Hyper-parameters found and changed by where they stand, as a link writes it: method.alpha."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mlcore.spine.component import Component
from mlcore.spine.errors import ParamError
from mlcore.spine.params import Param, params_of


def usual_values(it: Component, path: str, n: int = 9) -> list[Any]:
    """At most `n` values over the range that people use of the hyper-parameter at `path`."""
    values = param_at(it, path).grid(n)
    if not values:
        raise ParamError(f"{path} has no usual range; say which values to try.")
    return values


def param_at(it: Component, path: str) -> Param:
    """The declaration of the hyper-parameter at `path`."""
    *way, name = path.split(".")
    return _param(_part(it, way, path), name, path)


def value_at(it: Component, path: str) -> Any:
    """The value of the hyper-parameter at `path`."""
    *way, name = path.split(".")
    held = _part(it, way, path)
    _param(held, name, path)
    return getattr(held, name)


def with_value(it: Component, path: str, value: Any) -> Any:
    """A copy of a component in which the hyper-parameter at `path` has another value."""
    name, _, rest = path.partition(".")
    _param(it, name, path)
    if not rest:
        return replace(it, **{name: value})
    held = getattr(it, name)
    if not isinstance(held, tuple):
        return replace(it, **{name: with_value(held, rest, value)})
    place, _, rest = rest.partition(".")
    at = _place(held, place, path)
    changed = with_value(held[at], rest, value) if rest else value
    return replace(it, **{name: (*held[:at], changed, *held[at + 1 :])})


def _part(it: Any, way: Sequence[str], path: str) -> Any:
    for name in way:
        if isinstance(it, tuple):
            it = it[_place(it, name, path)]
        else:
            _param(it, name, path)
            it = getattr(it, name)
    return it


def _param(it: Any, name: str, path: str) -> Param:
    declared = params_of(type(it)) if isinstance(it, Component) else {}
    if name not in declared:
        raise ParamError(f"There is no hyper-parameter {path!r} here: {name!r} is unknown.")
    return declared[name]


def _place(held: tuple, text: str, path: str) -> int:
    if not text.isdecimal() or int(text) >= len(held):
        raise ParamError(
            f"There is no hyper-parameter {path!r} here: {text!r} should be a place from 0 "
            f"to {len(held) - 1}."
        )
    return int(text)
