"""The learning curve and the validation curve of the run on the page, computed when asked for."""

from __future__ import annotations

from typing import Any

import streamlit as st

from figures.view import views
from mlcore.data.dataset import Dataset
from mlcore.runs.cost import estimate
from mlcore.runs.curves import learning_curve, validation_curve
from mlcore.runs.run import Run
from mlcore.spine import codec
from mlcore.spine.component import Component
from mlcore.spine.param_kinds import Choice, Flag, Number
from mlcore.spine.params import counting
from mlcore.spine.wording import estimated
from service.results import results
from service.tasks import Stored, task
from service.work import Job
from ui import state
from ui.method import panels
from ui.runs import asked, progress, running
from ui.runs.running import Shown
from ui.runs.session_tables import key_of
from ui.wording import plain

POINTS = 8  # places of a learning curve; a validation curve tries nine
LEARNING = "Learning curve"


def curves(shown: Shown, dataset: Dataset) -> None:
    """Choose a curve, see what it costs, compute it, look at it."""
    knobs = tunable(shown.run.method)
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    titles = {"": f"{LEARNING}: rows fitted"}
    titles |= {name: f"Validation curve: {label}" for name, label in knobs.items()}
    with left:
        path = st.selectbox(
            "Curve",
            list(titles),
            format_func=titles.__getitem__,
            key="curve",
            on_change=state.moved,
        )
    took, _ = estimate(shown.run, dataset)
    is_asked = right.button(
        f"Compute, about {estimated(took * POINTS)}",
        key="curve.compute",
        icon=":material/timeline:",
        on_click=state.moved,
    )
    made = st.session_state.setdefault("curves", {})
    name = f"{shown.run.digest()}.{path}"
    if is_asked:
        made[name] = _job(shown.run, dataset, path)
    if name in made:
        _result(made[name], shown.run, knobs.get(path, ""), path)
    else:
        st.caption(
            "A learning curve says whether more rows would help; a validation curve how one "
            "setting trades a simple method for a flexible one."
        )


def tunable(method: Component) -> dict[str, str]:
    """The settings that a curve can vary: path and noun, for a list sets no formulas."""
    declared = counting(method)
    kinds = (Number, Choice, Flag)
    return {f"method.{n}": p.noun(n) for n, p in declared.items() if isinstance(p, kinds)}


def _job(run: Run, dataset: Dataset, path: str) -> Job:
    rows = Stored(f"dataset {codec.digest(run.data)}", dataset)
    if path:
        wanted = task(validation_curve, run, rows, path)
    else:
        wanted = task(learning_curve, run, rows, n_points=POINTS)
    cache_key = key_of(run, f"curve {path}")
    return results().obtain(cache_key, wanted, replaces="curve", **asked.sender())


def _result(job: Job, run: Run, label: str, path: str) -> None:
    job.wait(running.PATIENCE)
    if job.state == "done":
        name = "complexity_curves" if path else "learning_curve_view"
        offered: dict[str, Any] = {"curve": job.result(), "label": label}
        if path:
            offered["here"] = getattr(run.method, path.removeprefix("method."))
        panels.show(panels.made(views()[name], offered), name, run=run)
    elif job.is_over:
        st.error(plain(job.failure or ""))
    else:
        _progress(job)


@st.fragment(run_every=progress.POLL)
def _progress(job: Job) -> None:
    if job.is_over:
        state.rerun()
    at = job.progress
    text = f"Point {at.done} of {at.total}" if at else "Waiting for a free worker"
    st.progress(at.done / max(at.total, 1) if at else 0.0, text)
    st.button(
        "Stop", icon=":material/stop:", key="curve.stop", on_click=state.moved, args=(job.cancel,)
    )
