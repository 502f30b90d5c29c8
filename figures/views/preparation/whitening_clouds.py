"""What whitening does to the rows: turned to their axes, and scaled until all are equally long."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing.traces import points_of
from figures.graph import make_subplots
from figures.numbers.whitening import Stage, Stages, whitening_stages
from figures.theme import LIGHT, NO_TEMPLATE
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.preparation.capabilities import Whitens
from mlcore.preparation.chain import Prepared
from mlcore.spine.wording import count, fixed, rough

HEIGHT = 400
WHITE = 1e-6  # what rounding leaves of the covariance
SIGMAS = ("one standard deviation", "two standard deviations")


@view(
    "whitening_clouds",
    title="Whitening",
    of_step=Whitens,
    is_wide=True,
    sources=("epfl:whiten", "mi2:whitening", "s841:sphering_transform"),
)
def whitening_clouds(dataset: Dataset, prepared: Prepared) -> View:
    """The rows as they come, along their longest axes, and white, with their ellipses."""
    s = numbers(dataset, prepared)
    n = s.stages[0].cloud.n  # a step before may have left rows out, or repeated some
    note = f"step fitted on {count(n, 'row')}; one and two standard deviations"
    return joined(s, draw, reading, table, note=note)


def numbers(dataset: Dataset, prepared: Prepared) -> Stages:
    """Places and covariances of the three stages."""
    return whitening_stages(dataset, prepared)


def draw(s: Stages) -> go.Figure:
    """Three panels; in the last two a unit is as long across as up."""
    titles = [stage.title for stage in s.stages]
    fig = make_subplots(1, 3, horizontal_spacing=0.14, subplot_titles=titles)
    has_names = bool(s.stages[0].cloud.names)
    fig.update_layout(template=NO_TEMPLATE, height=HEIGHT, showlegend=has_names)
    fig.update_annotations(font={"size": 13, "color": LIGHT.quiet})
    for col, stage in enumerate(s.stages, start=1):
        for trace in points_of(stage.cloud):
            if col > 1:
                trace.update(showlegend=False)
                trace.marker.showscale = False
            trace.marker.size = 5
            fig.add_trace(trace, row=1, col=col)
        for k, ellipse in enumerate(stage.ellipses):
            fig.add_trace(ellipse_line(ellipse, k), row=1, col=col)
        fig.update_xaxes(title={"text": stage.axes[0]}, row=1, col=col)
        fig.update_yaxes(title={"text": stage.axes[1]}, row=1, col=col)
    for col in (2, 3):
        fig.update_yaxes(scaleanchor=f"x{col}", scaleratio=1, row=1, col=col)
    return fig.update_layout(margin_t=64 if has_names else 24)


def ellipse_line(ellipse: np.ndarray, k: int) -> go.Scatter:
    """The line of an ellipse, (m, 2), at one (k = 0) or two standard deviations."""
    return go.Scatter(
        x=ellipse[:, 0].astype(np.float32),
        y=ellipse[:, 1].astype(np.float32),
        mode="lines",
        line={"color": LIGHT.text, "width": 2, "dash": ("solid", "dash")[k]},
        showlegend=False,
        name=SIGMAS[k],
        hovertemplate=f"{SIGMAS[k]}<extra></extra>",
    )


def reading(s: Stages) -> str:
    """How two columns went together, how long the axes were, and whether the rows are white now."""
    before, turned, _ = s.stages
    lengths = np.sqrt(np.maximum(np.diag(turned.covariance), 0.0))
    text = f"{before.axes[0]} and {before.axes[1]} go together most (r = {fixed(_r(before))}). "
    text += (
        f"Along the two longest axes the standard deviations are {rough(float(lengths[0]))} and "
    )
    text += f"{rough(float(lengths[1]))}. "
    about = " about the mean of each class" if s.is_within else ""
    if s.farthest < WHITE:
        return f"{text}After the step every direction{about} has 1, and no two go together."
    if s.kept < s.p:
        return (
            f"{text}{s.kept} of {s.p} directions are left: in these the rows{about} are white, in "
            "the others they do not vary any more."
        )
    return (
        f"{text}After the step the covariance{about} differs from the identity by up to "
        f"{rough(s.farthest)}: shrinkage left the rows not quite white."
    )


def _r(stage: Stage) -> float:
    (a, c), (_, b) = stage.covariance
    return float(c / np.sqrt(a * b)) if a > 0 and b > 0 else 0.0


def table(s: Stages) -> tuple[TableColumn, ...]:
    """One line a stage: the variances of its two coordinates, and their covariance."""
    return (
        TableColumn("stage", [stage.title for stage in s.stages]),
        TableColumn("across", [stage.axes[0] for stage in s.stages]),
        TableColumn("up", [stage.axes[1] for stage in s.stages]),
        TableColumn("variance across", [stage.covariance[0, 0] for stage in s.stages]),
        TableColumn("variance up", [stage.covariance[1, 1] for stage in s.stages]),
        TableColumn("covariance", [stage.covariance[0, 1] for stage in s.stages]),
        TableColumn("correlation", [_r(stage) for stage in s.stages]),
    )
