"""The runs of a session as lines of a table: what each differs in, its scores, its words.

No Streamlit here.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import pandas as pd

from mlcore.runs.differing import KIND, Setting, differing_settings
from mlcore.runs.kinds import kind_of
from mlcore.runs.project_lines import Score
from mlcore.runs.run import plain as run_plain
from mlcore.spine.wording import shortened
from service import tables
from ui.runs.listed import Entry

PICK, NUMBER, NAME, NOTE, WHAT, DATA = "Pick", "Run", "Name", "Notes", "What", "Data"
PAGE, STATUS, AT = "Page", "Status", "At (UTC)"
MOST_SETTINGS, MOST_MEASURES = 24, 6  # columns that are shown; the files have all
FEW_SETTINGS = 2  # by which alike runs are told apart where there is little room
LONGEST = 80  # letters of a cell: drawn points are thousands
# What has a column of its own already, or says by a digest what the name of the data says.
TOLD = (
    "", "data", "data.source", "data.source.name", "data.source.digest", "method", "methods",
)  # fmt: skip
ORDERS = ("Newest first", "Oldest first", "Best score first", "By name", "By data")


class Lines(NamedTuple):
    """A table of runs, and how many of its columns have no room on the page."""

    frame: pd.DataFrame
    settings: tuple[str, ...]  # columns
    measures: tuple[str, ...]
    left_out: int


def page_title(entry: Entry) -> str:
    """The page of a run, as people read it."""
    return entry.page.replace("_", " ").capitalize()


def data_of(entry: Entry) -> str:
    """On what a run was carried out."""
    return kind_of(entry.run).on(entry.run)


def what_of(entry: Entry) -> str:
    """What a run fitted or tried."""
    return kind_of(entry.run).title(entry.run)


def told_apart(entries: Sequence[Entry]) -> list[str]:
    """Each run by what it is called and on what, alike ones with what sets them apart."""
    heads = [f"{entry.label} · {data_of(entry)}" for entry in entries]
    alike: dict[str, list[int]] = {}
    for k, head in enumerate(heads):
        alike.setdefault(head, []).append(k)
    more = [""] * len(heads)
    for group in (group for group in alike.values() if len(group) > 1):
        settings = differing_settings([entries[k].run for k in group])[:FEW_SETTINGS]
        for place, k in enumerate(group):
            own = [(s.title.rpartition(": ")[2].lower(), s.values[place]) for s in settings]
            words = [f"{name} {value}" for name, value in own if value is not None]
            more[k] = ", ".join(words) or f"run {entries[k].number}"
    return [f"{head}, {words}" if words else head for head, words in zip(heads, more, strict=True)]


def ago(at: datetime) -> str:
    """How long since a run began, in the largest whole unit."""
    minutes = int((datetime.now(UTC) - at).total_seconds() // 60)
    if minutes < 1:
        return "just now"
    if minutes < 60:
        return f"{minutes} min ago"
    return f"{minutes // 60} h ago" if minutes < 48 * 60 else f"{minutes // (24 * 60)} days ago"


def filtered(
    entries: Sequence[Entry],
    words: str = "",
    page: str | None = None,
    what: str | None = None,
    data: str | None = None,
) -> list[Entry]:
    """The runs in which all the words stand, of a page, a method and a data set if one is given."""
    asked = words.lower().split()
    return [
        entry
        for entry in entries
        if page in (None, page_title(entry))
        and what in (None, what_of(entry))
        and data in (None, data_of(entry))
        and all(word in _text(entry) for word in asked)
    ]


def _text(entry: Entry) -> str:
    line = kind_of(entry.run).line(entry.run)
    words = (entry.name, entry.note, line, data_of(entry), page_title(entry), entry.status)
    return " ".join((str(entry.number), *words)).lower()


def ordered(entries: Sequence[Entry], order: str) -> list[Entry]:
    """The runs in an order; scores of one measure stand together, runs without a score last."""
    newest = sorted(entries, key=lambda entry: -entry.number)
    keys: dict[str, Any] = {
        "Oldest first": lambda entry: entry.number,
        "Best score first": _rank,
        "By name": lambda entry: (not entry.name, entry.label.lower()),
        "By data": lambda entry: (data_of(entry).lower(), what_of(entry).lower()),
    }
    return sorted(newest, key=keys[order]) if order in keys else newest


def _rank(entry: Entry) -> tuple[bool, str, float]:
    score = entry.score
    if score is None:
        return True, "", 0.0
    return False, score.title, -score.mean if score.better == "higher" else score.mean


def lines(entries: Sequence[Entry], *, whole: bool = False) -> Lines:
    """The table of these runs; `whole` for a file, where every column has room."""
    differing = [s for s in differing_settings([e.run for e in entries]) if s.path not in TOLD]
    kept = differing if whole else _commonest(differing)
    columns, behind = _columns(entries), _columns_behind(entries)
    settings = {_free(setting.title, columns | behind): _cells(setting, whole) for setting in kept}
    measures = _measures(entries)
    shown = measures if whole else measures[:MOST_MEASURES]
    scores = {title: _scores(entries, title) for title in shown}
    left_out = len(differing) - len(kept) + len(measures) - len(shown)
    frame = pd.DataFrame(columns | settings | scores | behind)
    return Lines(frame, tuple(settings), tuple(scores), left_out)


def _columns(entries: Sequence[Entry]) -> dict[str, list[Any]]:
    return {
        NUMBER: [entry.number for entry in entries],
        NAME: [entry.name for entry in entries],
        WHAT: [what_of(entry) for entry in entries],
        DATA: [data_of(entry) for entry in entries],
    }


def _columns_behind(entries: Sequence[Entry]) -> dict[str, list[Any]]:
    return {
        NOTE: [entry.note for entry in entries],
        PAGE: [page_title(entry) for entry in entries],
        STATUS: [entry.status for entry in entries],
        AT: [entry.at.replace(tzinfo=None) for entry in entries],
    }


def _commonest(settings: Sequence[Setting]) -> list[Setting]:
    """Those that most runs have, in their own order."""
    ranked = sorted(settings, key=lambda setting: setting.values.count(None))
    kept = {setting.path for setting in ranked[:MOST_SETTINGS]}
    return [setting for setting in settings if setting.path in kept]


def _cells(setting: Setting, whole: bool) -> list[Any]:
    """Numbers where all are numbers, so that they are sorted as such; else texts."""
    values = setting.values
    if all(value is None or not isinstance(value, str) for value in values):
        return list(values)
    texts = ["" if value is None else str(value) for value in values]
    return texts if whole else shortened(texts, LONGEST)


def _free(title: str, taken: dict[str, Any]) -> str:
    return f"{title} (setting)" if title in taken else title


def _measures(entries: Sequence[Entry]) -> list[str]:
    """The measures of these runs, those of most runs first."""
    counted = Counter(score.title for entry in entries for score in entry.scores)
    return [title for title, _ in counted.most_common()]


def _scores(entries: Sequence[Entry], title: str) -> list[float | None]:
    means = [{score.title: score.mean for score in entry.scores} for entry in entries]
    return [mean.get(title) for mean in means]


def as_csv(entries: Sequence[Entry]) -> str:
    """Every column of these runs as CSV, with the spread of each score."""
    frame = lines(entries, whole=True).frame
    for title in _measures(entries):
        spread: Any = [
            {score.title: score.spread for score in e.scores}.get(title) for e in entries
        ]
        frame[f"{title}, sd over folds"] = spread
    parents = {entry.digest: entry.number for entry in entries}
    origins: Any = [parents.get(entry.parent) if entry.parent else None for entry in entries]
    frame["From run"] = origins
    return tables.csv(frame)


def as_json(entries: Sequence[Entry]) -> str:
    """These runs with all their settings, names, notes, scores, and what each came from."""
    differing = differing_settings([entry.run for entry in entries])
    document = {
        "differing": [{"path": s.path, "title": s.title or KIND} for s in differing],
        "runs": [_document(entry) for entry in entries],
    }
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False)


def _document(entry: Entry) -> dict[str, Any]:
    return {
        "number": entry.number,
        "name": entry.name,
        "note": entry.note,
        "page": entry.page,
        "status": entry.status,
        "at": entry.at.isoformat(),
        "digest": entry.digest,
        "parent": entry.parent or None,
        "scores": [_score(score) for score in entry.scores],
        "run": run_plain(entry.run),
    }


def _score(score: Score) -> dict[str, Any]:
    """JSON has no number for what is none, such as the spread of a single fold."""
    is_none = {name for name in ("mean", "spread") if not math.isfinite(getattr(score, name))}
    return score._asdict() | dict.fromkeys(is_none)
