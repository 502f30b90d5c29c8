"""A run of a session as its list shows it, and as a project writes it down: a document of JSON."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from mlcore.runs.run import from_json, is_writable
from mlcore.spine.errors import FileError, MlcoreError, ParamError

MOST_RUNS = 1000
MOST_SCORES = 8  # of one run
LONGEST_NAME, LONGEST_NOTE = 60, 500  # letters
STATUS = ("done", "stopped", "failed", "running", "interrupted")
ID, DIGEST = re.compile(r"[0-9a-f]{32}"), re.compile(r"[0-9a-f]{64}|")
PAGE = re.compile(r"[a-z][a-z_]{0,63}|")
END_OF_TIME = 253_402_300_800.0  # the year 10,000, which no calendar of Python knows
MOST_PAIRS = 500
LONGEST_TEXT = 200  # letters of the name of a measure or a method
NOT_ONE = "This is no project of MLScope: {why}."


class Score(NamedTuple):
    """The score of a run in one line; of several methods that of the best, named in `of`."""

    title: str
    mean: float
    spread: float
    of: str = ""
    better: str = "higher"


@dataclass(frozen=True, kw_only=True)
class Line:
    """One run of a session, as its list shows it."""

    id: str  # 32 hexadecimal digits, the same wherever the line goes
    run: Any  # of any kind
    page: str = ""  # where it was looked at; "" where that is not known
    view: Mapping[str, str] | None = None  # pairs of a link
    at: float = 0.0  # seconds since 1970
    status: str = "done"
    scores: tuple[Score, ...] = ()  # by its first measures
    name: str = ""
    note: str = ""
    parent: str = ""  # digest of the run that it was changed from; "" of one that began afresh

    def plain(self) -> dict[str, Any]:
        """As JSON has it; with the digest of the run, by which its results can be told apart."""
        return {
            "id": self.id,
            "run": json.loads(self.run.to_json()),
            "digest": self.run.digest(),
            "page": self.page,
            "view": dict(self.view or {}),
            "at": self.at,
            "status": self.status,
            "scores": [_plain_score(score) for score in self.scores],
            "name": self.name,
            "note": self.note,
            "parent": self.parent,
        }


def lines_of(documents: Any) -> tuple[tuple[Line, ...], tuple[str, ...]]:
    """The runs of a manifest, and a sentence for each that cannot be read.

    Raises FileError where they are no list.
    """
    if not isinstance(documents, list) or len(documents) > MOST_RUNS:
        raise FileError(NOT_ONE.format(why=f"its runs are no list of at most {MOST_RUNS:,}"))
    lines: dict[str, Line] = {}
    problems: list[str] = []
    for at, document in enumerate(documents, start=1):
        try:
            line = line_of(document)
            lines.setdefault(line.id, line)
        except MlcoreError as error:
            problems.append(f"Run {at} is left out: {error}")
    return tuple(lines.values()), tuple(problems)


def line_of(document: Any) -> Line:
    """The run that a part of a manifest describes. Raises an MlcoreError where it is damaged."""
    if not isinstance(document, dict):
        raise FileError("It is no run.")
    run = from_json(_text_of(document.get("run")))
    get = _Getter(document)
    return Line(
        id=get("id", "", ID.fullmatch),
        run=run,
        page=get("page", "", PAGE.fullmatch),
        view=get("view", {}, _is_view),
        at=float(get("at", 0.0, _is_time)),
        status=get("status", "done", STATUS.__contains__),
        scores=tuple(_score(score) for score in get("scores", [], _are_scores)),
        name=get("name", "", lambda text: len(text) <= LONGEST_NAME),
        note=get("note", "", lambda text: len(text) <= LONGEST_NOTE),
        parent=get("parent", "", DIGEST.fullmatch),
    )


class _Getter:
    """Takes values from a document: of the type of their default, and as they have to be."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document

    def __call__(self, name: str, default: Any, is_sound: Callable[[Any], Any]) -> Any:
        value = self._document.get(name, default)
        kind = (int, float) if isinstance(default, float) else type(default)
        is_other = not isinstance(value, kind) or isinstance(value, bool)
        if is_other or not is_writable(value) or not is_sound(value):
            raise FileError(f"Its {name} is damaged.")
        return value


def _text_of(run: Any) -> str:
    try:
        return json.dumps(run)
    except (ValueError, RecursionError):
        raise ParamError("It is nested too deeply.") from None


def _is_view(value: Any) -> bool:
    return len(value) <= MOST_PAIRS and all(isinstance(text, str) for text in value.values())


def _are_scores(values: Any) -> bool:
    return len(values) <= MOST_SCORES and all(map(_is_score, values))


def _is_score(value: Any) -> bool:
    if not isinstance(value, list) or len(value) != 5:
        return False
    title, mean, spread, of, better = value
    if not (isinstance(title, str) and isinstance(of, str) and better in ("higher", "lower")):
        return False
    return all(map(_is_number_or_none, (mean, spread))) and max(len(title), len(of)) <= LONGEST_TEXT


def _is_number_or_none(number: Any) -> bool:
    """Whether it is one of the numbers that a score can be: JSON may write a whole one of
    four hundred digits."""
    if type(number) is int:
        return abs(number) < 2**63
    return isinstance(number, float | None)


def _plain_score(score: Score) -> list[Any]:
    """JSON has no number for what is none, such as the spread of a single fold."""
    numbers = [number if math.isfinite(number) else None for number in score[1:3]]
    return [score.title[:LONGEST_TEXT], *numbers, score.of[:LONGEST_TEXT], score.better]


def _score(value: list[Any]) -> Score:
    mean, spread = (math.nan if number is None else float(number) for number in value[1:3])
    return Score(value[0], mean, spread, *value[3:])


def _is_time(value: Any) -> bool:
    return 0.0 <= value < END_OF_TIME
