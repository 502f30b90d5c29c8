"""Asking what a fit or a method can do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Generic, Protocol

from mlcore.spine.every_capability import CAPABILITIES


@dataclass(frozen=True)
class AnyOf:
    """One of several capabilities, whichever there is."""

    capabilities: tuple[type, ...]


Asked = type | AnyOf


def any_of(*capabilities: type) -> AnyOf:
    """To be asked for where one of several is enough."""
    return AnyOf(capabilities)


def every(asked: Asked | tuple[Asked, ...]) -> tuple[Asked, ...]:
    """One or several capabilities as a tuple."""
    return asked if isinstance(asked, tuple) else (asked,)


def can(subject: Any, *asked: Asked) -> bool:
    """Whether a fit, a step or a method has all these capabilities.

    An attribute that is None counts as absent: a step that fills missing values and met none has
    nothing to show of them.
    """
    return all(
        _meets(lambda name: getattr(subject, name, None) is not None, each) for each in asked
    )


def _meets(has: Callable[[str], bool], asked: Asked) -> bool:
    if isinstance(asked, AnyOf):
        return any(_meets(has, each) for each in asked.capabilities)
    return all(map(has, members(asked)))


def promises(method: Any, *asked: Asked) -> bool:
    """Whether the fits of a method have these, by the class that it declares with its settings."""
    has = _attributes(method.fit_class()).__contains__
    return all(_meets(has, each) for each in asked)


@cache
def _attributes(cls: type) -> frozenset[str]:
    return frozenset((*dir(cls), *(f.name for f in fields(cls))))


@cache
def members(capability: type) -> frozenset[str]:
    """The names of what a capability asks for."""
    own = [vars(each) for each in capability.__mro__ if each not in (Protocol, Generic, object)]
    declared = [
        name for namespace in own for name in (*namespace, *namespace.get("__annotations__", ()))
    ]
    return frozenset(name for name in declared if not name.startswith("_"))


def capabilities_of(subject: Any) -> list[str]:
    """The names of what a fit or a method can do."""
    return [each.__name__ for each in CAPABILITIES if can(subject, each)]
