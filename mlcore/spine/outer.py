"""Fits around other fits: they have the verbs that those can carry, and no others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, NamedTuple, TypeVar

from mlcore.spine.asking import promises
from mlcore.spine.fit import Fit
from mlcore.spine.method import Method

V = TypeVar("V")
F = TypeVar("F", bound="OuterFit")


class Passed(NamedTuple):
    """A verb or a property, and what a fit inside must be able to do for it."""

    capability: type
    verb: Any


def where_inner(capability: type) -> Callable[[V], V]:
    """Marks what an `OuterFit` has only around fits with a capability: a verb or a property."""
    # Stands for the verb until it is asked.
    return lambda verb: Passed(capability, verb)  # pyrefly: ignore[bad-return]


@dataclass(frozen=True, eq=False, kw_only=True)
class OuterFit(Fit):
    """The base of fits around other fits, which pass on what those can do.

    A class of its own for each set of capabilities, made once when it is first asked for, so that
    a fit can be asked what it can do like any other. What is marked by `where_inner` is in those
    of these classes alone that are around such fits, and not in the class that is written down.
    """

    _passed: ClassVar[Mapping[str, Passed]] = {}
    _made_of: ClassVar[tuple[Any, tuple[type, ...]] | None] = None

    def __init_subclass__(cls, **more: Any) -> None:
        """Take what is marked out of the class."""
        super().__init_subclass__(**more)
        own = {name: marked for name, marked in vars(cls).items() if isinstance(marked, Passed)}
        for name in own:
            delattr(cls, name)
        cls._passed = {**cls._passed, **own}

    @classmethod
    def around(cls: type[F], inner: Method) -> type[F]:
        """The class of these fits around those of a method: always the same for the same."""
        wanted = {passed.capability for passed in cls._passed.values()}
        capabilities = (each for each in wanted if promises(inner, each))
        return _with(cls, tuple(sorted(capabilities, key=lambda each: each.__name__)))

    def __reduce__(self) -> tuple[Any, ...]:
        """To a worker and back: by the class that is written down, for the others have no name."""
        return _empty, self._made_of or (type(self), ()), self.__getstate__()


@cache
def _with(cls: type[F], capabilities: tuple[type, ...]) -> type[F]:
    if not capabilities:
        return cls
    verbs = {name: p.verb for name, p in cls._passed.items() if p.capability in capabilities}
    words = {name: getattr(cls, name) for name in ("__module__", "__qualname__", "__doc__")}
    built: Any = type(cls.__name__, (cls,), {**words, **verbs, "_made_of": (cls, capabilities)})
    return built


def _empty(cls: type[F], capabilities: tuple[type, ...]) -> F:
    """A fit of such a class, to be filled."""
    return object.__new__(_with(cls, capabilities))
