"""Criteria that disagree: their table with ranks, the choice of each rule, the rows."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.lab import picture, plot
from figures.theme import LIGHT, SHARE, figure
from figures.view import TableColumn, View
from mlcore.labs.clustering.criteria_disagree import CRITERIA, RULES, SHOWN, Disagreement
from mlcore.spine.wording import count, number, percent, rough

HEIGHT = 330
NAMED = 6  # groups in the legend: a small radius makes very many
SHORT = tuple(name.replace(", ", ",<br>") for name in SHOWN)
CHOICES = ("AIC", "BIC")
SAME = 1e-9  # ranks and agreements that differ by less are equal


def pictures(d: Disagreement) -> tuple[View, ...]:
    """Criteria, rules, rows."""
    note = f"AIC and BIC by {RULES[d.rule]}"
    return (
        picture("Five groupings by three criteria", d, draw, reading, table, note=note),
        picture("What each likelihood chooses", d, draw_rules, rules_reading, rules_table),
        picture("The rows", d, draw_rows, rows_reading, rows_table, note=SHOWN[d.shown]),
    )


def draw(d: Disagreement) -> go.Figure:
    """The values, darker the better their rank."""
    means = d.ranks.mean(axis=1)
    texts = [
        [*(number(v, 4) for v in row), f"{mean:.1f}"]
        for row, mean in zip(d.values, means, strict=True)
    ]
    good = 1 - (np.column_stack([d.ranks, means]) - 1) / (len(SHOWN) - 1)
    return _framed(_cells(good, texts, [*CRITERIA, "mean rank"], SHORT))


def _cells(z: np.ndarray, texts: list[list[str]], x: list[str], y: tuple[str, ...]) -> go.Heatmap:
    return go.Heatmap(
        z=z, x=x, y=list(y), zmin=0, zmax=1, showscale=False,
        colorscale=[(0.0, LIGHT.second), (1.0, SHARE)],
        text=texts, texttemplate="%{text}", textfont={"size": 12}, xgap=3, ygap=3,
        hovertemplate="%{y}<br>%{x}<br>%{text}<extra></extra>",
    )  # fmt: skip


def _framed(heat: go.Heatmap) -> go.Figure:
    fig = figure(heat, height=HEIGHT)
    plain = {"showgrid": False, "showline": False, "ticks": ""}
    fig.update_xaxes(side="top", **plain)
    return fig.update_yaxes(autorange="reversed", **plain)


def reading(d: Disagreement) -> str:
    """What each criterion takes, and the mean rank."""
    own = "; ".join(f"{name}: {_least(of)}" for name, of in zip(CRITERIA, d.ranks.T, strict=True))
    return (
        f"Least of each: {own}. By mean rank: {_least(d.ranks.mean(axis=1))}. The bars are met "
        f"best by {_least(-d.agreement)} (adjusted Rand index {rough(float(d.agreement.max()))})."
    )


def _least(values: np.ndarray) -> str:
    """The groupings of the least value, all of equals: some may be of the same groups."""
    here = np.flatnonzero(np.isclose(values, values.min(), rtol=0.0, atol=SAME))
    return " and ".join(SHOWN[int(k)] for k in here)


def table(d: Disagreement) -> tuple[TableColumn, ...]:
    """One line a grouping."""
    return (
        TableColumn("grouping", SHOWN),
        TableColumn("groups", d.labels.max(axis=1) + 1),
        TableColumn("share of noise", (d.labels < 0).mean(axis=1)),
        *(TableColumn(name, d.values[:, k]) for k, name in enumerate(CRITERIA)),
        TableColumn("mean rank", d.ranks.mean(axis=1)),
        TableColumn("adjusted Rand index with the bars", d.agreement),
    )


def draw_rules(d: Disagreement) -> go.Figure:
    """Rules down, groupings across; a cell names what chooses it."""
    picks = d.chosen[:, None, :] == np.arange(len(SHOWN))[:, None]
    texts = [[" ".join(np.array(CHOICES)[own]) for own in row] for row in picks]
    rules = tuple(rule.replace(" ", "<br>", 1) for rule in RULES)
    return _framed(_cells(picks.sum(axis=2) / len(CHOICES), texts, list(SHORT), rules))


def rules_reading(d: Disagreement) -> str:
    """Which rules take the grouping that is nearest to the bars."""
    right = (d.agreement[d.chosen] > d.agreement.max() - SAME).all(axis=1)
    names = [rule for rule, is_right in zip(RULES, right, strict=True) if is_right]
    text = f"Best met are the bars by {_least(-d.agreement)}."
    if not names:
        return f"{text} By no likelihood do both criteria choose that."
    return f"{text} Both criteria choose that by {' and by '.join(names)}."


def rules_table(d: Disagreement) -> tuple[TableColumn, ...]:
    """One line a rule."""
    chosen = ([SHOWN[int(k)] for k in column] for column in d.chosen.T)
    return (
        TableColumn("likelihood", RULES),
        *(TableColumn(f"least {name}", own) for name, own in zip(CHOICES, chosen, strict=True)),
    )


def draw_rows(d: Disagreement) -> go.Figure:
    """Rows by group, noise hollow."""
    labels, traces = d.labels[d.shown], []
    for k in range(-1, int(labels.max()) + 1):
        if (here := labels == k).any():
            name = "noise" if k < 0 else f"group {k + 1}"
            traces.append(
                marks.points(
                    d.X[here, 0], d.X[here, 1], klass=k, name=name, hollow=k < 0,
                    showlegend=k < NAMED,
                )
            )  # fmt: skip
    fig = plot(*traces, x="Column 1", y="Column 2")
    return marks.equal_axes(fig).update_layout(showlegend=True)


def rows_reading(d: Disagreement) -> str:
    """Groups and noise of the grouping that is shown."""
    labels = d.labels[d.shown]
    groups = count(int(labels.max()) + 1, "group")
    return f"{SHOWN[d.shown]}: {groups}, {percent(float((labels < 0).mean()))} of the rows noise."


def rows_table(d: Disagreement) -> tuple[TableColumn, ...]:
    """One line a row."""
    return (
        TableColumn("column 1", d.X[:, 0]),
        TableColumn("column 2", d.X[:, 1]),
        *(
            TableColumn(name, ["noise" if k < 0 else str(k + 1) for k in own])
            for name, own in zip(SHOWN, d.labels, strict=True)
        ),
    )
