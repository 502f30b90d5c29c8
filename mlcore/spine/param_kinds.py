"""The kinds of hyper-parameters: what is valid, how it is written in links, what people try.

`low`, `above` and `high` say what is valid; `soft` says what a slider offers.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mlcore.spine import written
from mlcore.spine.conditions import conditions
from mlcore.spine.registry import entries, fits, made

NONE = "none"  # how None is written in a link


@dataclass(frozen=True, kw_only=True)
class Param:
    """What every hyper-parameter declares.

    `none` is the meaning of None where None is allowed, `auto` the word for a value that the
    method chooses itself, `was` the defaults of earlier link versions as {last version: value}.
    `only_if` says beside which values of other settings it counts, where it does not always:
    `only_if={"smoothing": "given"}` (`mlcore/spine/conditions.py`).
    """

    doc: str
    label: str = ""
    symbol: str = ""
    none: str = ""
    auto: str = ""
    advanced: bool = False
    was: tuple[tuple[int, Any], ...] = ()
    only_if: Any = ()  # declared as a mapping, kept as a tuple of Condition

    def __post_init__(self) -> None:
        object.__setattr__(self, "only_if", conditions(self.only_if))

    def noun(self, name: str) -> str:
        """What people call it, of that name in the code."""
        return self.label or name.replace("_", " ").capitalize()

    def counts(self, values: Mapping[str, Any]) -> bool:
        """Whether it has an effect beside these values of the other settings."""
        return all(condition.holds(values[condition.setting]) for condition in self.only_if)

    def problem(self, value: Any) -> str | None:
        """Say what is wrong with `value` ("must be ..."), or None."""
        if self.is_word(value):
            return None
        problem = self._problem(value)
        return problem + self._words() if problem else None

    def plain(self, value: Any) -> Any:
        """The value as plain Python, so that equal settings have one written form."""
        return value if self.is_word(value) else self._plain(value)

    def parse(self, text: str) -> Any:
        """The value that a link writes so. Raises ValueError or KeyError if the text is none."""
        if self.none and text == NONE:
            return None
        return text if self.auto and text == self.auto else self._parse(text)

    def write(self, value: Any) -> str:
        """The text of a value in a link: the inverse of `parse`."""
        if value is None:
            return NONE
        return value if self.is_word(value) else self._write(value)

    def grid(self, n: int) -> list:
        """At most `n` values spread over the range that people use."""
        return []

    def tries(self) -> list:
        """Values that tests must see work, each once: the ends of the range and every word."""
        words = ([None] if self.none else []) + ([self.auto] if self.auto else [])
        return words + self._telling()

    def _telling(self) -> list:
        return self.grid(3)

    def is_word(self, value: Any) -> bool:
        """Whether the value is None or the word for an automatic choice, and may be."""
        if value is None:
            return bool(self.none)
        return bool(self.auto) and isinstance(value, str) and value == self.auto

    def _words(self) -> str:
        words = [f"None ({self.none})"] if self.none else []
        words += [repr(self.auto)] if self.auto else []
        return "".join(f", or {word}" for word in words)

    def _problem(self, value: Any) -> str | None:
        raise NotImplementedError(f"{type(self).__name__} declares no check")

    def _plain(self, value: Any) -> Any:
        return value

    def _parse(self, text: str) -> Any:
        return text

    def _write(self, value: Any) -> str:
        return str(value)


def _is_finite(value: Any) -> bool:
    """Whether a number is one that numpy can hold: JSON may write one of four hundred digits."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


