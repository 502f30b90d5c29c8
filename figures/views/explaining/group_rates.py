"""The rates by which fairness is measured, by group: a dot and its interval each."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.dots import interval_dots, keyed
from figures.drawing.traces import empty
from figures.theme import LIGHT, figure
from figures.view import TableColumn, View, joined, view
from mlcore.evaluation.slices.fairness import FOUR_FIFTHS, Rate
from mlcore.runs.explaining.fairness import GroupRates
from mlcore.spine.wording import count, fixed, in_sentence, listed, rough

ROW, HEAD, ROOM, MOST = 24, 34, 120, 10  # pixels a group, a measure, around; groups drawn
LONGEST = 18  # letters of a group
NOTHING = "No fold has predictions yet."
SHARES = (
    "base_rate", "selection_rate", "true_positive_rate", "false_positive_rate", "precision",
)  # fmt: skip


class RateDots(NamedTuple):
    """The rates of the groups; None before there are predictions."""

    it: GroupRates | None

    @property
    def rates(self) -> tuple[Rate, ...]:
        """The measures, none without two groups."""
        return self.it.rates if self.it else ()


@view(
    "group_rates",
    title="Fairness",
    on="fairness",
    is_wide=True,
    synonyms=("demographic parity", "equal opportunity", "equalised odds", "predictive parity",
              "disparate impact", "bias"),
)  # fmt: skip
def group_rates(explanation: Any) -> View:
    """Rates of a protected column's groups, on rows left out, and which differ from the largest."""
    d = RateDots(explanation.joined)
    note = "rows left out"
    if d.it is not None:
        note = f"by {d.it.column}, {note}"
        if d.rates:
            note += f", compared with the largest group, {d.it.groups[d.it.reference]}"
        note += f"; selected is {d.it.positive}" if d.it.positive else ""
    return joined(d, draw, reading, table, note=note)


def differs(rate: Rate) -> np.ndarray:
    """Whether the interval of the difference from the largest group leaves 0 out, shape (G,)."""
    low, high = np.nan_to_num(rate.difference_low), np.nan_to_num(rate.difference_high)
    return (low > 0) | (high < 0)


def draw(d: RateDots) -> go.Figure:
    """Shares on one axis, and below it each measure that has an axis of its own."""
    it = d.it
    if it is None or not d.rates:
        return empty(_too_few(it))
    kept = np.sort(np.argsort(-it.n, kind="stable")[:MOST])
    panels = _panels(d.rates)
    heights = [len(panel) * (HEAD + ROW * len(kept)) for panel in panels]
    gap = 76  # pixels for the ticks and the title of a panel
    total = sum(heights) + gap * (len(panels) - 1)
    fig = figure(*keyed(), height=ROOM + total, margin={"l": 16, "t": 48})
    top = total
    for number, (panel, height) in enumerate(zip(panels, heights, strict=True), 1):
        _panel(fig, it, panel, kept, number, [(top - height) / total, top / total])
        top -= height + gap
    return fig


def _panels(rates: tuple[Rate, ...]) -> list[tuple[Rate, ...]]:
    """Measures that share an axis."""
    shares = tuple(rate for rate in rates if rate.name in SHARES)
    others = [(rate,) for rate in rates if rate.name not in SHARES]
    return ([shares] if shares else []) + others


def _panel(
    fig: go.Figure,
    it: GroupRates,
    panel: tuple[Rate, ...],
    kept: np.ndarray,
    number: int,
    domain: list[float],
) -> None:
    """Draw measures one below the other, each with a heading and a line a group."""
    key = "" if number == 1 else str(number)
    axes = {"xaxis": f"x{key}", "yaxis": f"y{key}"}
    step, ticks, names = len(kept) + HEAD / ROW, list[float](), list[str]()
    for m, rate in enumerate(panel):
        y = m * step + HEAD / ROW + np.arange(len(kept))
        ticks += y.tolist()
        names += [_short(it.groups[g]) for g in kept]
        texts = [f"{rate.title}, {it.groups[g]}, n {rate.n[g]:.4g}" for g in kept]
        own = differs(rate)[kept]
        ends = rate.value[kept], rate.low[kept], rate.high[kept]
        for trace in interval_dots(*ends, y, own, texts, **axes):
            fig.add_trace(trace)
        fig.add_annotation(
            x=0, xref=f"x{key} domain", xanchor="left", y=m * step + 0.3, yref=f"y{key}",
            text=_heading(rate), showarrow=False, font={"size": 13, "color": LIGHT.text},
        )  # fmt: skip
    is_share = panel[0].name in SHARES
    span: dict[str, Any] = {"range": [-0.02, 1.02]} if is_share else {"nticks": 6}
    title = "Share of the rows" if is_share else panel[0].title
    fig.update_layout(
        {
            f"xaxis{key}": {"anchor": f"y{key}", "title": {"text": title}, **span},
            f"yaxis{key}": {
                "anchor": f"x{key}", "domain": domain, "range": [len(panel) * step - 0.4, -0.4],
                "tickvals": ticks, "ticktext": names, "showgrid": False,
            },
        }
    )  # fmt: skip
    if not is_share and panel[0].name != "rmse":
        dotted = {"color": LIGHT.quiet, "width": 1, "dash": "dot"}
        fig.add_shape(
            type="line", x0=0, x1=0, y0=0, y1=1, xref=f"x{key}", yref=f"y{key} domain", line=dotted
        )  # fmt: skip


