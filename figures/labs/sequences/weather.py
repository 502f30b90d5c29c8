"""What a diary says of past and coming weather, and how far such a forecast reaches."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing.traces import line, named_line
from figures.lab import picture, plot
from figures.theme import LIGHT, class_color
from figures.view import TableColumn, View
from mlcore.labs.sequences.weather import HISTORIES, N_JUDGED, WEATHERS, Weather
from mlcore.spine.wording import count, listed, percent, rough

DIARY = ("beach", "walk", "book")


def pictures(w: Weather) -> tuple[View, ...]:
    """One weather, then forecasts of many."""
    return (
        picture("Past and coming days", w, draw, reading, table,
                note="bars: probability of each weather"),
        picture("How far a forecast reaches", w, draw_losses, losses_reading, losses_table,
                note=f"mean surprise over {count(N_JUDGED, 'weather')}; lower is better"),
    )  # fmt: skip


def _days(w: Weather) -> np.ndarray:
    """Days by number: today is 0, the past negative."""
    T = len(w.seen)
    return np.arange(len(w.truth)) - T + 1


def _known(w: Weather) -> np.ndarray:
    """Probability of each weather on each day, (T + H, 3)."""
    return np.vstack([w.posterior, w.forecast])


def draw(w: Weather) -> go.Figure:
    """A stack of bars a day; above it what the diary says, below it what was true."""
    days, T = _days(w), len(w.seen)
    bars = [
        go.Bar(x=days, y=own, name=WEATHERS[i], marker_color=class_color(i),
               hovertemplate=f"{WEATHERS[i]} %{{y:.3f}}<extra>day %{{x}}</extra>")
        for i, own in enumerate(_known(w).T)
    ]  # fmt: skip
    words = [DIARY[k] for k in w.seen]
    diary = go.Scatter(
        x=days[:T], y=np.full(T, 1.05), mode="text", text=words, textfont={"size": 10},
        hoverinfo="skip",
    )  # fmt: skip
    truth = go.Scatter(
        x=days, y=np.full(len(days), -0.07), mode="markers", name="truth",
        marker={"symbol": "square", "size": 10, "color": [class_color(int(k)) for k in w.truth]},
        text=[WEATHERS[k] for k in w.truth], hovertemplate="true: %{text}<extra></extra>",
        showlegend=False,
    )  # fmt: skip
    fig = plot(*bars, diary, truth, x="Day (0 is today); squares: what it was", y="Probability",
               barmode="stack", bargap=0.15)  # fmt: skip
    fig.update_layout(showlegend=True, margin_t=56, legend_y=1.12)
    fig.add_vline(x=0.5, line={"color": LIGHT.quiet, "dash": "dot", "width": 1.5})
    return fig.update_yaxes(range=[-0.14, 1.14], tickvals=[0, 0.5, 1])


def reading(w: Weather) -> str:
    """How right the past is, and tomorrow beside the long run."""
    used = w.path >= 0
    right = int((w.path == w.truth[: len(w.path)])[used].sum())
    long = listed(
        f"{percent(float(p))} {name}" for name, p in zip(WEATHERS, w.stationary, strict=True)
    )
    first, last = (
        listed(f"{percent(float(p))} {name}" for name, p in zip(WEATHERS, chances, strict=True))
        for chances in (w.forecast[0], w.forecast[-1])
    )
    return (
        f"The likeliest path is right on {right} of {count(int(used.sum()), 'day')}. Tomorrow: "
        f"{first}; in {count(len(w.forecast), 'day')}: {last}; in the long run: {long}."
    )


def table(w: Weather) -> tuple[TableColumn, ...]:
    """One line a day."""
    ahead = ("",) * len(w.forecast)
    return (
        TableColumn("day", _days(w)),
        TableColumn("diary", (*(DIARY[k] for k in w.seen), *ahead)),
        TableColumn("truth", tuple(WEATHERS[k] for k in w.truth)),
        TableColumn("likeliest path", (*(WEATHERS[k] if k >= 0 else "" for k in w.path), *ahead)),
        *(
            TableColumn(f"probability of {name}", own)
            for name, own in zip(WEATHERS, _known(w).T, strict=True)
        ),
    )


def _curves(w: Weather) -> dict[str, np.ndarray]:
    """Mean surprise by day ahead of who looks at so many days, and of who saw the weather."""
    names = ["nothing", *(count(h, "day") for h in HISTORIES[1:])]
    return dict(zip(names, w.losses, strict=True)) | {"the weather itself": w.ideal}


def draw_losses(w: Weather) -> go.Figure:
    """A line a history."""
    days = np.arange(1, len(w.forecast) + 1)
    lines = [line(days, own, k, name) for k, (name, own) in enumerate(_curves(w).items())]
    fig = plot(*lines, x="Days ahead", y="Mean surprise (nats)")
    return named_line(fig, "the long run", y=w.entropy)


def losses_reading(w: Weather) -> str:
    """What each history is worth for tomorrow."""
    curves = _curves(w)
    each = (f"{rough(float(own[0]))} from {name}" for name, own in curves.items())
    tomorrow = listed(each, most=len(curves))
    return f"The mean surprise about tomorrow is {tomorrow}."


def losses_table(w: Weather) -> tuple[TableColumn, ...]:
    """One line a day ahead."""
    columns = (TableColumn(f"surprise, from {name}", own) for name, own in _curves(w).items())
    return TableColumn("days ahead", np.arange(1, len(w.forecast) + 1)), *columns
