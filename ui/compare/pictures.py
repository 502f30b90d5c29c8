"""The same picture of every method, side by side on equal axes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from figures.drawing.words import in_sentence
from figures.numbers.shared import share_axes
from figures.view import View, views
from mlcore.data.dataset import Dataset
from mlcore.runs.comparing.outcome import Entrant
from mlcore.spine.errors import MlcoreError
from ui import selection
from ui.compare import looks as compare_looks
from ui.compare.looks import ComparisonView
from ui.method import panels
from ui.runs.running import Shown
from ui.wording import number, plain

ACROSS, WIDE = 3, ("residuals",)  # pictures in a row; of these two
HEIGHT = 330


@dataclass(frozen=True)
class Made:
    """The picture of one method, or the sentence why there is none."""

    entrant: Entrant
    picture: View | None
    why: str = ""


def pictures(shown: Shown, dataset: Dataset, view: ComparisonView) -> None:
    """Choose a picture, and see it for every method."""
    names = offered(shown)
    if not names:
        st.markdown("None of these methods has a picture yet.")
        return
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    with left:
        view = compare_looks.picture(view, names)
    name = view.picture if view.picture in names else names[0]
    if views()[name].takes("x", "y"):
        with right, st.container(horizontal=True):
            compare_looks.axes(view)
    selection.about(dataset.table.digest())
    found = [_made(name, entrant, shown, dataset, view) for entrant in shown.outcome.entrants]
    share_axes([made.picture.figure for made in found if made.picture])
    _drawn(found, name, shown, compare_looks.metric_name(view, shown.outcome.run, dataset))


def offered(shown: Shown) -> tuple[str, ...]:
    """The pictures that some method of this comparison allows."""
    ones = [_one(shown, entrant) for entrant in shown.outcome.scored]
    every = compare_looks.pictures_of(shown.outcome.run)
    return tuple(name for name in every if any(panels.fitting((name,), one) for one in ones))


def _one(shown: Shown, entrant: Entrant) -> Shown:
    """One method of a comparison as if it had been carried out alone."""
    outcome: Any = entrant.outcome
    return replace(shown, run=outcome.run, outcome=outcome)


def _made(name: str, entrant: Entrant, shown: Shown, dataset: Dataset, view: Any) -> Made:
    if not entrant.has_scores:
        return Made(entrant, None, entrant.failure)
    one = _one(shown, entrant)
    if not panels.fitting((name,), one):
        return Made(entrant, None, "This method gives nothing from which to draw this.")
    try:
        return Made(entrant, panels.made(views()[name], panels.known(dataset, one, view)))
    except MlcoreError as error:
        return Made(entrant, None, str(error))


def _drawn(found: list[Made], name: str, shown: Shown, metric: str) -> None:
    """Rows of cards, one a method."""
    across = 2 if name in WIDE else min(ACROSS, len(found))
    for at in range(0, len(found), across):
        places = st.columns(across)
        for place, made in zip(places, found[at : at + across], strict=False):
            with place.container(border=True, height="stretch"):
                _card(made, name, shown, metric)


def _card(made: Made, name: str, shown: Shown, metric: str) -> None:
    entrant = made.entrant
    st.markdown(f"**{plain(entrant.label)}** <small>{_score(entrant, metric)}</small>",
                unsafe_allow_html=True)  # fmt: skip
    if made.picture is None:
        st.markdown(plain(made.why))
        return
    panels.show(
        made.picture,
        f"{name}.{entrant.which}",
        stale=shown.stale,
        run=entrant.outcome.run if entrant.outcome else None,
        height=HEIGHT,
    )


def _score(entrant: Entrant, name: str) -> str:
    """The score by which the table is sorted."""
    if entrant.outcome is None or not entrant.has_scores:
        return ""
    measures = {m.name: m for m in entrant.outcome.judge.metrics()}
    if name not in measures:
        return ""
    return f"{in_sentence(measures[name].title)} {number(entrant.outcome.mean(name))}"
