"""The strip under the navigation of a trial: the world, what is known of it, the seed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from mlcore.runs.run import Trial
from mlcore.spine.params import params_of
from ui import controls, state
from ui.wording import plain


def world_strip(run: Trial) -> tuple[Trial, Any]:
    """Draw the strip; the trial as its controls now say, and the place for its end."""
    with st.container(horizontal=True, wrap=False, key="data-strip", vertical_alignment="center"):
        for k, fact in enumerate(run.problem.world().facts()):
            value = f"**{plain(fact.value)}**" if fact.value else ""
            icon = None if k else ":material/public:"
            with st.popover(f"{fact.label} {value}".strip(), type="tertiary", icon=icon):
                st.markdown(plain(fact.sentence))
        with st.popover(f"Seed {run.seed}", type="tertiary", key=state.key("strip.seed.item")):
            seed = controls.control(params_of(Trial)["seed"], "Seed", run.seed, "strip.seed")
        st.space("stretch")
        end = st.container(horizontal=True, width="content", wrap=False, gap="small")
    return replace(run, seed=seed), end
