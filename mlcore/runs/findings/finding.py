"""What may be found in a run that is done: the finding, the press that acts, and a rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

WARNING, NOTE = "warning", "note"


@dataclass(frozen=True)
class Press:
    """One press that acts on a finding: what its button says, and one thing that it does.

    It puts another `run` in place of this one, opens the `tab` of that name in an address, shows
    the picture `view` beside the finding, or writes other `values` into the grid of a search,
    as (path, text).
    """

    label: str
    run: Any = None
    tab: str = ""
    view: str = ""
    values: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Statement:
    """What a rule tells: its sentence, the numbers that it rests on, and what can be done."""

    sentence: str
    press: Press
    evidence: Mapping[str, float] = field(default_factory=dict)  # each is also said in the sentence


@dataclass(frozen=True)
class Finding:
    """One thing that is worth a look after a run."""

    name: str
    severity: str  # "warning" where scores or reading are wrong, else "note"
    title: str
    sentence: str
    press: Press
    evidence: Mapping[str, float]
    source: str  # of the rule, as author, year and place


@dataclass(frozen=True)
class Rule:
    """A pure function of what a run knows, with what its findings are called."""

    name: str
    severity: str
    title: str
    source: str
    tasks: tuple[str, ...]  # of the methods that it is about; of all if empty
    find: Callable[[Any], Statement | None]

    def __call__(self, known: Any) -> Finding | None:
        """The finding, or None where nothing stands out or the rule is about other methods."""
        if self.tasks and known.task not in self.tasks:
            return None
        told = self.find(known)
        if told is None:
            return None
        return Finding(
            self.name, self.severity, self.title, told.sentence, told.press, told.evidence,
            self.source,
        )  # fmt: skip


def rule(
    name: str, severity: str, title: str, *tasks: str, source: str
) -> Callable[[Callable[[Any], Statement | None]], Rule]:
    """Make a function of what a run knows a rule; `tasks` are those that it is about."""

    def ruled(find: Callable[[Any], Statement | None]) -> Rule:
        return Rule(name, severity, title, source, tasks, find)

    return ruled
