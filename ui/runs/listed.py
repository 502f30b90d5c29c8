"""The runs that a session has carried out: what each was, how good, and what it is called.

Only what a line of the list needs is held, never an outcome: those are in the cache of results. No
Streamlit here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from math import isfinite
from typing import Any
from uuid import uuid4

import numpy as np

from mlcore.evaluation.metrics.metric import Metric
from mlcore.evaluation.summary import summary
from mlcore.runs.kinds import kind_of
from mlcore.runs.project import LONGEST_NAME, LONGEST_NOTE, Line, Score
from mlcore.spine import codec

MOST = 100  # runs that are listed; beyond, the oldest without a name goes
OVER = ("done", "stopped", "failed")


@dataclass(frozen=True)
class Entry:
    """One run of the list, and the view with which its page showed it."""

    number: int  # never used again in a session
    page: str
    run: Any
    view: Any
    at: datetime
    status: str
    score: Score | None = None
    name: str = ""  # given by the person
    note: str = ""  # the same
    id: str = ""  # 32 hexadecimal digits, the same in every session and file

    @property
    def label(self) -> str:
        """What it is called: its name, or what it did."""
        return self.name or kind_of(self.run).line(self.run)

    def line(self) -> Line:
        """As it is written down."""
        return Line(
            id=self.id, run=self.run, page=self.page, view=codec.flatten(self.view),
            at=self.at.timestamp(), status=self.status, name=self.name, note=self.note,
            score=self.score if self.score and isfinite(self.score.mean) else None,
        )  # fmt: skip


@dataclass
class RunList:
    """The runs of one session, newest first."""

    entries: list[Entry] = field(default_factory=list)
    made: int = 0  # entries so far
    revision: int = 0  # rises when our own code changes the list or the choice: new controls
    chosen: int = 0  # number of the entry that is looked at
    draft: int | None = None  # the copy that follows the controls of its page
    removed: tuple[int, Entry] | None = None  # the last that was taken away, and its place
    gone: tuple[str, Any] | None = None  # page and run of that, as long as the page shows it
    compared: tuple[int, int] | None = None  # the two that are compared now
    closed: int = 0  # how often our own code closed the list: a new one is drawn closed

    def get(self, number: int) -> Entry | None:
        """The entry of this number, if it is still listed."""
        return next((entry for entry in self.entries if entry.number == number), None)

    def record(self, page: str, run: Any, view: Any, status: str, outcome: Any) -> None:
        """Note how far a run on a page has come: a new entry, or that which it has already."""
        if self.gone == (page, run):
            return
        self.gone = None if self.gone and self.gone[0] == page else self.gone
        entry = self._known(page, run)
        if entry and (entry.run, entry.status) == (run, status):
            self._put(replace(entry, view=view))
            return
        fresh = Entry(0, page, run, view, datetime.now(UTC), status, _scored(status, outcome))
        if entry is None:
            self._enter(fresh)
        else:
            at = entry.at if entry.run == run else fresh.at
            kept = {name: getattr(entry, name) for name in ("number", "name", "note", "id")}
            self._put(replace(fresh, at=at, **kept))

    def end(self, number: int, status: str, outcome: Any) -> None:
        """Note how a run ended that was under way when its page was left."""
        if entry := self.get(number):
            self._put(replace(entry, status=status, score=_scored(status, outcome)))

    def rename(self, number: int, text: str) -> None:
        """Give a run a name; an empty text takes it back."""
        self._write(number, "name", text, LONGEST_NAME)

    def annotate(self, number: int, text: str) -> None:
        """Write a note to a run; an empty text takes it back."""
        self._write(number, "note", text, LONGEST_NOTE)

    def _write(self, number: int, which: str, text: str, longest: int) -> None:
        written = " ".join("".join(c if c.isprintable() else " " for c in text).split())
        if entry := self.get(number):
            written = written[:longest].strip()
            self._put(replace(entry, **{which: written}))
            self.revision += written != text  # only then the box has to show something else

    def adopt(self, entries: Iterable[Entry]) -> list[Entry]:
        """List runs of another session or of a file by their times; those that are new here."""
        known = {entry.id for entry in self.entries}
        new = [entry for entry in entries if entry.id not in known]
        for at, entry in enumerate(reversed(new), start=self.made + 1):
            new[-(at - self.made)] = replace(entry, number=at)
        self.made += len(new)
        self.entries = sorted([*self.entries, *new], key=lambda entry: entry.at, reverse=True)
        while len(self.entries) > MOST:
            self._trim()
        self.revision += 1
        return [entry for entry in new if self.get(entry.number)]

    def duplicate(self, number: int) -> Entry | None:
        """A copy on top that from now on follows the controls of its page; the other stays."""
        if (entry := self.get(number)) is None:
            return None
        name = f"{entry.label[: LONGEST_NAME - 7]} (copy)"
        copy = self._enter(replace(entry, name=name, at=datetime.now(UTC), id=""))
        self.draft = copy.number
        return copy

    def remove(self, number: int) -> None:
        """Take an entry away, until `put_back`."""
        for k, entry in enumerate(self.entries):
            if entry.number == number:
                self.removed = (k, self.entries.pop(k))
                self.gone = (entry.page, entry.run)
                self.draft = None if self.draft == number else self.draft
                self.revision += 1
                return

    def put_back(self) -> None:
        """Take the last removal back."""
        if self.removed is not None:
            place, entry = self.removed
            self.entries.insert(place, entry)
            self._trim()
            self.removed = self.gone = None
            self.choose(entry.number)

    def choose(self, number: int) -> None:
        """Look at this entry."""
        self.chosen = number
        self.revision += 1

    def settle(self, number: int) -> None:
        """The copy that followed the controls stays as it is, unless it is this one."""
        self.draft = self.draft if self.draft == number else None

    def _known(self, page: str, run: Any) -> Entry | None:
        """The copy that follows this page, or the entry that a run of it has already."""
        own = [entry for entry in self.entries if entry.page == page]
        drafts = (entry for entry in own if entry.number == self.draft)
        return next(drafts, next((entry for entry in own if entry.run == run), None))

    def _put(self, now: Entry) -> None:
        """In place of what stood there under its number."""
        self.entries = [now if entry.number == now.number else entry for entry in self.entries]

    def _enter(self, entry: Entry) -> Entry:
        self.made += 1
        entry = replace(entry, number=self.made, id=entry.id or uuid4().hex)
        self.entries.insert(0, entry)
        self._trim()
        self.choose(entry.number)
        return entry

    def _trim(self) -> None:
        if len(self.entries) > MOST:
            unnamed = [k for k, entry in enumerate(self.entries) if k and not entry.name]
            del self.entries[max(unnamed, default=MOST)]


def score_of(outcome: Any) -> Score | None:
    """The score of an outcome by its first measure, of several methods that of the best."""
    scores = kind_of(outcome.run).scores(outcome)
    first = [_score(*one) for one in scores if one[1] == scores[0][1] and np.isfinite(one[2]).any()]
    if not first:
        return None
    best = max if scores[0][1].better == "higher" else min
    return best(first, key=lambda score: score.mean)


def _scored(status: str, outcome: Any) -> Score | None:
    return score_of(outcome) if status in OVER and outcome is not None else None


def _score(of: str, metric: Metric, values: np.ndarray) -> Score:
    summed = summary(values)
    return Score(metric.title, summed.mean, summed.sd, of)
