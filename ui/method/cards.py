"""The card of a method: what it is, its formula, what it costs, when it fails, who wrote it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from difflib import SequenceMatcher
from typing import Any

import streamlit as st

from figures.view import views
from mlcore import guides
from mlcore.guides import notes
from mlcore.spine.component import Component
from mlcore.spine.params import params_of
from mlcore.spine.registry import lookup, slots_of
from mlcore.spine.wording import with_formulas
from ui.labels import help_of, label_of

# The page of a slot, and of the place of a view.
PAGE_OF = {
    "reduction": "dimensionality_reduction",
    "clustering": "clustering",
    "novelty": "clustering",
    "classification": "classification",
    "regression": "regression",
    "svm": "kernels",
    "gaussian_process": "kernels",
    "neural": "neural_networks",
    "sequences": "sequences",
    "preparation": "preprocessing",
    "bandit": "sequential_decision_making",
    "planning": "sequential_decision_making",
    "learning": "sequential_decision_making",
    "problem": "sequential_decision_making",
    "contexts": "sequential_decision_making",
    "mdp": "sequential_decision_making",
    "solved_mdp": "sequential_decision_making",
    "continuous_states": "sequential_decision_making",
    "data": "data",
    "source": "data",
    "compare": "compare",
}


WEIGHTS = {
    "copies": "A row of weight 2 counts as two equal rows, which are left out together.",
    "precisions": "A row of weight 2 has half the variance of one of weight 1; degrees of freedom "
    "count rows, not their weights.",
}
ALIKE = 0.8  # of two formulas that are the same to a reader
_FORMULA = re.compile(r"\$([^$]+)\$")
_SETTING = re.compile(r"\\(?:q?quad|left|right|[bB]igg?[lr]?|text|mathrm|tfrac|frac|[,;!])|[\s{}]")
TABLE_PAGES = ("data", "preprocessing")  # without a method, so that guides have their own tab


def page_of(entry: Mapping[str, Any]) -> str | None:
    """The page that shows an entry, if one does."""
    if entry["page"]:
        return entry["page"]
    places = views()[entry["name"]].on if entry["kind"] == "view" else (entry["family"],)
    if entry["kind"] not in ("view", "method", "data"):
        return None
    return next((PAGE_OF[place] for place in places if place in PAGE_OF), None)


def opening(entry: Mapping[str, Any]) -> dict[str, str]:
    """The pairs of a link that opens an entry on its page; none where the page alone does."""
    family, name = entry["family"], entry["name"]
    if family in ("figures", "page", "preparation"):
        return {}
    if family == "guides":
        return {"view.tab": "guides" if entry["page"] in TABLE_PAGES else "how", "v": "1"}
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
    """The notes that treat an entry, by their titles."""
    return [course.title for course in notes.treated_in(sources)]


def how_it_works(method: Component) -> None:
    """Definition, formula, cost, when it fails, references, parameters."""
    left, right = st.columns([3, 2])
    with left:
        text = inspect.cleandoc(type(method).__doc__ or "")
        st.markdown(with_formulas(text))
        if method.card.formula and not stands_in(text, method.card.formula):
            st.latex(method.card.formula)
    with right:
        if method.card.paper:
            st.markdown(f"**Reference** {method.card.paper}")
        if method.card.sources:
            st.markdown("**In the notes** " + "; ".join(treated_in(method.card.sources)))
        if method.card.weigh:
            st.markdown(f"**Weights** {WEIGHTS[method.card.weigh]}")
        if method.card.peer:
            st.markdown(f"**Compared with** `{method.card.peer}`")
        _parameters(type(method))


def stands_in(text: str, formula: str) -> bool:
    """Whether a text has this formula already, but for spaces, sizes and a word more or less."""
    bare = _SETTING.sub("", formula)
    return any(
        SequenceMatcher(None, _SETTING.sub("", one), bare, autojunk=False).ratio() > ALIKE
        for one in _FORMULA.findall(text)
    )


def guides_of(page: str, method: Component | None = None) -> None:
    """The guides of a page, beside a method if there is one, each to be unfolded."""
    name, slots = (method.card.name, method.card.slots) if method else ("", ())
    for guide in guides.of_page(page, name, slots):
        with st.expander(guide.title):
            st.markdown(guide.text)
            st.caption("Treated in: " + "; ".join(treated_in(guide.sources)))


def _parameters(cls: type[Component]) -> None:
    lines = ["| setting | meaning |", "| --- | --- |"]
    for name, param in params_of(cls).items():
        label = label_of(param, name)
        lines.append(f"| {label} | {help_of(param)} |")
    if len(lines) > 2:
        st.markdown("\n".join(lines))