def _heading(rate: Rate) -> str:
    """The measure, and what is called fair where it is equal."""
    return f"<b>{rate.title}</b>" + (f" · {rate.criterion}" if rate.criterion else "")


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def _too_few(it: GroupRates | None) -> str:
    if it is None:
        return NOTHING
    return (
        f"{it.column} has {count(len(it.groups), 'group')} of at least {it.smallest} rows left "
        "out, and two are compared. Choose another column or a smaller group."
    )


def reading(d: RateDots) -> str:
    """What differs, the four-fifths rule, and what cannot hold together."""
    it = d.it
    if it is None or not d.rates:
        return _too_few(it)
    told = [_told(it, rate) for rate in d.rates if differs(rate).any()]
    text = "Beyond chance, each interval by itself, " + "; ".join(told) + ". " if told else (
        "No rate differs from that of the largest group beyond chance. "
    )  # fmt: skip
    text += _four_fifths(it) + _odds(d.rates) + _conflict(it)
    if not it.is_variable:
        text += f" {it.column} is no variable of the model; others may stand in for it."
    if it.too_small:
        text += f" Under {it.smallest} rows, not compared: {listed(it.too_small)}."
    return text.strip()


def _told(it: GroupRates, rate: Rate) -> str:
    """Which groups differ in a measure, and by how much."""
    own = np.flatnonzero(differs(rate))
    by = listed(f"{it.groups[g]} by {_signed(rate.difference[g])}" for g in own)
    return f"{in_sentence(rate.title)}: {by}"


def _signed(value: float) -> str:
    return f"+{rough(value)}" if value > 0 else rough(value)


def _four_fifths(it: GroupRates) -> str:
    if not np.isfinite(it.four_fifths):
        return ""
    side = "below the 0.8" if it.four_fifths < FOUR_FIFTHS else "within the 0.8"
    return (
        f"The lowest selection rate is {fixed(it.four_fifths)} of the highest, {side} of the "
        "four-fifths rule. "
    )


def _odds(rates: tuple[Rate, ...]) -> str:
    """The gap of equalised odds: the larger one of both rates."""
    gaps = [r.gap for r in rates if r.name in ("true_positive_rate", "false_positive_rate")]
    if not gaps or not np.isfinite(gaps).all():
        return ""
    return f"Equalised odds miss by {rough(max(gaps))}. "


def _conflict(it: GroupRates) -> str:
    """Why the criteria exclude each other, with the base rates of this table."""
    c = it.conflict
    if c is None:
        return ""
    (a, b), (low, high) = c.groups, c.base_rates
    if not differs(it.rates[0]).any():
        return (
            f"Base rates ({fixed(low)} to {fixed(high)}) do not differ beyond chance, so the "
            "criteria hardly exclude each other here."
        )
    text = (
        f"Base rates differ, {fixed(low)} in {a} and {fixed(high)} in {b}, so calibration or "
        "predictive parity and equal error rates cannot hold together, unless every decision is "
        "right (Kleinberg et al. 2016, Chouldechova 2017)"
    )
    if not (0 < c.precision < 1 and c.recall > 0 and np.isfinite(c.implied).all()):
        return f"{text}."
    return (
        f"{text}: with precision {fixed(c.precision)} and true positive rate {fixed(c.recall)} in "
        f"both, the false positive rate would have to be {_implied(c.implied[0])} in {a} and "
        f"{_implied(c.implied[1])} in {b}."
    )


def _implied(rate: float) -> str:
    return fixed(rate) if rate <= 1 else "above 1, which is impossible,"


def table(d: RateDots) -> tuple[TableColumn, ...]:
    """One line a measure and group."""
    it = d.it
    if it is None:
        return (TableColumn("group", ()),)
    lines = [(rate, g) for rate in it.rates for g in range(len(it.groups))]
    columns = {
        "95 % from": "low", "to": "high", "rows": "n", "difference from the largest": "difference",
        "difference 95 % from": "difference_low", "difference to": "difference_high",
        "ratio to the largest": "ratio",
    }  # fmt: skip
    return (
        TableColumn("measure", tuple(rate.title for rate, _ in lines)),
        TableColumn("fair if equal", tuple(rate.criterion for rate, _ in lines)),
        TableColumn("group", tuple(it.groups[g] for _, g in lines)),
        TableColumn("value", np.array([rate.value[g] for rate, g in lines])),
        *(
            TableColumn(title, np.array([getattr(rate, name)[g] for rate, g in lines]))
            for title, name in columns.items()
        ),
    )
