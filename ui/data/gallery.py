"""Every data set that comes with MLScope and every generator, as cards to search through."""

from __future__ import annotations

import inspect
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape

import streamlit as st

from figures.thumbnails import thumbnail
from mlcore.data import bundled
from mlcore.data.dataset import TableData
from mlcore.data.examples import Example, examples
from mlcore.data.glimpses import Glimpse, glimpses, makers
from mlcore.spine.registry import entries
from mlcore.spine.wording import count
from ui import state
from ui.method.cards import treated_in

MEASURED, MAKERS, EVERY = "Measured", "Generators", "All"
TASKS = {
    "any": "Any task", "classification": "Classes", "regression": "A quantity", "": "No target",
}  # fmt: skip
AT_ONCE = 24  # cards of a page
KEPT = "gallery.kept"  # the words, for when one comes back to the list


@dataclass(frozen=True)
class Item:
    """One card."""

    name: str  # stands in links
    title: str
    group: str
    shows: str
    origin: str  # who measured it under which licence, or what draws it
    more: str  # what there is to know besides: changes, or the distribution that is drawn
    sources: tuple[str, ...] = ()
    keywords: str = ""  # further words by which it is found

    @property
    def glimpse(self) -> Glimpse:
        """Size, task and picture."""
        return glimpses()[self.name]

    def has(self, words: Sequence[str]) -> bool:
        """Whether all these words are said of it."""
        fields = (self.name, self.name.replace("_", " "), self.title, self.group, self.shows,
                  self.origin, self.keywords, *treated_in(self.sources))  # fmt: skip
        text = " ".join(fields).lower()
        return all(word in text for word in words)


@cache
def items() -> tuple[Item, ...]:
    """Every set, group by group, the generators last."""
    return (*_measured(), *_examples(), *_generators())


def _measured() -> Iterator[Item]:
    for it in bundled.files():
        version = f"From {it.package} {it.version}. " if it.package else f"{it.confirmed} "
        more = f"{it.source}. {version}Changes: {it.changes}"
        yield Item(it.name, it.title, MEASURED, it.shows, f"Licence: {it.licence}", more,
                   it.sources, it.source)  # fmt: skip


def _examples() -> Iterator[Item]:
    for it in examples().values():
        yield Item(it.name, it.title, it.group, it.shows, *_origin(it), it.sources)


def _origin(it: Example) -> tuple[str, str]:
    if it.generator:
        maker = entries("source")[it.generator]
        return f"Drawn by: {maker.title()}", inspect.cleandoc(maker.__doc__ or "")
    if it.part_of:
        whole = bundled.files()[bundled.names().index(it.part_of)]
        return f"Rows of: {whole.title}", f"{whole.source}. Licence: {whole.licence}"
    return "Written down, row by row", "A table of MLScope, under the licence of MLScope."


def _generators() -> Iterator[Item]:
    for name, maker in makers().items():
        text = inspect.cleandoc(maker.__doc__ or "")
        shows = next((p for p in text.split("\n\n") if p.startswith("Shows")), text)
        knobs = "Drawn anew with settings of your own"
        yield Item(name, maker.title(), MAKERS, " ".join(shows.split()), knobs, text,
                   maker.card.sources, text)  # fmt: skip


def gallery(data: TableData) -> None:
    """Search, groups and tasks above, the cards below."""
    used = getattr(data.source, "name", data.source.card.name)
    items = _chosen(used)
    if not items:
        st.markdown("No data set is called that here. Try a shorter word, or any task.")
        return
    shown = st.session_state.get("gallery.shown", AT_ONCE)
    cards = items[:shown]
    for at in range(0, len(cards), 3):
        for place, item in zip(st.columns(3), cards[at : at + 3], strict=False):
            with place.container(border=True, height="stretch", gap="small"):
                _card(item, used)
    if len(items) > shown:
        more = min(AT_ONCE, len(items) - shown)
        st.button(f"Show {more} more of {len(items)}", key="gallery.more", on_click=_show_more,
                  args=(shown + AT_ONCE,))  # fmt: skip


def _chosen(used: str) -> list[Item]:
    """The cards that words, group and task leave."""
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    typed = left.text_input(
        "Search all data sets",
        st.session_state.get(KEPT, ""),
        placeholder="name, idea, shape or source: spiral, outlier, missing, Fisher",
        key="gallery.words",
        on_change=_begin_anew,
    )
    st.session_state[KEPT] = typed
    words = (typed or "").lower().split()
    task = right.segmented_control(
        "What can be predicted", list(TASKS), default="any", required=True,
        format_func=TASKS.__getitem__, key="gallery.task", on_change=_begin_anew,
    )  # fmt: skip
    fitting = [item for item in items() if task in ("any", item.glimpse.task)]
    if words:
        matching = [item for item in fitting if item.has(words)]
        st.caption(f"{count(len(matching), 'data set')} of {len(items())}")
        return matching
    groups = list(dict.fromkeys(item.group for item in items()))
    own = next((item.group for item in items() if item.name == used), MEASURED)
    group = st.pills(
        "Kind of data",
        [EVERY, *groups],
        default=own,
        key=state.key("pick.group"),
        on_change=_begin_anew,
        label_visibility="collapsed",
    )
    return [item for item in fitting if (group or own) in (EVERY, item.group)]


def _begin_anew() -> None:
    st.session_state.pop("gallery.shown", None)
    state.moved()


def _show_more(shown: int) -> None:
    st.session_state["gallery.shown"] = shown
    state.moved()


def _card(item: Item, used: str) -> None:
    it = item.glimpse
    st.html(
        f'<div class="set">{_picture(item.name)}<div><b>{escape(item.title)}</b> '
        f"<small>{it.rows:,} × {it.columns}</small><p>{escape(item.shows)}</p></div></div>"
    )
    with st.container(
        horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"
    ):
        st.caption(item.origin, help=item.more, width="content")
        st.button(
            "Use it",
            key=f"pick.{item.name}",
            on_click=_use,
            args=(item.name,),
            disabled=used == item.name,
        )


@cache
def _picture(name: str) -> str:
    """The small picture as it stands in a card; Streamlit lets an SVG through as an image only."""
    drawn = thumbnail(glimpses()[name])
    if not drawn:
        return ""
    coded = b64encode(drawn.encode()).decode()
    return f'<img alt="" src="data:image/svg+xml;base64,{coded}">'


def _use(name: str) -> None:
    """Take the set and show its table; a generator is opened with its knobs."""
    st.session_state["door"] = "Generate" if name in makers() else "Table"
    state.change(data=TableData(source=name))