@dataclass(frozen=True, kw_only=True)
class Number(Param):
    """A number, whole or real."""

    soft: tuple[float, float]
    low: float = -math.inf
    above: float = -math.inf
    high: float = math.inf
    below: float = math.inf
    log: bool = False
    whole: bool = False
    unit: str = ""

    def _problem(self, value: Any) -> str | None:
        kind = numbers.Integral if self.whole else numbers.Real
        if isinstance(value, bool) or not isinstance(value, kind):
            return f"must be {'a whole number' if self.whole else 'a number'}"
        if not _is_finite(value):
            return "must be finite"
        for bad, text in self._limits(value):
            if bad:
                return f"must be {text}"
        return None

    def _limits(self, value: Any) -> tuple[tuple[bool, str], ...]:
        return (
            (value < self.low, f"at least {self.low:g}"),
            (value <= self.above, f"greater than {self.above:g}"),
            (value > self.high, f"at most {self.high:g}"),
            (value >= self.below, f"less than {self.below:g}"),
        )

    def _plain(self, value: Any) -> float:
        # Adding 0.0 turns -0.0 into 0.0: equal settings must have one written form.
        return int(value) if self.whole else float(value) + 0.0

    def _parse(self, text: str) -> float:
        if len(text) > 40:  # no number that a person means is longer; int() of a novel is slow
            raise ValueError("too long for a number")
        return int(text) if self.whole else float(text)

    def _write(self, value: Any) -> str:
        return repr(value)

    def grid(self, n: int) -> list:
        a, b = self.soft
        at = [i / max(n - 1, 1) for i in range(n)]
        values = [a * (b / a) ** t if self.log else a + (b - a) * t for t in at]
        return sorted({round(v) for v in values}) if self.whole else values


@dataclass(frozen=True, kw_only=True)
class Flag(Param):
    """Yes or no."""

    def _problem(self, value: Any) -> str | None:
        # numpy's bool is not a bool; comparing its type's name avoids importing numpy here.
        return None if type(value).__name__ in {"bool", "bool_"} else "must be True or False"

    def _plain(self, value: Any) -> bool:
        return bool(value)

    def _parse(self, text: str) -> bool:
        return {"yes": True, "no": False, "true": True, "false": False}[text.lower()]

    def _write(self, value: Any) -> str:
        return "yes" if value else "no"

    def grid(self, n: int) -> list:
        return [False, True][:n]


@dataclass(frozen=True, kw_only=True)
class Choice(Param):
    """One of a few names."""

    options: tuple[str, ...]

    def _problem(self, value: Any) -> str | None:
        known = isinstance(value, str) and value in self.options
        return None if known else f"must be one of {', '.join(self.options)}"

    def grid(self, n: int) -> list:
        return list(self.options[:n])

    def _telling(self) -> list:
        return list(self.options)


@dataclass(frozen=True, kw_only=True)
class Text(Param):
    """A line of text."""

    longest: int | None = 200  # letters

    def _problem(self, value: Any) -> str | None:
        if not isinstance(value, str):
            return "must be text"
        if self.longest is None or len(value) <= self.longest:
            return None
        return f"must have at most {self.longest} letters"

    def _parse(self, text: str) -> str:
        return written.unguard(text)

    def _write(self, value: Any) -> str:
        return written.guard(value, words=(NONE, self.auto))


@dataclass(frozen=True, kw_only=True)
class ColumnName(Text):
    """The name of a column of the table, as long as it came in the file."""

    longest: int | None = None


@dataclass(frozen=True, kw_only=True)
class Several(Param):
    """A tuple of plain values: names, numbers or pairs."""

    most: int = 1000

    def _problem(self, value: Any) -> str | None:
        if isinstance(value, str) or not hasattr(value, "__iter__"):
            return "must be several values"
        items = tuple(value)
        if len(items) > self.most:
            return f"must have at most {self.most} values"
        return next((problem for item in items if (problem := self._item_problem(item))), None)

    def _plain(self, value: Any) -> tuple:
        return tuple(self._item_plain(item) for item in value)

    def _parse(self, text: str) -> tuple:
        return tuple(self._item_parse(item) for item in written.split(text, "~"))

    def _write(self, value: Any) -> str:
        return written.join((self._item_write(item) for item in value), "~")

    def _item_problem(self, item: Any) -> str | None:
        return None if isinstance(item, str) else "must hold names"

    def _item_plain(self, item: Any) -> Any:
        return str(item)

    def _item_parse(self, text: str) -> Any:
        return text

    def _item_write(self, item: Any) -> str:
        return item


@dataclass(frozen=True, kw_only=True)
class Choices(Several):
    """Several of a few names."""

    options: tuple[str, ...]

    def _item_problem(self, item: Any) -> str | None:
        return None if item in self.options else f"must hold only {', '.join(self.options)}"

    def grid(self, n: int) -> list:
        return [(), *((option,) for option in self.options), self.options][:n]


@dataclass(frozen=True, kw_only=True)
class Columns(Several):
    """Names of columns of the table."""


@dataclass(frozen=True, kw_only=True)
class Levels(Several):
    """Ordered names, lowest first."""


