"""What stands under the score: pictures in cards with their player, folds, code and files."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import streamlit as st

from figures.numbers.recordings import recording_of
from figures.options import Axes, Options
from figures.view import Entry, View, views, views_of_steps, views_on, views_where
from figures.views.preparation.selection_stability import pictures_of
from mlcore.data.dataset import Dataset
from mlcore.runs.in_blocks import together
from mlcore.runs.run import AnyRun, Run
from mlcore.runs.script import script
from mlcore.runs.stamp import stamp
from mlcore.spine.asking import can
from mlcore.spine.capabilities import HasNotes, Iterates
from mlcore.spine.component import Component
from mlcore.spine.errors import MlcoreError
from mlcore.spine.params import params_of
from mlcore.spine.wording import count
from service import tables
from service.kinds import files_of
from ui import downloads, frame, selection, state
from ui.components.picture import picture
from ui.method import cards, options, presses
from ui.method.sheets import Sheet, sheet, sheet_of
from ui.runs import running, sharing
from ui.runs.running import Shown
from ui.wording import plain

LOG = logging.getLogger(__name__)
# What a click on their marks does, where these are no rows (`ui/method/clicks.py`), and the setting
# that the method must have for it, with something in it.
CLICKS = {
    "state_strips": ("click one to open it", ""),
    "network_diagram": ("click a hidden unit to see it large", "hidden_layer_sizes"),
    "state_numbers": ("click a number to take it over", "n_states"),
    "k_distance_curve": ("click the curve to take the distance over as radius", "eps"),
    "radius_criteria": ("click a dot to take its radius over", "eps"),
}


def known(dataset: Dataset, shown: Shown | None, view: Component | None) -> dict[str, Any]:
    """Everything that a picture may be made from, by name."""
    there = {column.name for column in dataset.columns}
    axes = Axes(**{n: v for n, v in _axes(view).items() if v in there})
    offered: dict[str, Any] = {"dataset": dataset, "axes": axes}
    if shown is None or shown.outcome is None:
        return offered
    whole = shown.outcome.whole
    return offered | {
        "outcome": shown.outcome,
        "whole": whole,
        "fit": whole.fit,
        "prepared": whole.prepared,
        "run": shown.outcome.run,
    }


def _axes(view: Component | None) -> dict[str, str]:
    """The columns that were chosen as axes."""
    names = {name: getattr(view, name, "auto") for name in ("x", "y")}
    return {name: value for name, value in names.items() if value not in ("auto", None)}


def lost_axes(dataset: Dataset | None, view: Component) -> tuple[str, ...]:
    """A sentence for each axis whose column is not there, so that the pictures choose theirs."""
    there = {column.name for column in dataset.columns} if dataset else set()
    return tuple(
        f"view.{axis}: there is no column {name!r} to learn from, so the pictures choose "
        "their own axis."
        for axis, name in _axes(view).items()
        if dataset and name not in there
    )


def made(entry: Entry, offered: Mapping[str, Any], chosen: Options | None = None) -> View:
    """The picture, from what it needs of what is offered, with the options that are chosen."""
    if entry.takes("steps"):
        offered = {**offered, "steps": running.steps_of(offered["run"])[1]}
    return entry.drawn(offered, chosen)


def ready(entry: Entry, offered: Mapping[str, Any], chosen: Options | None = None) -> Sheet:
    """The same as text for the browser, kept while what it is made from is there."""
    return sheet(entry, offered, chosen, partial(made, entry, offered, chosen))


def fitting(names: tuple[str, ...], shown: Shown) -> list[Entry]:
    """The pictures of a page that this fit allows, in order."""
    outcome = shown.outcome
    fit = outcome.whole.fit if outcome else None
    entries = views()
    offered = [entries[name] for name in names if entries[name].allowed_by(fit)]
    return [entry for entry in offered if _has_steps(shown) or not entry.takes("steps")]


def _has_steps(shown: Shown) -> bool:
    """Whether there is anything to play: a closed form takes one step."""
    fit = shown.outcome.whole.fit if shown.outcome else None
    is_iterative = can(shown.run.method, Iterates) and fit is not None and fit.n_iter > 1
    return is_iterative and not shown.stale


@dataclass(frozen=True)
class Drawing:
    """A picture and the card on the page that waits for it."""

    entry: Entry
    card: Any

    @property
    def name(self) -> str:
        """The name of the picture."""
        return self.entry.record.name

    @property
    def needs_folds(self) -> bool:
        """Whether it shows more of an outcome than the whole fit."""
        return self.entry.takes("outcome")

    def prepare(self, shown: Shown, dataset: Dataset, view: Component) -> None:
        """Have the picture ready to be sent; why there is none is told where it stands."""
        self.sheet(shown, dataset, view)

    def sheet(self, shown: Shown, dataset: Dataset, view: Component) -> Sheet | None:
        """The picture as text; None where there is none."""
        offered, chosen = known(dataset, shown, view), options.of(view, self.name)
        try:
            return ready(self.entry, offered, chosen)
        except Exception:  # it is logged, or said, when it is to be drawn
            LOG.debug("%s is not drawn ahead", self.name, exc_info=True)
            return None

    def draw(
        self, shown: Shown, dataset: Dataset, view: Component, *, for_good: bool = False
    ) -> None:
        """Fill the card; `for_good` without the controls that would change the address."""
        with self.card:
            _drawn(self.entry, known(dataset, shown, view), shown, view, for_good)


def drawings(names: tuple[str, ...], shown: Shown, dataset: Dataset) -> list[Drawing]:
    """A card for each picture: the first large with its neighbour, the others in rows of two."""
    selection.about(dataset.table.digest())
    drawn = []
    for at, row in enumerate(rows_of(led(fitting(names, shown), dataset))):
        places = st.columns(widths(row, is_first=at == 0))
        for place, entry in zip(places, row, strict=True):
            drawn.append(Drawing(entry, place.container(border=True, height="stretch")))
    return drawn


def led(entries: list[Entry], dataset: Dataset) -> list[Entry]:
    """The pictures that have their axes in the data; of one column those on axes first.

    There they show all that a fit says, where of more columns they are a slice.
    """
    drawable = [entry for entry in entries if entry.has_axes_in(dataset)]
    if len(dataset.columns) > 1:
        return drawable
    return sorted(drawable, key=lambda entry: not entry.takes("axes"))


def rows_of(entries: list[Entry]) -> list[list[Entry]]:
    """Pictures in pairs, those that need the whole width alone."""
    rows: list[list[Entry]] = []
    for entry in entries:
        if rows and len(rows[-1]) == 1 and not (entry.is_wide or rows[-1][0].is_wide):
            rows[-1].append(entry)
        else:
            rows.append([entry])
    return rows


def widths(row: list[Entry], *, is_first: bool) -> list[int]:
    """How the pictures of a row part it: the first of a page leads, unless the other asks for as
    much."""
    if len(row) == 1:
        return [1]
    return [5, 3] if is_first and row[1].share == 1 else [1, 1]


def _drawn(
    entry: Entry, offered: Mapping[str, Any], shown: Shown, view: Component, for_good: bool
) -> None:
    heading, chosen = head(entry, offered, view, for_good)
    try:
        drawn = ready(entry, offered, chosen)
    except MlcoreError as error:
        with heading, st.container(key=f"no-picture-{entry.record.name}"):
            frame.card_heading(entry.record.title)
            st.markdown(plain(str(error)))
        return
    except Exception:  # one picture with a fault of ours must not take the score away
        LOG.exception("The picture %s could not be drawn", entry.record.name)
        with heading:
            frame.card_heading(entry.record.title)
        whose = plain(entry.source)
        st.error(f"This picture could not be drawn: a fault in {whose}, noted in MLScope's log.")
        return
    name = entry.record.name
    hint = "" if for_good or shown.stale else _hint(name, shown.run)
    with heading:
        frame.view_heading(replace(drawn, note=f"{drawn.note}; {hint}") if hint else drawn)
    is_played = not for_good and _has_steps(shown) and drawn.is_stepped
    player = _player(shown.run, partial(made, entry, offered, chosen)) if is_played else None
    run = offered.get("run", shown.run)  # a stale picture is of the former run
    event = show(drawn, name, stale=shown.stale, run=run, player=player, step=_step(view))
    if event.step is not None:
        _link_to(event.step)
    if drawn.offer and not (for_good or shown.stale):
        _offer(drawn.offer, name)
    if drawn.presses and not (for_good or shown.stale):
        presses.offered(drawn.presses, run, name)


def _hint(name: str, run: Run) -> str:
    """What a click on the marks of a picture does; empty where they are rows."""
    hint, setting = CLICKS.get(name, ("", ""))
    is_there = not setting or (
        setting in params_of(type(run.method)) and getattr(run.method, setting) != ()
    )
    return hint if is_there else ""


def _offer(columns: tuple[str, ...], name: str) -> None:
    """The press that puts two columns on the axes, where a picture says that they show more."""
    st.button(
        f"Show {plain(' and '.join(columns))}",
        icon=":material/grid_on:",
        key=f"offer.{name}",
        help="Puts these two columns on the axes of the pictures. Undo brings the others back.",
        on_click=_look_at,
        args=columns,
    )


def _look_at(x: str, y: str) -> None:
    session = state.session()
    now = session.states[session.here]
    state.show(type(now)(now.run, type(now.view)(**{**vars(now.view), "x": x, "y": y})))


def head(
    entry: Entry, offered: Mapping[str, Any], view: Component, for_good: bool = False
) -> tuple[Any, Options | None]:
    """The place of the heading, and the options of the picture, with their control beside it."""
    if entry.options is None or for_good:
        return st.container(), options.of(view, entry.record.name)
    with st.container(horizontal=True, vertical_alignment="top", key=f"head-{entry.record.name}"):
        heading = st.container()
        return heading, options.control(entry, view, [offered])


def show(
    drawn: View | Sheet,
    name: str,
    *,
    stale: bool = False,
    run: AnyRun | None = None,
    player: Callable[[], Any] | None = None,
    step: int | None = None,
    height: int = 0,
    rows: Mapping[int, Any] | None = None,
    moved: Callable[[float], None] | None = None,
) -> Any:
    """One picture with its reading and numbers, as high as it was drawn if nothing else is said.

    `rows` names what marks stand for that are no rows of a table, by index of their trace; `moved`
    takes the value at which the handle of a picture was let go.
    """
    it = drawn if isinstance(drawn, Sheet) else sheet_of(drawn)
    own = None if stale else it.player
    fields: dict[str, Any] = fields_of(it, name, run) | ({"height": height} if height else {})
    event = picture(
        fields.pop("figure"),
        name,
        **fields,
        rows=rows,
        stale=stale,
        player=player or own,
        step=_step(open_view()) if own else step,
        moved=moved,
    )
    if own and event.step is not None:
        _link_to(event.step)
    return event


def fields_of(drawn: Sheet, name: str, run: AnyRun | None) -> dict[str, Any]:
    """What the browser gets of a picture that follows from what it is drawn from."""
    return {
        "figure": drawn.figure,
        "height": drawn.height,
        "reading": drawn.reading,
        "table": drawn.table,
        "filename": f"{name}-{run.short()}" if run else name,
        "stamp": stamp(run) if run else "",
    }


def open_view() -> Any:
    """The view of the page that is open."""
    session = state.session()
    return session.states[session.here].view


def _step(view: Component) -> int | None:
    """The step of the player, 0 for the start; an address counts from one less."""
    step = getattr(view, "step", None)
    return None if step is None else step + 1


def _link_to(step: int) -> None:
    """Put the position of the player into the address."""
    session = state.session()
    now = session.states[session.here]
    if hasattr(now.view, "step"):
        view = type(now.view)(**{**vars(now.view), "step": step - 1})
        state.publish(session.here, type(now)(now.run, view))


def _player(run: Run, make: Callable[[], View]) -> Callable[[], Any]:
    """The recording for the player, made in a worker when the player is opened."""

    def record() -> Any:
        whole, steps = running.steps_of(run)
        return recording_of(make(), whole, steps, running.dataset_of(run))

    return record


def fold_dots(outcome: Any, stale: bool = False) -> None:
    """The strip of the score header."""
    dots = ready(views()["fold_dots"], {"outcome": outcome})
    show(dots, "fold_dots", stale=stale, run=outcome.run)


def greeting(shown: Shown, dataset: Dataset) -> None:
    """The picture on the first page."""
    entry = views()["decision_regions"]
    show(ready(entry, known(dataset, shown, None)), "greeting", run=shown.run, height=330)


def files(shown: Shown, dataset: Dataset) -> None:
    """What can be taken away of a run."""
    view, outcome = open_view(), shown.outcome
    look = options.look(view, known(dataset, None, view))
    uploads = running.session_tables()
    downloads.offer(files_of(outcome.run, outcome, dataset, sharing.link(), uploads, look))


def how(method: Component) -> None:
    """What the method is, and the guides that treat it."""
    cards.how_it_works(method)
    cards.guides_of(state.session().here, method)


def code(run: Run) -> None:
    """The script that repeats a run."""
    st.code(script(run), language="python")
    st.caption(
        "Repeats this run without the dashboard: the same numbers to the last bit with the same "
        "versions and number of threads."
    )


def folds(shown: Shown, dataset: Dataset) -> None:
    """What each fold fitted, its scores, and the rows that are left aside."""
    outcome = shown.outcome
    if outcome is None:
        return
    y = dataset.y if dataset.task == "classification" else None
    splitter: Any = outcome.run.evaluation
    kept = together(outcome.run.method, dataset, splitter)
    description = splitter.describe(y, kept.codes, kept.unit)
    remarks = splitter.remarks(y, kept.codes, dataset.classes, kept.unit)
    remarks = (kept.remark, *remarks) if kept.remark else remarks
    notes = outcome.whole.fit.notes if can(outcome.whole.fit, HasNotes) else ()
    for note in (f"{description[:1].upper()}{description[1:]}.", *dataset.notes, *remarks, *notes):
        st.markdown(plain(note))
    ribbon = views()["fold_ribbon"]
    dots = ready(ribbon, known(dataset, shown, None))
    show(dots, "fold_ribbon", stale=shown.stale, run=shown.run)
    _selection(shown)
    titles = {metric.name: metric.title for metric in outcome.judge.metrics()}
    scores = tables.scores(outcome).rename(columns=lambda name: _column_title(name, titles))
    st.dataframe(scores, hide_index=True)
    description = ", ".join(f"{name} {version}" for name, version in outcome.versions)
    st.caption(f"Run {shown.run.short()}, seed {shown.run.seed}; {description}.")


def _column_title(name: str, titles: dict[str, str]) -> str:
    """What a column of a table is called on a page; the name of a measure stands first in it."""
    first, _, rest = name.partition(" ")
    return f"{titles.get(first, first.capitalize())} {rest}".strip()


def of_preparation(shown: Shown) -> tuple[str, ...]:
    """The pictures of what a preparation does and learns; of a choice only if it makes one."""
    every = views_on("preparation")
    if shown.outcome is None:
        return every
    of_steps = views_of_steps(shown.outcome.whole.prepared)
    return (*every, *of_steps, *pictures_of(shown.outcome))


def _selection(shown: Shown) -> None:
    """Which variables the folds chose, and how all rows choose; nothing where none are chosen."""
    offered = {"outcome": shown.outcome, "prepared": shown.outcome.whole.prepared}
    for name in pictures_of(shown.outcome):
        drawn = ready(views()[name], offered)
        frame.card_heading(drawn.title, drawn.note)
        show(drawn, name, stale=shown.stale, run=shown.run)


def data_note(dataset: Dataset | None) -> str:
    """Name, size and sequences of the table, and the error of the best rule if that is known."""
    if dataset is None:
        return ""
    table, error = dataset.table, getattr(dataset.truth, "bayes_error", None)
    size = f"{count(table.n_rows, 'row')}, {count(len(table.names), 'column')}"
    size += f" · {dataset.in_sequences}" if dataset.in_sequences else ""
    best = "" if error is None else f" · the best rule errs in {_rate(error)}"
    return f"{dataset.name} · {size}{best}"


def _rate(error: float) -> str:
    return "under 0.01 %" if 0 < error < 1e-4 else f"{100 * error:.2g} %"


def data_tabs(dataset: Dataset, view: Component, rows: Callable[[Dataset], None]) -> None:
    """The rows and the pictures of a table; only the open tab is drawn."""
    entries = views()
    names = (*views_on("data"), *views_where(dataset))
    titles = {"rows": "Rows"} | {name: entries[name].record.title for name in names}
    chosen = st.segmented_control(
        "What to look at", list(titles), default="rows", required=True,
        format_func=titles.__getitem__, label_visibility="collapsed", key="data.tab",
        on_change=state.moved,
    )  # fmt: skip
    if chosen == "rows":
        rows(dataset)
        return
    selection.about(dataset.table.digest())
    offered = known(dataset, None, view)
    heading, look = head(entries[chosen], offered, view)
    drawn = ready(entries[chosen], offered, look)
    with heading:
        frame.view_heading(drawn)
    show(drawn, chosen)
