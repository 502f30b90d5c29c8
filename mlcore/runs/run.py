"""Runs as pure data: what they are made of and their written forms. Carrying out: carry.py."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Self, TypeVar

from mlcore.spine import codec
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.errors import ParamError
from mlcore.spine.params import integer, part, parts
from mlcore.spine.registry import entries, unknown

VERSION = 1  # of the link format; a changed default says so where it stands
MAX_LINK = 64 * 1024  # bytes; a link is an order to compute, and needs no more
MAX_FILE = 8 * 2**20  # bytes of a saved run; drawn points are the largest part

R = TypeVar("R", bound="AnyRun")


def one_table() -> Any:
    """Declare the data of a run."""
    return part("table", slot="data", doc="The table and what was decided about it.")


def steps_before() -> Any:
    """Declare the preparation of a method."""
    return parts(
        ("impute", "one_hot", "standardise"),
        slot="preparation",
        item="step",
        doc="Steps that are fitted inside every training fold, in this order.",
    )


def rows_left_out() -> Any:
    """Declare how a run is judged."""
    return part("k_fold", slot="splits", doc="How rows are split into training and test rows.")


def start_of_chance() -> Any:
    """Declare the seed of a run."""
    return integer(0, low=0, high=2**31 - 1, soft=(0, 99), doc="Start of all randomness.")


@dataclass(frozen=True, kw_only=True)
class AnyRun(Component):
    """What every kind of run can do: be written, named, and read back.

    What else there is to know of a kind stands in `mlcore.runs.kinds`.
    """

    def to_json(self, *, indent: int | None = None) -> str:
        """Every value, defaults too: a saved run outlives a change of defaults."""
        document = {"v": VERSION, **codec.encode(self)}
        return json.dumps(document, sort_keys=True, indent=indent, allow_nan=False)

    def to_link(self) -> dict[str, str]:
        """Pairs of a link: names of the parts, and the values that differ from their defaults."""
        return {**codec.flatten(self), "v": str(VERSION)}

    @classmethod
    def from_link(cls, pairs: dict[str, str]) -> tuple[Self, tuple[str, ...]]:
        """The run that a link describes, and a sentence for each pair that could not be used.

        Raises ParamError if the link is too long.
        """
        if sum(len(k) + len(v) for k, v in pairs.items()) > MAX_LINK:
            raise ParamError(
                f"A link may have at most {MAX_LINK // 1024} KB; save the run instead."
            )
        version, problems = _version(pairs)
        reading = codec.Reading(pairs, version)
        run = reading.component(cls)
        # Read as the class that is asked for.
        return run, (*problems, *reading.problems, *reading.unread())  # pyrefly: ignore[bad-return]

    def digest(self) -> str:
        """SHA-256 of the canonical JSON without `v`: the same on every machine."""
        return codec.digest(self)

    def short(self) -> str:
        """The digits of the digest that name files."""
        return self.digest()[:12]


@enter(Card("run", "Run", ("run",), kind="run"))
@dataclass(frozen=True, kw_only=True)
class Run(AnyRun):
    """What does this method do with this data, and how well, by cross-validation?"""

    data: Any = one_table()
    preparation: tuple[Any, ...] = steps_before()
    method: Any = part("kmeans", slot="method", doc="What is fitted to the rows.")
    evaluation: Any = rows_left_out()
    seed: int = start_of_chance()


@enter(
    Card(
        "pipeline",
        "Pipeline",
        ("pipeline",),
        kind="part",
        sources=(
            "cs1:scale_pipeline",
            "epfl:pca_then_method",
            "mi2:nonlinear_feature_map_pca",
            "mi2:ica_preprocessing",
            "prac:feature_preprocessing",
            "prac:vector_data",
        ),
        also=("method:pipeline", "method:table_vectorizer"),
        synonyms=("make_pipeline", "workflow"),
    )
)
@dataclass(frozen=True, kw_only=True)
class Pipeline(Component):
    """A method with a preparation of its own, among others that share one.

    So preparations are compared like methods: the same method twice, prepared in two ways. Each
    step picks the columns that it is for by their kind, so one chain makes numbers of any table.
    """

    preparation: tuple[Any, ...] = steps_before()
    method: Any = part("lda", slot="method", doc="What is fitted to the prepared rows.")


@enter(Card("comparison", "Comparison", ("run",), kind="run"))
@dataclass(frozen=True, kw_only=True)
class Comparison(AnyRun):
    """Which of these methods is better on this data, on the same folds?"""

    data: Any = one_table()
    preparation: tuple[Any, ...] = steps_before()
    methods: tuple[Any, ...] = parts(
        ("lda", "logistic"),
        slot="method or pipeline",
        least=2,
        most=10,
        doc="The methods side by side.",
    )
    evaluation: Any = rows_left_out()
    more: tuple[Any, ...] = parts(
        (), slot="data", most=19, doc="Further tables, on each of which the methods are compared."
    )
    seed: int = start_of_chance()

    def runs(self, data: Any = None) -> tuple[Run, ...]:
        """One run a method, on equal folds and seed: of the first data, if none are given."""
        return tuple(self._run(entrant, data or self.data) for entrant in self.methods)

    def _run(self, entrant: Any, data: Any) -> Run:
        own = isinstance(entrant, Pipeline)
        return Run(
            data=data,
            preparation=entrant.preparation if own else self.preparation,
            method=entrant.method if own else entrant,
            evaluation=self.evaluation,
            seed=self.seed,
        )


@enter(Card("trial", "Trial", ("run",), kind="run"))
@dataclass(frozen=True, kw_only=True)
class Trial(AnyRun):
    """What do these agents or planners do with this problem, how fast and how surely?"""

    problem: Any = part("grid_world", slot="problem", doc="An environment, a field or a function.")
    methods: tuple[Any, ...] = parts(
        ("value_iteration", "td_control"),
        slot="agent",
        least=1,
        most=10,
        doc="What is tried on the problem.",
    )
    budget: int = integer(1000, low=1, soft=(100, 10_000), log=True, doc="Steps a replicate has.")
    replicates: int = integer(1, low=1, high=10_000, soft=(1, 200), doc="Independent repetitions.")
    seed: int = start_of_chance()


@enter(Card("lab", "Lab", ("run",), kind="run"))
@dataclass(frozen=True, kw_only=True)
class LabRun(AnyRun):
    """Show me this one idea."""

    lab: Any = part(slot="lab", doc="The lab and the settings of its controls.")
    seed: int = start_of_chance()


def from_json(text: str | bytes) -> AnyRun:
    """The run that a saved file describes, of any kind. Raises ParamError if it describes none.

    `text` is JSON; bytes are read as UTF-8.
    """
    if len(text) > MAX_FILE:
        raise ParamError(f"A saved run may have at most {MAX_FILE // 2**20} MB.")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise ParamError("This is not a saved run: it cannot be read as JSON.") from None
    if not isinstance(document, dict) or "use" not in document:
        raise ParamError("This is not a saved run: it does not say what to use.")
    if not is_writable(document):
        raise ParamError("This saved run holds half of a letter, which nothing can show.")
    kind = document.get("use")
    if not isinstance(kind, str) or kind not in entries("run"):
        raise ParamError(unknown(str(kind), entries("run"), "kind of run"))
    document.pop("about", None)  # for people: where the file is from
    version = document.pop("v", VERSION)
    if not isinstance(version, int) or version > VERSION:
        raise ParamError(
            f"This run was saved by a later release (format {version!r}; this one reads up to "
            f"{VERSION}). Update MLScope to open it."
        )
    return codec.decode("run", document)  # pyrefly: ignore[bad-return]  # the slot holds runs alone


def is_writable(value: Any) -> bool:
    """Whether all texts in a value of JSON can be written in UTF-8.

    JSON can name one half of a surrogate pair; no page, file or link takes such a text.
    """
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError):
        return False
    return True


def _version(pairs: dict[str, str]) -> tuple[int, tuple[str, ...]]:
    """The format of a link, and a sentence where it is none that this release reads."""
    text = pairs.get("v", str(VERSION))
    if text.isascii() and text.isdecimal() and 1 <= int(text[:6]) <= VERSION:
        return int(text[:6]), ()
    return VERSION, (
        f"v must be a format from 1 to {VERSION}; the link says {text[:20]!r} and is read as "
        f"format {VERSION}. A later release of MLScope may read more of it.",
    )


def plain(run: AnyRun) -> dict[str, Any]:
    """The run as nested plain values, for reports and diffs."""
    return codec.encode(run)