@dataclass(frozen=True, kw_only=True)
class Numbers(Several):
    """A tuple of numbers."""

    def _item_problem(self, item: Any) -> str | None:
        ok = isinstance(item, numbers.Real) and not isinstance(item, bool) and _is_finite(item)
        return None if ok else "must hold finite numbers"

    def _item_plain(self, item: Any) -> float:
        return float(item) + 0.0

    def _item_parse(self, text: str) -> float:
        return float(text)

    def _item_write(self, item: Any) -> str:
        return repr(item)


@dataclass(frozen=True, kw_only=True)
class Sizes(Several):
    """A tuple of whole numbers, each within the same limits; it may be empty.

    `item` is what one of them is called.
    """

    low: int = 1
    high: int
    soft: tuple[int, int]
    item: str = "number"

    def _problem(self, value: Any) -> str | None:
        if isinstance(value, numbers.Integral) and not isinstance(value, bool):
            return "must be several whole numbers, such as (8,)"
        return super()._problem(value)

    def _item_problem(self, item: Any) -> str | None:
        if isinstance(item, bool) or not isinstance(item, numbers.Integral):
            return "must hold whole numbers"
        within = self.low <= int(item) <= self.high
        return None if within else f"must hold numbers from {self.low} to {self.high}"

    def _item_plain(self, item: Any) -> int:
        return int(item)

    def _item_parse(self, text: str) -> int:
        if len(text) > 40:  # as for a single number
            raise ValueError("too long for a number")
        return int(text)

    def _item_write(self, item: Any) -> str:
        return repr(item)

    def _parse(self, text: str) -> tuple:
        return () if text == NONE else super()._parse(text)

    def _write(self, value: Any) -> str:
        return super()._write(value) or NONE  # a link keeps no empty value

    def grid(self, n: int) -> list:
        few, many = self.soft
        return [(few,), (many,), (many, few), ()][:n]


@dataclass(frozen=True, kw_only=True)
class NamePairs(Several):
    """A mapping from names to names, as a sorted tuple of pairs."""

    options: tuple[str, ...] = ()

    def _plain(self, value: Any) -> tuple:
        pairs = value.items() if isinstance(value, Mapping) else value
        return tuple(sorted({str(a): str(b) for a, b in pairs}.items()))

    def _problem(self, value: Any) -> str | None:
        return super()._problem(tuple(value.items()) if isinstance(value, Mapping) else value)

    def _item_problem(self, item: Any) -> str | None:
        if isinstance(item, str) or not hasattr(item, "__len__") or len(item) != 2:
            return "must hold pairs"
        if self.options and item[1] not in self.options:
            return f"must give each name one of {', '.join(self.options)}"
        return None if all(isinstance(part, str) for part in item) else "must hold pairs of names"

    def _item_parse(self, text: str) -> Any:
        pair = tuple(written.split(text, ":"))
        if len(pair) != 2:
            raise ValueError("not a pair")
        return pair

    def _item_write(self, item: Any) -> str:
        return written.join(item, ":")


@dataclass(frozen=True, kw_only=True)
class Part(Param):
    """Another object of the catalogue, with hyper-parameters of its own."""

    slot: str

    def _problem(self, value: Any) -> str | None:
        return None if fits(value, self.slot) else f"must be a {self.slot}"

    def _plain(self, value: Any) -> Any:
        return made(self.slot, value)

    def grid(self, n: int) -> list:
        return [cls() for cls in entries(self.slot).values()][:n]


@dataclass(frozen=True, kw_only=True)
class Parts(Part):
    """Several objects of the catalogue, in order.

    `item` is what one of them is called. `beside` names a setting of the same component with a
    number for each of them, or none: who adds, moves or removes one does so with its number.
    """

    least: int = 0
    most: int = 10
    item: str = "part"
    beside: str = ""

    def _problem(self, value: Any) -> str | None:
        if isinstance(value, str) or not hasattr(value, "__iter__"):
            return f"must be several of {self.slot}"
        items = tuple(value)
        if not self.least <= len(items) <= self.most:
            return f"must have {self.least} to {self.most} parts"
        return next(
            (problem for item in items if (problem := super(Parts, self)._problem(item))), None
        )

    def _plain(self, value: Any) -> tuple:
        return tuple(super(Parts, self)._plain(item) for item in value)

    def grid(self, n: int) -> list:
        return [()] if self.least == 0 else []
