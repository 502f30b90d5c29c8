"""The lessons of Start: a page ready to be changed, a thing to do there, and what one then sees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from mlcore.spine.params import choice
from ui import frame, state

NONE = "none"


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """One lesson; `seen` is Markdown with the numbers that the settings of `task` give."""

    title: str
    note: str  # on its card
    page: str
    link: Mapping[str, str]
    text: str
    task: str
    seen: str


LESSONS = {
    "groups": Lesson(
        title="How many groups are there?",
        note="k-means on three blobs that overlap",
        page="clustering",
        link={"data": "blobs", "data.source.cluster_std": "3.5", "method": "kmeans"},
        text="k-means finds as many groups as it is told to. Its own error cannot say how many "
        "there are, because it falls with each further group.",
        task="Set *Number of clusters* to 2, 3, 4 and 8, and read the three scores each time.",
        seen="The distortion falls all the way: 1.165, 0.689, 0.604, 0.328. Silhouette (0.431) and "
        "stability (0.967) are largest at 3, the number of blobs that were drawn.",
    ),
    "folds": Lesson(
        title="What one fold cannot tell you",
        note="A decision tree for wines, and the spread of its folds",
        page="classification",
        link={"data": "wine", "method": "decision_tree"},
        text="Each dot beside the score is one fold: the tree was fitted to the other four fifths "
        "of the wines and judged on these.",
        task="Set *Seed*, in the line at the top, to 1, 2 and 3: other rows make the folds.",
        seen="Single folds lie anywhere between 0.778 and 1.000. The mean of five only moves from "
        "0.899 to 0.921. One fold alone says little.",
    ),
    "columns": Lesson(
        title="Which columns matter?",
        note="The lasso path of the diabetes data",
        page="regression",
        link={"data": "diabetes", "method": "elastic_net"},
        text="The lasso pays for the size of every coefficient, so that those of little use "
        "become exactly zero.",
        task="Set *Alpha* to 1, 10 and 40, and watch the coefficients and the score.",
        seen="Of ten columns 7, 4 and 2 are left. With seven the error is as with ten (RMSE 54.61 "
        "beside 54.62); with four it is 57.39, with two, bmi and s5, 73.87.",
    ),
    "pixels": Lesson(
        title="Sixty-four pixels, two axes",
        note="Digits on their principal components",
        page="dimensionality_reduction",
        link={"data": "digits8", "method": "pca", "method.n_components": "2"},
        text="Each digit is a point in 64 dimensions. The picture shows the plane in which these "
        "points spread most.",
        task="Set *Components* to 5, 10 and 20, and read the variance that is kept.",
        seen="Two axes keep 19.7 % of the variance of test rows, five 38 %, ten 55.1 % and "
        "twenty 75.4 %. Digits that lie upon each other in the plane may be far apart in the rest.",
    ),
}


def open_lesson() -> Any:
    """Declare the lesson that is open, as a part of what is looked at."""
    return choice(NONE, NONE, *LESSONS, doc="The lesson that stands beside the page.")


def link(name: str) -> dict[str, str]:
    """The pairs of the address that a lesson begins with."""
    return {**LESSONS[name].link, "v": "1", "view.lesson": name}


def cards() -> None:
    """All lessons, a card each."""
    for place, (name, lesson) in zip(st.columns(len(LESSONS)), LESSONS.items(), strict=True):
        with place.container(border=True, height="stretch"):
            st.markdown(f"**{lesson.title}**  \n{lesson.note}")
            st.page_link(
                f"pages/{lesson.page}.py",
                label="Start",
                icon=":material/arrow_forward:",
                query_params=link(name),
            )


def beside(view: Any) -> None:
    """The lesson that is open on this page: its text, the task, and what one sees then."""
    lesson = LESSONS.get(view.lesson)
    if lesson is None or lesson.page != state.session().here:
        return
    with st.container(border=True, key="lesson"):
        frame.card_heading(lesson.title, "a lesson")
        for place, (head, text) in zip(
            st.columns(3, gap="medium"),
            (("", lesson.text), ("Do this.", lesson.task), ("Then you see.", lesson.seen)),
            strict=True,
        ):
            place.markdown(f"**{head}** {text}" if head else text)
        with st.container(horizontal=True, key="lesson-ways"):
            st.button("Close the lesson", type="tertiary", key="lesson.close", on_click=_close)
            _next(view.lesson)


def _next(name: str) -> None:
    """The way to the lesson behind this one."""
    names = list(LESSONS)
    if name != names[-1]:
        after = names[names.index(name) + 1]
        label, page = f"Next: {LESSONS[after].title}", f"pages/{LESSONS[after].page}.py"
        st.page_link(page, label=label, icon=":material/arrow_forward:", query_params=link(after))


def _close() -> None:
    session = state.session()
    now = session.states[session.here]
    state.show(replace(now, view=replace(now.view, lesson=NONE)))
