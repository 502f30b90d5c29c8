"""The strip under the navigation of a trial: the world, what is known of it, the seed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from mlcore.runs.run import Trial
from mlcore.spine.params import params_of
from mlcore.spine.wording import count, number
from ui import controls, state
from ui.wording import plain


def world_strip(run: Trial) -> tuple[Trial, Any]:
    """Draw the strip; the trial as its controls now say, and the place for its end."""
    with st.container(horizontal=True, wrap=False, key="data-strip", vertical_alignment="center"):
        for label, sentence, icon in facts(run.problem.world()):
            with st.popover(label, type="tertiary", icon=icon):
                st.markdown(plain(sentence))
        with st.popover(f"Seed {run.seed}", type="tertiary", key=state.key("strip.seed.item")):
            seed = controls.control(params_of(Trial)["seed"], "Seed", run.seed, "strip.seed")
        st.space("stretch")
        end = st.container(horizontal=True, width="content", wrap=False, gap="small")
    return replace(run, seed=seed), end


def facts(world: Any) -> list[tuple[str, str, str | None]]:
    """What is known of a world: label, a sentence more, and an icon for the first."""
    name = f"**{plain(world.name[:1].upper() + world.name[1:])}**"
    if world.kind == "bandit":
        means = ", ".join(number(mean, 2) for mean in world.means)
        best = int(world.means.argmax()) + 1
        return [
            (name, f"Rewards of the arms: {world.law.title().lower()}.", ":material/casino:"),
            (f"Best arm: **{best}**", f"Mean rewards of the arms: {means}.", None),
        ]
    states = f"{count(world.n_states, 'state')}, {count(world.n_actions, 'action')}"
    said = f"Actions: {', '.join(world.action_names)}. An episode is cut after {world.max_steps}."
    answer = "Exact answer **known**" if not world.unsolvable else "No exact answer"
    why = world.unsolvable or (
        f"The best policy is worth {number(float(world.initial @ world.solution.values))} from "
        "the start, by policy iteration on the tables of the world."
    )
    return [
        (name, f"{said[:-1]} moves.", ":material/grid_on:"),
        (states, f"{int(world.reachable.sum())} of the states can be reached.", None),
        (
            f"Discount **{world.gamma:g}**",
            "It belongs to the world, so all methods share it.",
            None,
        ),
        (answer, why, None),
    ]
