"""Where a policy spends its time, by the tables of the world, beside the best policy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing import grids
from figures.numbers.grids import (
    DIFFERENCE,
    EXACT,
    LEARNED,
    BesideExactOptions,
    GridMap,
    grid_map,
    titled,
)
from figures.numbers.trials import one_of
from figures.recording import Changes
from figures.view import TableColumn, View, joined, view
from mlcore.decisions.agent import PolicyState
from mlcore.decisions.capabilities import HasActionChances, HasPolicy, HasStages
from mlcore.decisions.mdp import FiniteMDP
from mlcore.decisions.policy_gradients import visits_within
from mlcore.runs.carry_trial import TrialOutcome
from mlcore.spine.wording import percent


class Occupancy(NamedTuple):
    """Shares of the discounted moves that begin in each of the c cells."""

    grid: GridMap
    own: np.ndarray  # (c,) under the policy
    best: np.ndarray  # (c,) under the best policy; NaN where it is not known
    shared: float  # of all moves: what both policies have in common, from 0 to 1
    show: str
    size: float  # the end of the colour scale

    @property
    def shown(self) -> np.ndarray:
        """What the colours say, (c,)."""
        return {LEARNED: self.own, EXACT: self.best, DIFFERENCE: self.own - self.best}[self.show]


@view(
    "occupancy_map",
    title="Discounted visits of the policy",
    asks=HasPolicy,
    options=BesideExactOptions,
    on="mdp",
    order=41,
    sources=("cs2:policy_gradient_exact",),
    synonyms=("discounted state occupancy", "state distribution", "occupancy measure"),
)
def occupancy_map(trial: TrialOutcome, which: int = 0, *, options: BesideExactOptions) -> View:
    """Where the final policy spends its moves, computed from the tables of the world."""
    row = trial.results[which]
    fit = row.fits[0]
    policies = fit.stage_policies if row.can(HasStages) else fit.policy[None]
    if row.can(HasActionChances):
        policies = fit.chances[None]
    o = numbers(trial.world, policies, fit.policy, options)
    of = {LEARNED: one_of(row), EXACT: "the best policy", DIFFERENCE: f"{one_of(row)}, difference"}
    return joined(o, draw, reading, table, note=f"{of[o.show]}{titled(o.grid)}", step=changes)


def numbers(
    world: FiniteMDP, policies: np.ndarray, policy: np.ndarray, options: BesideExactOptions
) -> Occupancy:
    """The shares under `policies`, (H, S) or (H, S, A); the arrows are those of `policy`, (S,)."""
    g = grid_map(world, np.zeros(world.n_states), policy, options.layer)
    own = _shares(world, policies)
    best = np.full(world.n_states, np.nan)
    if not world.unsolvable:
        best = _shares(world, world.solution.policy[None])
    # One scale for both, so that they can be compared by turning the option.
    both = np.concatenate([own[g.states], best[g.states]])
    return Occupancy(
        g, own[g.states], best[g.states], float(np.minimum(own, best).sum()), options.show,
        float(np.nanmax(both)) or 1.0,
    )  # fmt: skip


def _shares(world: FiniteMDP, policies: np.ndarray) -> np.ndarray:
    visits = visits_within(world, policies)
    return visits / visits.sum()


def draw(o: Occupancy) -> go.Figure:
    """Darker is more of the time; of a difference blue is more, orange less than the best."""
    g = o.grid
    scale, low = (grids.SIGNED, -o.size) if o.show == DIFFERENCE else (grids.COUNTS, 0.0)
    heat = grids.heat(g, o.shown, scale, low, o.size, "share of moves")
    heat.update(colorbar={"tickformat": ".2~%"})
    return grids.base(g, heat, grids.words(g, _words(o)), grids.places(g, _texts(o)))


def _words(o: Occupancy) -> list[str]:
    """The action, and the share where there is room."""
    if o.grid.shape[1] > grids.FEW:
        return list(o.grid.actions) if o.show == LEARNED else [""] * len(o.shown)
    shares = [percent(float(share)) if share else "0" for share in o.shown]
    if o.show != LEARNED:
        return shares
    return [f"{a}<br>{share}" for a, share in zip(o.grid.actions, shares, strict=True)]


def _texts(o: Occupancy) -> list[str]:
    texts = [
        f"{name}<br>{percent(float(own))} of the discounted moves"
        for name, own in zip(o.grid.names, o.own, strict=True)
    ]
    if not np.isfinite(o.best).all():
        return texts
    return [f"{t}<br>best policy {percent(float(b))}" for t, b in zip(texts, o.best, strict=True)]


def reading(o: Occupancy) -> str:
    """Where most of the time is spent, and how much of it the best policy spends there, too."""
    top = int(o.own.argmax())
    text = (
        f"Of its discounted moves the policy makes {percent(float(o.own[top]))} in "
        f"{o.grid.names[top]}"
    )
    if not np.isfinite(o.shared):
        return f"{text}."
    beside = percent(float(o.best[top]))
    if o.shared > 1 - 1e-9:
        return f"{text}, as the best policy does: both are everywhere alike."
    return (
        f"{text}, the best policy {beside}. The two have {percent(o.shared)} of their moves in "
        "common; where several policies are best, one of them is compared."
    )


def table(o: Occupancy) -> tuple[TableColumn, ...]:
    """One line a state."""
    return (
        TableColumn("state", o.grid.names),
        TableColumn("share of the discounted moves", o.own),
        TableColumn("share under the best policy", o.best),
    )


def changes(drawn: Occupancy, at: dict[str, int], state: PolicyState, world: FiniteMDP) -> Changes:
    """Shares and actions after a step; of a plan by stages, those of the stage for ever."""
    options = BesideExactOptions(show=drawn.show, layer=drawn.grid.layer)
    acting = state.policy if state.chances is None else state.chances
    o = numbers(world, acting[None], state.policy, options)
    low = -drawn.size if o.show == DIFFERENCE else 0.0
    return {
        at[grids.VALUES]: {"z": grids.filled(o.grid, np.clip(o.shown, low, drawn.size))},
        at[grids.ARROWS]: {"text": _words(o)},
        at[grids.PLACES]: {"text": grids.everywhere(o.grid, _texts(o))},
    }
