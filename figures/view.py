"""What a view gives, and the registry of views.

A view is four small functions and one that joins them: `numbers(result) -> NamedTuple`, tested on
values, then `draw`, `reading` and `table` of these numbers alone. Pages call the joined function,
entered with `@view`, and show what it returns.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache, partial, wraps
from importlib import import_module
from inspect import signature
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np

import figures.graph as go
from figures.drawing.marks import log_axes, small_axes
from figures.literal import literal
from figures.names import fit_names
from figures.options import Offered, Options, settled
from figures.recording import Changes, Recording
from mlcore.data.dataset import Dataset
from mlcore.preparation.chain import Prepared
from mlcore.runs.carry import Whole
from mlcore.spine import outside
from mlcore.spine.asking import Asked, can, every
from mlcore.spine.errors import DataError
from mlcore.spine.records import Record, summary
from mlcore.spine.registry import package_of, packages, slots_of
from mlcore.spine.wording import typeset

MOST_LINES = 20_000  # of a table beside a picture: more would weigh megabytes at every rerun
When = Callable[[Dataset, Whole | None], bool]
Step = Callable[[Any, dict[str, int], Any, Any], Changes]
N = TypeVar("N")
P = ParamSpec("P")


class TableColumn(NamedTuple):
    """One column of the numbers beside a picture."""

    name: str
    values: Any  # one entry a line: an array or a tuple of texts


class Press(NamedTuple):
    """A setting of the method that a picture speaks for, and what speaks for it."""

    text: str  # on the button
    setting: str
    value: Any
    why: str

    @property
    def key(self) -> str:
        """What tells it from the others of a picture."""
        return f"{self.setting}.{self.value}"


@dataclass(frozen=True, eq=False)
class View:
    """A picture with its text reading and its numbers, ready to be shown.

    `note` stands in grey beside the heading and says what the picture is computed on. `rows` holds
    the row of the table behind each line of `table`, where a line stands for one. `numbers` is what
    was drawn: a recording for the player starts from it. `step(numbers, at, whole, dataset)` gives
    what differs in the picture of the fit as it stood at a step, for a picture that steps change;
    `at` holds the index of each trace that has a name.
    """

    figure: go.Figure
    reading: str
    table: tuple[TableColumn, ...]
    note: str = ""
    rows: np.ndarray | None = None  # (lines of the table,)
    name: str = ""
    title: str = ""
    problems: tuple[str, ...] = ()  # a sentence for each option that cannot be had
    numbers: Any = None
    step: Step | None = None
    player: Callable[[], Recording] | None = None  # of what a fit itself remembers of its steps
    offer: tuple[str, ...] = ()  # two columns that would show more as axes
    presses: tuple[Press, ...] = ()  # settings that the picture speaks for


@dataclass(frozen=True)
class Entry:
    """A view in the registry: its record, the function, and what it asks of a fit.

    `unless` is what a fit must not have, because the picture would mislead there.
    `of_step` is what it asks of a fitted step of the preparation, if it is a picture of one.
    `when` says of a data set, and of a fit to it that can do what is asked or of None, whether it
    is a picture of them: such views are offered wherever they fit. `options` are what may be chosen
    of it. `on` names where else it stands, `order` its place there, `is_wide` whether it needs a
    row of its own, `share` how much of one it gets beside another.
    """

    record: Record
    make: Callable[..., View]
    asks: tuple[Asked, ...]
    unless: tuple[Asked, ...] = ()
    of_step: tuple[Asked, ...] = ()
    when: When | None = None
    options: type[Options] | None = None
    on: tuple[str, ...] = ()
    order: int = 0
    is_wide: bool = False
    share: int = 1

    def allowed_by(self, fit: Any) -> bool:
        """Whether a fit has all that the picture asks for, and nothing that makes it misleading."""
        return can(fit, *self.asks) and not any(can(fit, each) for each in self.unless)

    @property
    def needs(self) -> tuple[str, ...]:
        """The names of what it may be made from: the parameters of the function."""
        return tuple(name for name in signature(self.make).parameters if name != "options")

    def takes(self, *names: str) -> bool:
        """Whether it is made from something of one of these names."""
        return not set(self.needs).isdisjoint(names)

    def has_axes_in(self, dataset: Dataset) -> bool:
        """Whether columns of a data set can be its axes, if it is drawn on any: texts cannot."""
        return not self.takes("axes") or any(c.kind != "text" for c in dataset.columns)

    def drawn(self, offered: Offered, chosen: Options | None = None) -> View:
        """The picture, from what it needs of what is offered, with the options that are chosen.

        An option that cannot be had here gives way to its default, and the view says so.
        """
        given = {name: offered[name] for name in self.needs if name in offered}
        if self.options is None:
            return self.make(**given)
        options, problems = settled(chosen or self.options(), offered)
        return replace(self.make(**given, options=options), problems=problems)

    @property
    def source(self) -> str:
        """Whose it is, for a sentence: MLScope itself, or a package of others."""
        package = package_of(self.make.__module__)
        return f"the package {package.title}" if package else "MLScope itself"

    @property
    def title(self) -> str:
        """What stands above it."""
        return self.record.title


_VIEWS: dict[str, Entry] = {}
# Where views are entered while those of a package of others are read; None: with ours.
_INTO: ContextVar[dict[str, Entry] | None] = ContextVar("into", default=None)


def view(
    name: str,
    *,
    title: str,
    asks: Asked | tuple[Asked, ...] = (),
    unless: Asked | tuple[Asked, ...] = (),
    of_step: Asked | tuple[Asked, ...] = (),
    when: When | None = None,
    options: type[Options] | None = None,
    on: str = "",
    order: int = 0,
    is_wide: bool = False,
    share: int = 1,
    sources: tuple[str, ...] = (),
    synonyms: tuple[str, ...] = (),
) -> Callable[[Callable[P, View]], Callable[P, View]]:
    """Enter a function that makes a view.

    `asks` names the capabilities that a fit must have, all of them, `unless` those that it must not
    have, `of_step` those of a step of the preparation; `when` decides by the data. `options`
    declares what may be chosen of the picture; the function gets it as its argument `options`, the
    defaults where none are given.
    `on` says where it stands, small `order` first, those that decide by the data and have none
    last: on the pages of methods, by their slot
    ("classification svm"); on those of trials, where the world says that its `pictures` are; on
    `data` and `preparation`; and whether it stands in the `report` of such a method, and on
    `compare` for each of several. DataError where a view has both: it would stand there twice.
    """
    if on and when:
        raise DataError(
            f"The view {name!r} must say either `on` or `when`, and says both: what decides by the "
            "data is offered wherever it fits. Leave one out."
        )

    def entered(make: Callable[P, View]) -> Callable[P, View]:
        @wraps(make)
        def named(*args: P.args, **kwargs: P.kwargs) -> View:
            if options is not None:
                kwargs.setdefault("options", options())
            return replace(_made_by(make, title, make(*args, **kwargs)), name=name, title=title)

        record = Record(
            "view",
            name,
            title,
            "figures",
            sources=sources,
            summary=summary(make),
            synonyms=synonyms,
        )
        asked = {"asks": every(asks), "unless": every(unless), "of_step": every(of_step)}
        places = tuple(on.split())
        placed = {"order": order, "is_wide": is_wide, "share": share, "on": places}
        into = _INTO.get()
        (_VIEWS if into is None else into)[name] = Entry(
            record, named, **asked, when=when, options=options, **placed
        )
        return named

    return entered


def _made_by(make: Callable[..., Any], title: str, made: Any) -> View:
    """What a function returned; DataError where that is no view, as one of a package may."""
    if isinstance(made, View):
        return made
    came = "nothing" if made is None else f"an object of type {type(made).__name__}"
    raise DataError(
        f"The picture {title!r} must be a View, and {make.__module__}.{make.__name__} returned "
        f"{came}. It should end with `return joined(...)`, of figures.view."
    )


def joined(
    numbers: N,
    draw: Callable[[N], go.Figure],
    reading: Callable[[N], str],
    table: Callable[[N], tuple[TableColumn, ...]],
    *,
    note: str = "",
    rows: np.ndarray | None = None,
    step: Step | None = None,
    player: Callable[[], Recording] | None = None,
    offer: tuple[str, ...] = (),
    presses: tuple[Press, ...] = (),
) -> View:
    """The view of these numbers; a very long table is cut, and the reading says so.

    The picture gets the texts of people as plain text (`figures/literal.py`); reading and table,
    which no one reads as markup, have them as they were written.
    """
    drawn = literal(numbers)
    figure = small_axes(log_axes(fit_names(draw(drawn))))
    sentence, columns = reading(numbers), table(numbers)
    lines = len(columns[0].values)
    if lines > MOST_LINES:
        sentence += f" The table beside holds the first {MOST_LINES} of {lines} lines."
        columns = tuple(TableColumn(c.name, c.values[:MOST_LINES]) for c in columns)
        rows = None if rows is None else rows[:MOST_LINES]
    more = {"step": step, "player": player, "offer": offer, "presses": presses}
    return View(figure, typeset(sentence), columns, note, rows, numbers=drawn, **more)


def views() -> dict[str, Entry]:
    """Every view by name; imports all of `figures.views`."""
    _read_ours()
    _read_others()
    return dict(sorted(_VIEWS.items()))


@cache
def _read_ours() -> None:
    """Import all of `figures.views`; once, since a page asks many times and walking reads disk."""
    for module in walk_packages([str(Path(__file__).parent / "views")], "figures.views."):
        import_module(module.name)


@cache
def _read_others() -> None:
    """Import the views of packages of others, all of one or none."""
    for package in packages():
        read = partial(_views_of, package)
        _VIEWS.update(outside.carried_over(package, dict(_VIEWS), read, "views"))


def _views_of(package: outside.Package) -> dict[str, Entry]:
    """The views that the modules of a package enter, apart from ours until all are read."""
    entered: dict[str, Entry] = {}
    before = _INTO.set(entered)
    try:
        for module in package.views:
            import_module(module)
    finally:
        _INTO.reset(before)
    return entered


def optional() -> dict[str, type[Options]]:
    """The options of every view that has some, by its name."""
    return {name: entry.options for name, entry in views().items() if entry.options}


def views_on(*places: str, also: str = "") -> tuple[str, ...]:
    """The names of the views that stand in any of these places, in order; `also` in one more."""
    wanted = {slot for place in places for slot in slots_of(place)}
    entries = [entry for entry in views().values() if not wanted.isdisjoint(entry.on)]
    entries = [entry for entry in entries if not also or also in entry.on]
    return tuple(entry.record.name for entry in sorted(entries, key=lambda entry: entry.order))


def views_for(places: tuple[str, ...], dataset: Dataset, whole: Whole | None) -> tuple[str, ...]:
    """The names of the views of these places and of those that decide by the data, in order.

    Of the latter those that declare no order come last.
    """
    names = (*views_on(*places), *views_where(dataset, whole))

    def place(name: str) -> float:
        entry = views()[name]
        return float("inf") if entry.when and not entry.order else entry.order

    return tuple(sorted(names, key=place))


def views_of_steps(prepared: Prepared) -> tuple[str, ...]:
    """The names of the views that some fitted step of a preparation has what they ask for."""
    return tuple(
        name
        for name, entry in views().items()
        if entry.of_step and any(can(fit, *entry.of_step) for fit in prepared.fits)
    )


def views_where(dataset: Dataset, whole: Whole | None = None) -> tuple[str, ...]:
    """The names of the views that decide by the data and fit these, or this fit to them."""
    fit = whole.fit if whole else None
    fitting = {name: it.when for name, it in views().items() if it.when and it.allowed_by(fit)}
    return tuple(name for name, when in fitting.items() if when(dataset, whole))
