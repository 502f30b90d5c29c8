"""What is asked of a person about a table that they brought, where the columns do not tell."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from mlcore.data.dataset import Dataset
from mlcore.data.proposed_roles import likely_targets
from mlcore.data.upload import uploaded
from mlcore.runs.run import Run
from mlcore.spine.errors import DataError
from ui import frame, state
from ui.data.findings import audited, with_fixes
from ui.data.strip import aimed
from ui.wording import plain

FEW = 4  # targets offered as buttons; the strip lists all
LONGEST = 32  # characters of a name on a button
LEAKS = "Gives the target away?"


def ask_for_target(run: Run, dataset: Dataset) -> None:
    """What is to be predicted, where nothing was decided and no column stands out."""
    if not uploaded(run.data) or run.data.target != "proposed" or dataset.target is not None:
        return
    with st.container(border=True, key="ask-target"):
        frame.card_heading("What is to be predicted?", "no column stands out as the target")
        names = likely_targets(dataset.table)
        with st.container(horizontal=True, gap="small"):
            for at, name in enumerate(names[:FEW]):
                st.button(
                    plain(name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"),
                    key=f"ask-target.{at}",
                    on_click=state.change,
                    kwargs={"data": aimed(run.data, dataset, name)},
                )
            st.button(
                "Nothing",
                key="ask-target.none",
                on_click=state.change,
                kwargs={"data": aimed(run.data, dataset, None)},
                help="To find groups, or to see the rows in two dimensions.",
            )
        if len(names) > FEW:
            st.caption("*Target*, in the line above, lists all columns.")


def ask_for_leaks(runs: Sequence[Run], dataset: Dataset) -> None:
    """Whether columns that methods learn from would be known before what they predict.

    `runs` are those of the page, all on this data.
    """
    data = runs[0].data
    predicts = any(run.method.card.task for run in runs)
    if not uploaded(data) or not predicts or dataset.target is None:
        return
    used = {column.name for column in dataset.columns}
    try:
        leaks = [f for f in audited(dataset) if f.title == LEAKS and f.column in used]
    except DataError as error:
        st.caption(f":material/warning: {plain(str(error))}")
        return
    if not leaks:
        return
    with st.container(key="leaks"):
        st.warning(plain(" ".join(finding.sentence for finding in leaks[:FEW])))
        fixes = [finding.fix for finding in leaks if finding.fix]
        st.button(
            "Leave it out" if len(fixes) == 1 else f"Leave all {len(fixes)} out",
            key="leaks.out",
            on_click=state.change,
            kwargs={"data": with_fixes(data, *fixes)},
            help="Scores of a method that reads the answer from a column say nothing.",
        )
