"""The same picture of every method, side by side on equal axes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from figures.numbers.shared import share_axes
from figures.options import Options
from figures.view import View, views
from mlcore.data.dataset import Dataset
from mlcore.runs.comparing.outcome import Entrant
from mlcore.spine.errors import MlcoreError
from mlcore.spine.wording import in_sentence, number
from ui import frame, selection
from ui.compare import looks as compare_looks
from ui.compare.looks import ComparisonView
from ui.method import options, panels
from ui.runs.running import Shown
from ui.wording import plain

WIDE = ("residuals",)  # two of these in a row; of others up to three (ui/style.css)
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
    with right, st.container(horizontal=True, vertical_alignment="bottom"):
        if views()[name].takes("axes"):
            compare_looks.axes(view)
        chosen = options.control(views()[name], view, _offered(name, shown, dataset, view))
    selection.about(dataset.table.digest())
    cards = [
        _made(name, entrant, shown, dataset, view, chosen) for entrant in shown.outcome.entrants
    ]
    share_axes([made.picture.figure for made in cards if made.picture])
    _drawn(cards, name, shown, compare_looks.metric_name(view, shown.outcome.run, dataset))


def offered(shown: Shown) -> tuple[str, ...]:
    """The pictures that some method of this comparison allows, those of most methods first."""
    ones = [_one(shown, entrant) for entrant in shown.outcome.scored]
    every = compare_looks.pictures_of(shown.outcome.run)
    allowing = {name: sum(bool(panels.fitting((name,), one)) for one in ones) for name in every}
    return tuple(sorted(filter(allowing.get, every), key=lambda name: -allowing[name]))


def _offered(
    name: str, shown: Shown, dataset: Dataset, view: ComparisonView
) -> list[dict[str, Any]]:
    """What each method offers to a picture that it allows."""
    ones = [_one(shown, entrant) for entrant in shown.outcome.scored]
    return [panels.known(dataset, one, view) for one in ones if panels.fitting((name,), one)]


def _one(shown: Shown, entrant: Entrant) -> Shown:
    """One method of a comparison as if it had been carried out alone."""
    outcome: Any = entrant.outcome
    return replace(shown, run=outcome.run, outcome=outcome)


def _made(
    name: str, entrant: Entrant, shown: Shown, dataset: Dataset, view: Any, chosen: Options | None
) -> Made:
    if not entrant.has_scores:
        return Made(entrant, None, entrant.failure)
    one = _one(shown, entrant)
    if not panels.fitting((name,), one):
        return Made(entrant, None, "This method gives nothing from which to draw this.")
    try:
        return Made(entrant, panels.made(views()[name], panels.known(dataset, one, view), chosen))
    except MlcoreError as error:
        return Made(entrant, None, str(error))


def _drawn(cards: list[Made], name: str, shown: Shown, metric: str) -> None:
    """Rows of cards, one a method; below them why the other methods have none."""
    there = [made for made in cards if made.picture is not None]
    across = 2 if name in WIDE else len(there)
    with st.container(key="compared-pictures"):
        for at in range(0, len(there), across or 1):
            places = st.columns(across)
            for place, made in zip(places, there[at : at + across], strict=False):
                with place.container(border=True, height="stretch"):
                    _card(made, name, shown, metric)
    _without([made for made in cards if made.picture is None], metric)


def _card(made: Made, name: str, shown: Shown, metric: str) -> None:
    entrant, picture = made.entrant, made.picture
    assert picture is not None
    st.markdown(_heading(made, metric), unsafe_allow_html=True)
    frame.lost_options(picture)
    panels.show(
        picture,
        f"{name}.{entrant.which}",
        stale=shown.stale,
        run=entrant.outcome.run if entrant.outcome else None,
        height=HEIGHT,
    )


def _without(cards: list[Made], metric: str) -> None:
    """A line a method that this picture is not drawn of, with the reason."""
    lines = [f"- {_heading(made, metric)}: {plain(made.why)}" for made in cards]
    if lines:
        st.markdown("\n".join(lines), unsafe_allow_html=True)


def _heading(made: Made, metric: str) -> str:
    """A method with its score, as Markdown."""
    score = _score(made.entrant, metric)
    return f"**{plain(made.entrant.label)}**" + (f" <small>{score}</small>" if score else "")


def _score(entrant: Entrant, name: str) -> str:
    """The score by which the table is sorted."""
    if entrant.outcome is None or not entrant.has_scores:
        return ""
    measures = {m.name: m for m in entrant.outcome.judge.metrics()}
    if name not in measures:
        return ""
    return f"{in_sentence(measures[name].title)} {number(entrant.outcome.mean(name))}"
