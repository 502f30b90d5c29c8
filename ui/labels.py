"""What a hyper-parameter is called beside its control, and what the control's help says of it."""

from __future__ import annotations

from mlcore.spine.param_kinds import Number, Param
from mlcore.spine.wording import typeset


def label_of(param: Param, name: str) -> str:
    """Noun and symbol of a hyper-parameter, as the widget shows it."""
    noun = param.noun(name)
    return f"{noun} ${param.symbol}$" if param.symbol else noun


def help_of(param: Param) -> str:
    """The sentence of a hyper-parameter, with where it counts and what is valid."""
    return " ".join(text for text in (param.doc, counts_where(param), limits_of(param)) if text)


def counts_where(param: Param) -> str:
    """Beside which other settings a hyper-parameter counts, as a sentence; empty if always."""
    clauses = " and ".join(condition.clause for condition in param.only_if)
    return f"Counts only with {clauses}." if clauses else ""


def limits_of(param: Param) -> str:
    """What values a number may have, as a sentence."""
    if not isinstance(param, Number):
        return ""
    low = f"at least {_limit(param.low)}" if param.low > float("-inf") else ""
    low = f"above {_limit(param.above)}" if param.above > float("-inf") else low
    high = f"at most {_limit(param.high)}" if param.high < float("inf") else ""
    high = f"below {_limit(param.below)}" if param.below < float("inf") else high
    limits = " and ".join(text for text in (low, high) if text)
    return f"Valid: {limits}." if limits else ""


def _limit(value: float) -> str:
    """A whole number in full with its thousands apart, any other as short as it is exact."""
    return typeset(f"{value:,.0f}" if value == round(value) else f"{value:g}")
