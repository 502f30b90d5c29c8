"""When a hyper-parameter counts: what other settings must be, told once beside its declaration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, runtime_checkable

from mlcore.spine.wording import spelled


@runtime_checkable
class Entered(Protocol):
    """An object of the catalogue, by the card that names it."""

    card: Any


class OtherThan(NamedTuple):
    """Every value but these."""

    values: tuple[Any, ...]


def other_than(*values: Any) -> OtherThan:
    """Every value but these: `only_if={"rule": other_than("quantile")}`."""
    return OtherThan(values)


@dataclass(frozen=True)
class Condition:
    """What one other setting must be for a hyper-parameter to count."""

    setting: str
    values: tuple[Any, ...]
    is_among: bool = True  # or must it be any other
    called: str = ""  # how people call the setting

    def holds(self, value: Any) -> bool:
        """Whether a hyper-parameter counts beside this value of the other setting.

        A part is known by its name in the slot.
        """
        named = value.card.name if isinstance(value, Entered) else value
        return (named in self.values) == self.is_among

    @property
    def clause(self) -> str:
        """After "with": `smoothing "given"`; `another rule than "quantile"`; no radius."""
        noun = self.called or self.setting.replace("_", " ")
        if all(value is None or isinstance(value, bool) for value in self.values):
            return noun if any(self.values) == self.is_among else f"no {noun}"
        words = " or ".join(f'"{spelled(str(value))}"' for value in self.values)
        return f"{noun} {words}" if self.is_among else f"another {noun} than {words}"

    def named(self, noun: str) -> Condition:
        """The same with what people call the setting."""
        return replace(self, called=noun)


def conditions(declared: Any) -> tuple[Condition, ...]:
    """Conditions as `only_if` declares them: {setting: value, several values, or `other_than`}."""
    if not isinstance(declared, Mapping):
        return tuple(declared)
    return tuple(_condition(setting, value) for setting, value in declared.items())


def _condition(setting: str, value: Any) -> Condition:
    if isinstance(value, OtherThan):
        return Condition(setting, value.values, is_among=False)
    return Condition(setting, value if isinstance(value, tuple) else (value,))
