"""A saved model opened again: the archive that a run gives, asked about new rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import streamlit as st

from mlcore.runs.predicting.matching import Matching
from mlcore.runs.predicting.opened import Opened
from mlcore.spine.errors import DataError, MlcoreError
from mlcore.spine.wording import count
from service import limits, models
from service.results import results
from service.tasks import Stored
from ui import state
from ui.predict import bring, columns, rows, score, threshold
from ui.predict.bring import Brought
from ui.runs import asked
from ui.runs.session_tables import key_of, session_tables
from ui.wording import plain

TAB = "Saved model"
MODEL, PROBLEM, PLACE = "saved.model", "saved.problem", "saved.place"


class SavedModel(NamedTuple):
    """The saved model of this session."""

    name: str
    content: bytes
    model: Opened


def saved() -> None:
    """Open a model, bring new rows, look at its predictions."""
    archive: SavedModel | None = st.session_state.get(MODEL)
    if archive is None:
        _open()
        return
    _line(archive)
    brought = bring.place(archive.model.wanted, None)
    if brought is not None:
        try:
            _predicted(archive, brought)
        except MlcoreError as error:
            st.error(plain(str(error)))


def _open() -> None:
    """The place for the archive."""
    most, at = limits.current_limits(), st.session_state.get(PLACE, 0)
    st.markdown(
        "A fitted model that was taken away from a run (*Take it away*, Fitted model), to predict "
        "new rows without fitting it again. Reading runs nothing of the file."
    )
    file = st.file_uploader(
        "Saved model, .zip", type=["zip"], key=f"saved.file.{at}", on_change=state.moved,
        max_upload_size=most.upload_mb,
    )  # fmt: skip
    if problem := st.session_state.get(PROBLEM, ""):
        st.error(plain(problem))
    if file is None:
        return
    st.session_state[PLACE], st.session_state[PROBLEM] = at + 1, ""
    content = file.getvalue()
    try:
        model = models.open_model(content, file.name, **asked.sender())
        st.session_state[MODEL] = SavedModel(file.name, content, model)
    except MlcoreError as error:
        st.session_state[PROBLEM] = str(error)
    state.rerun()


def _line(archive: SavedModel) -> None:
    """What the model is, and where it comes from."""
    model, run = archive.model, archive.model.run
    needed = sum(w.is_needed for w in model.wanted)
    of = f"predicts {model.target} from" if run.method.card.task else "takes"
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="saved-line"):
        st.markdown(
            f":material/model_training: **{plain(run.method.title())}** "
            f"<small>{plain(of)} {count(needed, 'column')}; {plain(archive.name)}, "
            f"run {run.short()}, {plain(', '.join(map(' '.join, model.versions[:2])))}</small>",
            unsafe_allow_html=True,
            help=plain(" ".join(model.remarks)) or None,
        )
        st.button(
            "Close", icon=":material/close:", key="saved.close", on_click=state.moved,
            args=(_close,),
        )  # fmt: skip


def _close() -> None:
    st.session_state.pop(MODEL, None)


def _predicted(archive: SavedModel, brought: Brought) -> None:
    """The columns, then the predictions."""
    place = f"{brought.digest}.{archive.model.digest}"
    decided = columns.decided(place)
    matching: Matching = _job(archive, brought, "matching_of", decided)
    if matching.is_of_another_table:
        st.error("None of the columns that the model needs was found. Choose them below.")
    columns.table(matching, place)
    st.caption(
        "A saved model keeps no rows, so a column in another unit is not noticed here: compare the "
        "ranges with what you know, and choose a factor where one is off."
    )
    if not matching.is_of_another_table:
        outcome = threshold.chosen(_job(archive, brought, "predicted", decided))
        score.card(outcome)
        rows.card(outcome)


def _job(
    archive: SavedModel, brought: Brought, verb: str, decided: dict[str, dict[str, str]]
) -> Any:
    """What a worker says; the key holds the archive and the table, so nobody gets another's."""
    table: Any = session_tables()[brought.digest]
    source = [brought.source] if verb == "predicted" else []
    given = (
        *source,
        Stored(brought.digest, table),
        dict(decided["matches"]),
        dict(decided["fixes"]),
    )
    wanted = models.asked(verb, archive.content, archive.model.digest, *given)
    pairs = sorted((what, *pair) for what, each in decided.items() for pair in each.items())
    key = key_of(brought.source, f"{verb} {archive.model.digest} {pairs}")
    job = results().obtain(key, wanted, here=False, replaces=f"saved.{verb}", **asked.sender())
    if not job.wait(limits.current_limits().autorun_seconds + 60):
        raise DataError("The model is still at work. Look again in a moment.")
    return job.result()
