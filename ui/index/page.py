"""All methods: a search, facets, and the entries by page, A to Z or by course.

The address says what is chosen (`ui/index/address.py`). What the finder reports is done before any
control is built, which then begins with it. Entries it opens by their address, as Back does.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from pathlib import Path

import streamlit as st

from mlcore.guides.notes import Notes, courses
from mlcore.runs.carry import does_not_suit
from mlcore.runs.run import Run
from mlcore.spine import outside
from mlcore.spine.errors import MlcoreError
from mlcore.spine.registry import lookup, packages, slots_of
from mlcore.spine.wording import count
from mlcore.spine.wording import listed as listed_names
from ui import frame, state
from ui.components.finder import finder
from ui.index import address, by_course, orders
from ui.index.address import ORDERS
from ui.index.entries import Item, items
from ui.index.facets import KINDS, Facet, counts, facets, kept
from ui.index.glyphs import drawings
from ui.index.rows import link, listed
from ui.runs import running
from ui.search import Hit, search
from ui.wording import plain

TRY = ("SVM", "EM", "ridge", "outliers", "word counts", "reinforcement learning")
PAUSE = "120ms"  # without a letter, after which a search answers
REASONS = "methods.reasons"  # in the session: the present data, and what does not apply to it
STYLE = Path(__file__).with_name("index.css")


def index_page() -> None:
    """Draw the page: the search, the facets, the list."""
    state.inside()
    st.html(STYLE)
    opened = finder("finder", drawings())
    heading = st.empty()
    with heading:
        frame.title("All methods")
    with st.spinner("The methods are being read.", show_time=False, width="content"):
        every = items()
    _packages()
    address.read(is_ours=bool(opened))
    _go(opened)
    with heading:
        frame.title("All methods", _note(every))
    query, order = _head()
    if order == "course":
        _course(every, query)
    else:
        _list(every, query, order)
    address.say()


def _note(every: Mapping[str, Item]) -> str:
    kinds = [item.kind for item in every.values()]
    return f"{count(kinds.count('method'), 'method')}, {count(kinds.count('lab'), 'lab')}"


def _packages() -> None:
    """What packages of others add, and a sentence for each that is left out."""
    if sentences := outside.left_out():
        st.warning("\n\n".join(map(plain, sentences)), icon=":material/extension_off:")
    if added := [package.title for package in packages()]:
        st.caption(plain(f"With {count(len(added), 'package')} of others: {listed_names(added)}."))


def _go(opened: str) -> None:
    """Do what was clicked on: search for a word, turn to a section of the notes, drop a filter."""
    does, _, what = opened.partition(":")
    if does == "search":
        st.session_state["search"] = what[: address.LONGEST]
    elif does == "section":
        name, _, number = what.partition(":")
        if name in courses():
            chapter = (number or by_course.DATA)[: address.LONGEST]
            place = {"by": "course", "notes": name, "search": "", "chapter": chapter}
            st.session_state.update(place)
    elif does == "drop" and any(what in facet.answers for facet in facets()):
        st.session_state[what] = False


def _head() -> tuple[str, str]:
    """The search and the order."""
    left, right = st.columns([3, 1.35], vertical_alignment="bottom")
    query = left.text_input(
        "Search",
        placeholder="Search by name, synonym, author or task",
        key="search",
        max_chars=address.LONGEST,
        on_change=state.moved,
        type="search",
        live=PAUSE,
        icon=":material/search:",
        label_visibility="collapsed",
        persist_state="session",
    )
    order = right.segmented_control(
        "Order",
        list(ORDERS),
        required=True,
        format_func=ORDERS.__getitem__,
        width="stretch",
        key="by",
        on_change=state.moved,
        label_visibility="collapsed",
        persist_state="session",
    )
    # What comes by the wire is not held to the letters that the box takes.
    return (query or "").strip()[: address.LONGEST], order or "page"


def _list(every: Mapping[str, Item], query: str, order: str) -> None:
    hits = search((item.entry for item in every.values()), query) if query else []
    item_of = {id(item.entry): item for item in every.values()}
    there = [item_of[id(hit.entry)] for hit in hits] if query else list(every.values())
    with st.sidebar:
        kind, chosen = _facets(there)
    shown = kept(there, chosen, kind)
    if chosen or not query:
        st.html(_chosen(chosen) if chosen else _try())
    why_not = _why_not(every)
    if query:
        beside = kept(there, chosen, "Others") if kind == "All" else []
        inside = {id(item.entry) for item in chain(shown, beside)}
        _matches([hit for hit in hits if id(hit.entry) in inside], every, query, why_not)
    elif not shown:
        st.markdown("Nothing has all of this. Take one of the filters back.")
        st.button("Clear filters", key="clear-all", on_click=state.moved, args=(_clear,))
    elif order == "name":
        st.html(listed(orders.by_name(shown, why_not)))
    else:
        parts = orders.by_page(shown, why_not, is_filtered=bool(chosen))
        st.html(listed(parts))
        st.caption(
            "▷ has a player. Click or Enter opens it on your table; grey does not apply to it."
        )


def _matches(
    hits: list[Hit],
    every: Mapping[str, Item],
    query: str,
    why_not: orders.Reasons,
    course: str = "",
) -> None:
    item_of = {id(item.entry): item for item in every.values()}
    entries = [item.entry for item in every.values()]
    parts = orders.matches(hits, lambda hit: item_of[id(hit.entry)], query, why_not, course)
    says = f"{len(hits)} of {count(len(every), 'entry', 'entries')}, best match first. "
    says += "↑ ↓ choose, Enter opens, Esc clears."
    if not hits:
        says = "Nothing is called that here. Try a shorter word, or fewer filters."
    st.caption(says)
    spelled = orders.near(entries, query) if len(hits) < 3 else ""
    st.html(listed([*parts, spelled], query))


def _facets(there: list[Item]) -> tuple[str, frozenset[str]]:
    """The kind and the facets, each answer with how many it would show."""
    kind = (
        st.segmented_control(
            "Kind",
            list(KINDS),
            required=True,
            key="kind",
            on_change=state.moved,
            width="stretch",
            label_visibility="collapsed",
            persist_state="session",
        )
        or "All"
    )
    before = frozenset(f for facet in facets() for f in facet.answers if _is_chosen(f))
    n = counts(there, before, kind)
    with st.container(key="facets", gap="small"):
        chosen = frozenset(chain.from_iterable(_facet(facet, n) for facet in facets()))
    if chosen:
        st.button(
            "Clear filters", type="tertiary", key="clear", on_click=state.moved, args=(_clear,)
        )
    return kind, chosen


def _is_chosen(fact: str) -> bool:
    """Whether a filter is set."""
    return st.session_state.get(fact, False)


def _facet(facet: Facet, n: Mapping[str, int]) -> list[str]:
    st.markdown(f"**{facet.title}**")
    return [
        fact
        for fact, label in facet.answers.items()
        if st.checkbox(
            f"{label} :gray[{n[fact]}]",
            key=fact,
            on_change=state.moved,
            persist_state="session",
            disabled=not n[fact] and not _is_chosen(fact),
        )
    ]


def _clear() -> None:
    """Take every filter back."""
    st.session_state.update({fact: False for facet in facets() for fact in facet.answers})
    st.session_state["kind"] = "All"


def _chosen(chosen: frozenset[str]) -> str:
    """Chips of what is chosen: the sidebar may be folded away, as on a phone."""
    labels = {fact: label for facet in facets() for fact, label in facet.answers.items()}
    chips = "".join(link(f"drop:{fact}", f"{labels[fact]} ×", "word") for fact in sorted(chosen))
    return f'<div class="words">{chips}</div>'


def _try() -> str:
    words = "".join(link(f"search:{word}", word, "word") for word in TRY)
    return f'<div class="words"><span>Try</span>{words}</div>'


def _why_not(every: Mapping[str, Item]) -> dict[str, str]:
    """Why methods do not apply to the present table, by key; none where there is none."""
    data = state.session().shared.get("data")
    if data is None:
        return {}
    known = st.session_state.get(REASONS)
    if known is None or known[0] != data:
        known = st.session_state[REASONS] = (data, _reasons(data, every))
    return known[1]


def _reasons(data: object, every: Mapping[str, Item]) -> dict[str, str]:
    try:
        dataset = running.dataset_of(Run(data=data))
    except MlcoreError:
        return {}  # the page of the data says what is wrong with it
    reasons = {}
    for item in every.values():
        family, name = item.entry["family"], item.entry["name"]
        if item.kind == "method" and set(slots_of("method")) & set(lookup(family, name).card.slots):
            reason = does_not_suit(Run(data=data, method=lookup(family, name)()), dataset)
            reasons |= {item.key: reason} if reason else {}
    return reasons


def _course(every: Mapping[str, Item], query: str) -> None:
    """The contents of one course at the left, a chapter of it with its entries."""
    treated = by_course.by_notion(every.values())
    with st.sidebar:
        notes, kinds = _contents(treated)
    if query:
        hits = search((item.entry for item in every.values()), query)
        _matches(hits, every, query, _why_not(every), notes.name)
        return
    number = by_course.chapter_of(notes, st.session_state["chapter"])
    st.html(listed(by_course.chapter(notes, number, treated, kinds)))
    st.caption(
        "Dashed is a function, a picture, an option or data; ✓ was opened in this browser. Order, "
        "numbers and titles are those of the notes."
    )


def _contents(treated: by_course.ByNotion) -> tuple[Notes, list[str]]:
    titles = {name: notes.short for name, notes in courses().items()}
    name = st.selectbox(
        "Course",
        list(titles),
        format_func=titles.__getitem__,
        key="notes",
        on_change=state.moved,
        persist_state="session",
    )
    notes = courses()[name]
    here = sum(notion in treated for notion in notes.notions)
    st.caption(
        plain(f"{notes.author}. {count(len(notes.notions), 'notion')}, {here} of them here.")
    )
    number = by_course.chapter_of(notes, st.session_state["chapter"])
    st.html(by_course.contents(notes, number, treated))
    st.markdown("**Show**")
    shown = [
        kinds
        for label, kinds in by_course.SHOWN.items()
        if st.checkbox(
            label,
            key=f"show.{kinds[0]}",
            on_change=state.moved,
            persist_state="session",
        )
    ]
    return notes, list(chain.from_iterable(shown))
