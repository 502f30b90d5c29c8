"""The card of a method: what it is, its formula, what it costs, when it fails, who wrote it."""

from __future__ import annotations

import inspect
from typing import Any

import streamlit as st

from mlcore import guides
from mlcore.spine.component import Component
from mlcore.spine.params import params_of
from mlcore.spine.registry import lookup, slots_of
from ui import controls

NOTES = {
    "epfl": "EPFL, Machine Learning Techniques",
    "mi2": "TU Berlin, Machine Intelligence II",
    "prac": "Machine Learning: A Practical Course",
    "cs1": "CentraleSupélec, Machine Learning, part 1",
    "cs2": "CentraleSupélec, Machine Learning, part 2",
    "s841": "Waterloo, stat841",
}


def card(entry: dict[str, Any], page: str | None) -> None:
    """One entry of the index."""
    said = entry["family"] + (", step by step" if entry["has_steps"] else "")
    st.markdown(f"**{entry['title']}** <small>{said}</small>", unsafe_allow_html=True)
    st.markdown(entry["summary"])
    if entry["paper"]:
        st.caption(entry["paper"])
    if entry["sources"]:
        st.caption("Treated in: " + "; ".join(treated_in(tuple(entry["sources"]))))
    if page:
        st.page_link(f"pages/{page}.py", label="Try it", query_params=opening(entry))


def opening(entry: dict[str, Any]) -> dict[str, str]:
    """The pairs of a link that opens an entry on its page."""
    family, name = entry["family"], entry["name"]
    if family == "guides":
        return {}
    if family == "lab":
        return {"view.lab": name, "v": "1"}
    if family in ("data", "source"):
        return {"data": name, "v": "1"}
    if family == "problem":
        return {"problem": name, "v": "1"}
    if family not in slots_of("agent"):
        return {"method": name, "v": "1"}
    problem = lookup(family, name).acts_in.example
    return {"problem": problem, "methods": name, "budget": "500", "replicates": "30", "v": "1"}


def treated_in(sources: tuple[str, ...]) -> list[str]:
    """The notes that treat an entry, by their names."""
    codes = dict.fromkeys(source.split(":")[0] for source in sources)
    return [NOTES.get(code, code) for code in codes]


def how_it_works(method: Component) -> None:
    """Definition, formula, cost, when it fails, references, parameters."""
    left, right = st.columns([3, 2])
    with left:
        st.markdown(inspect.cleandoc(type(method).__doc__ or ""))
        if method.card.formula:
            st.latex(method.card.formula)
    with right:
        if method.card.paper:
            st.markdown(f"**Reference** {method.card.paper}")
        if method.card.sources:
            st.markdown("**In the notes** " + "; ".join(treated_in(method.card.sources)))
        if method.card.peer:
            st.markdown(f"**Compared with** `{method.card.peer}`")
        _parameters(type(method))


def guides_of(page: str, method: str = "") -> None:
    """The guides of a page, beside a method if one is named, each to be unfolded."""
    for guide in guides.of_page(page, method):
        with st.expander(guide.title):
            st.markdown(guide.text)
            st.caption("Treated in: " + "; ".join(treated_in(guide.sources)))


def _parameters(cls: type[Component]) -> None:
    lines = ["| setting | meaning |", "| --- | --- |"]
    for name, param in params_of(cls).items():
        label = controls.label_of(param, name)
        lines.append(f"| {label} | {controls.help_of(param)} |")
    if len(lines) > 2:
        st.markdown("\n".join(lines))
