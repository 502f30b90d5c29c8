"""The runs that a session has carried out: what each was, how good, and what it is called.

Only what a line of the list needs is held, never an outcome: those are in the cache of results. No
Streamlit here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np

from mlcore.evaluation.metrics.metric import Metric
from mlcore.evaluation.summary import summary
from mlcore.runs.kinds import kind_of
from mlcore.runs.project_lines import LONGEST_NAME, LONGEST_NOTE, Line, Score
from mlcore.spine import codec

MOST = 300  # runs that are listed; beyond, the oldest without a name and a note goes
MOST_SCORES = 4  # measures of a run, the first ones
MOST_EDITS = 100  # of names and notes, that can be taken back
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
    scores: tuple[Score, ...] = ()  # by the first measures
    name: str = ""  # given by the person
    note: str = ""  # written by the person
    digest: str = ""  # of the run
    parent: str = ""  # digest of the run that it was changed from; "" of one that began afresh
    id: str = ""  # 32 hexadecimal digits, the same in every session and file

    @property
    def score(self) -> Score | None:
        """By the first measure."""
        return next(iter(self.scores), None)

    @property
    def label(self) -> str:
        """What it is called: its name, or what it did."""
        return self.name or kind_of(self.run).line(self.run)

    def line(self) -> Line:
        """As it is written down."""
        return Line(
            id=self.id, run=self.run, page=self.page, view=codec.flatten(self.view),
            at=self.at.timestamp(), status=self.status, scores=self.scores, name=self.name,
            note=self.note, parent=self.parent,
        )  # fmt: skip


class Edit(NamedTuple):
    """A name or a note that a person changed."""

    number: int
    field: str
    before: str
    after: str


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
    picked: tuple[int, ...] = ()  # in the table, the first pick first
    edits: list[Edit] = field(default_factory=list)  # of names and notes, the newest last
    undone: list[Edit] = field(default_factory=list)
    shown: dict[str, str] = field(default_factory=dict)  # digest of the last run of each page
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
            self.shown[page] = entry.digest
            return
        fresh = _fresh(page, run, view, status, outcome)
        if entry is None:
            self._enter(replace(fresh, parent=self.shown.get(page, "")))
        else:
            at = entry.at if entry.run == run else fresh.at
            self._put(_with_words_of(replace(fresh, number=entry.number, at=at), entry))
        self.shown[page] = fresh.digest

    def end(self, number: int, status: str, outcome: Any) -> None:
        """Note how a run ended that was under way when its page was left."""
        if entry := self.get(number):
            self._put(replace(entry, status=status, scores=_scored(status, outcome)))

    def rename(self, number: int, text: str) -> None:
        """Give a run a name; an empty text takes it back."""
        self._write(number, "name", text, LONGEST_NAME)

    def annotate(self, number: int, text: str) -> None:
        """Give a run a note; an empty text takes it back."""
        self._write(number, "note", text, LONGEST_NOTE)

    def walk_edits(self, towards: str) -> None:
        """Take the last edit of a name or a note back ("past"), or do it again ("future")."""
        ways = (self.edits, self.undone) if towards == "past" else (self.undone, self.edits)
        if ways[0]:
            edit = ways[0].pop()
            ways[1].append(edit)
            if entry := self.get(edit.number):
                text = edit.before if towards == "past" else edit.after
                self._put(_worded(entry, edit.field, text))
            self.revision += 1

    def pick(self, number: int, on: bool) -> None:
        """Pick a run, or no longer."""
        others = tuple(one for one in self.picked if one != number)
        self.picked = (*others, number) if on else others

    def _write(self, number: int, field: str, text: str, longest: int) -> None:
        line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
        line = line[:longest].strip()
        if (entry := self.get(number)) is None:
            return
        before = getattr(entry, field)
        if line != before:
            self.edits = [*self.edits, Edit(number, field, before, line)][-MOST_EDITS:]
            self.undone = []
            self._put(_worded(entry, field, line))
        self.revision += line != text  # only then the box has to show something else

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
        now = datetime.now(UTC)
        copy = self._enter(replace(entry, name=name, note="", at=now, parent=entry.digest, id=""))
        self.draft = copy.number
        return copy

    def remove(self, number: int) -> None:
        """Take an entry away, until `put_back`."""
        for k, entry in enumerate(self.entries):
            if entry.number == number:
                self.removed = (k, self.entries.pop(k))
                self.gone = (entry.page, entry.run)
                self.picked = tuple(one for one in self.picked if one != number)
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
            unnamed = [k for k, e in enumerate(self.entries) if k and not (e.name or e.note)]
            del self.entries[max(unnamed, default=MOST)]


def score_of(outcome: Any) -> Score | None:
    """The score of an outcome by its first measure, of several methods that of the best."""
    return next(iter(scores_of(outcome)), None)


def scores_of(outcome: Any) -> tuple[Score, ...]:
    """The scores of an outcome by its first measures, of several methods those of the best.

    None where the first measure is defined nowhere.
    """
    by_metric: dict[Metric, list[Score]] = {}
    for of, metric, values in kind_of(outcome.run).scores(outcome):
        defined = by_metric.setdefault(metric, [])
        if np.isfinite(values).any():
            defined.append(_score(of, metric, values))
    listed = list(by_metric.items())[:MOST_SCORES]
    if not listed or not listed[0][1]:
        return ()
    return tuple(_best(metric, scores) for metric, scores in listed if scores)


def _best(metric: Metric, scores: list[Score]) -> Score:
    best = max if metric.better == "higher" else min
    return best(scores, key=lambda score: score.mean)


def _fresh(page: str, run: Any, view: Any, status: str, outcome: Any) -> Entry:
    scores, now = _scored(status, outcome), datetime.now(UTC)
    return Entry(0, page, run, view, now, status, scores, digest=run.digest())


def _worded(entry: Entry, field: str, text: str) -> Entry:
    """An entry with another name or note."""
    words: dict[str, Any] = {field: text}
    return replace(entry, **words)


def _with_words_of(entry: Entry, former: Entry) -> Entry:
    """An entry with what the person wrote to the former one, and what that came from."""
    words = {name: getattr(former, name) for name in ("name", "note", "parent", "id")}
    return replace(entry, **words)


def _scored(status: str, outcome: Any) -> tuple[Score, ...]:
    return scores_of(outcome) if status in OVER and outcome is not None else ()


def _score(of: str, metric: Metric, values: np.ndarray) -> Score:
    summed = summary(values)
    return Score(metric.title, summed.mean, summed.sd, of, metric.better)
