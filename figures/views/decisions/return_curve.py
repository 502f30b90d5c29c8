"""What learners earn over their episodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.curves import curve_columns, curve_traces, what_bands_are
from figures.drawing.traces import HEIGHT, named_line
from figures.numbers.trials import CurveOptions, ReplicateCurve, replicate_curve
from figures.theme import figure
from figures.view import TableColumn, View, joined, view
from mlcore.decisions.capabilities import HasReturns
from mlcore.decisions.world import Episodic
from mlcore.runs.carry_trial import TrialOutcome
from mlcore.spine.params import flag
from mlcore.spine.wording import rough, spaced

ROUNDING = 1e-9  # of a return


@dataclass(frozen=True, kw_only=True)
class ReturnOptions(CurveOptions):
    """What may be chosen of the picture."""

    is_common: ClassVar[bool] = False
    each: bool = flag(
        False, label="Single replicates",
        doc="Whether replicates are drawn as thin lines; they jump from episode to episode.",
    )  # fmt: skip


class Returns(NamedTuple):
    """Return while learning and of what was learned, over the episodes."""

    online: tuple[ReplicateCurve, ...]
    greedy: tuple[ReplicateCurve, ...]
    best: float  # of the best policy; NaN where that is not known
    threshold: float  # at which the world counts as solved; NaN where nobody says
    random: float  # of moves at random
    within: float = float("nan")  # of the best plan by the moves left, where that is another
    limit: int = 0  # moves after which an episode is cut
    is_each: bool = False  # whether single replicates are drawn


@view(
    "return_curve",
    title="Learning curve",
    asks=HasReturns,
    options=ReturnOptions,
    on="mdp continuous_states",
    order=30,
    sources=("cs2:q_learning",),
    synonyms=("reward curve", "episode return"),
)
def return_curve(trial: TrialOutcome, *, options: ReturnOptions) -> View:
    """Return of an episode while exploring, and of the greedy policy without exploration."""
    r = numbers(trial, is_each=options.each)
    online, greedy = (tuple(map(options.shown, own)) for own in (r.online, r.greedy))
    r = r._replace(online=online, greedy=greedy)
    return joined(r, draw, reading, table, note=what_bands_are(r.online, lines=r.is_each))


def numbers(trial: TrialOutcome, *, is_each: bool = False) -> Returns:
    """Curves of the learners of a trial."""
    rows, world = [row for row in trial.results if row.can(HasReturns)], trial.world
    return Returns(
        tuple(replicate_curve(row, "episodes", "online") for row in rows),
        tuple(replicate_curve(row, "episodes", "greedy") for row in rows),
        world.best,
        world.threshold,
        float(trial.baseline.scores.mean()),
        _within(world),
        world.max_steps,
        is_each,
    )


def _within(world: Episodic) -> float:
    """What the best plan earns before an episode is cut; NaN where the limit costs it nothing."""
    within = world.best_within
    is_same = np.isfinite(world.best) and rough(within) == rough(world.best)
    return float("nan") if is_same else within


def draw(r: Returns) -> go.Figure:
    """Solid: while exploring. Dashed: the greedy policy. Dotted: the best, also with a limit."""
    fig = figure(
        height=HEIGHT,
        xaxis={"title": {"text": "Episode"}},
        yaxis={"title": {"text": "Return"}, "range": list(_range(r))},
        showlegend=True,
    )
    for k, (online, greedy) in enumerate(zip(r.online, r.greedy, strict=True)):
        # Single replicates jump from episode to episode and hide the means, so they are asked for.
        for c, how, dash in ((online, "exploring", "solid"), (greedy, "greedy", "dash")):
            name, is_each = _name(c, how, len(r.online)), r.is_each and dash == "solid"
            fig.add_traces(curve_traces(c, k, name=name, dash=dash, lines=is_each))
    if np.isfinite(r.best):
        named_line(fig, f"best {rough(r.best)}", y=r.best)
    if np.isfinite(r.within):
        # Below its line: that of the best without a limit lies above, and may be near.
        text = f"best within {r.limit} moves {rough(r.within)}"
        named_line(fig, text, y=r.within, at=("right", "below"))
    if np.isfinite(r.threshold):
        named_line(fig, f"solved {rough(r.threshold)}", y=r.threshold)
    return fig


def _name(c: ReplicateCurve, how: str, n: int) -> str:
    """What the legend says of a curve: the page names the method where it is the only one."""
    return f"{c.label}, {how}" if n > 1 else how


def _range(r: Returns) -> tuple[float, float]:
    """Both ends of the axis: what is far below all ends would press them together."""
    ends = [c.end for c in (*r.online, *r.greedy)]
    high = max(ends + [line for line in (r.best, r.within, r.threshold) if np.isfinite(line)])
    low = min(ends + [float(np.median(c.line)) for c in r.online])
    low = min(low, r.threshold) if np.isfinite(r.threshold) else low
    level = max(abs(high), abs(low))
    # Returns that differ by rounding alone are one.
    room = 0.3 * (high - low) if high - low > ROUNDING * level else 0.05 * level or 1.0
    bottom, least = low - 2 * room, _least(r)
    return min(bottom, least - room / 2) if least > bottom - 2 * room else bottom, high + room


def _least(r: Returns) -> float:
    return min(float(c.line.min()) for c in (*r.online, *r.greedy))


def reading(r: Returns) -> str:
    """How good the learned policies are, and what exploring costs."""
    texts = [_one(o, g) for o, g in zip(r.online, r.greedy, strict=True)]
    text = f"After {spaced(int(r.online[0].x[-1]))} episodes {'; '.join(texts)}."
    if np.isfinite(r.best):
        text += f" The best policy earns {rough(r.best)}, moves at random {rough(r.random)}."
    if np.isfinite(r.within):
        text += (
            f" In an episode of at most {spaced(r.limit)} moves no policy earns more than "
            f"{rough(r.within)}."
        )
    if np.isfinite(r.threshold):
        text += f" {rough(r.threshold)} counts as solved; moves at random earn {rough(r.random)}."
    if _least(r) < _range(r)[0]:
        text += f" The curves come from {rough(_least(r))}, below the picture."
    return text


def _one(online: ReplicateCurve, greedy: ReplicateCurve) -> str:
    return (
        f"{greedy.label} earns {greedy.end_words} with its greedy policy and "
        f"{online.end_words} while it explores"
    )


def table(r: Returns) -> tuple[TableColumn, ...]:
    """One line an episode that was noted."""
    columns = curve_columns("episode", r.online, "return while exploring")
    return (*columns, *_renamed(curve_columns("episode", r.greedy, "return of the greedy policy")))


def _renamed(columns: tuple[TableColumn, ...]) -> tuple[TableColumn, ...]:
    of = " of the greedy policy"
    return tuple(
        c if of in c.name else TableColumn(c.name.replace(", ", f"{of}, ", 1), c.values)
        for c in columns[1:]
    )
