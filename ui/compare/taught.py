"""What other tests would say of the same differences, and why not to believe them."""

from __future__ import annotations

import streamlit as st

from mlcore.runs.comparing.pairs import Pair, Pairs
from mlcore.runs.comparing.teaching import taught
from mlcore.spine.wording import p_value
from ui.wording import plain

HONEST = "Corrected t-test"


def other_tests(pairs: Pairs) -> None:
    """A table of p-values, not adjusted, to be unfolded; nothing where no pair is tested."""
    tested = [pair for pair in pairs.pairs if pair.test is not None]
    if not tested:
        return
    with st.expander("What other tests would say"):
        st.markdown(
            "p-values of each pair alone, before their adjustment. Only the first allows for the "
            "training rows that folds share, and only it goes into the verdicts."
        )
        lines = [_line(pair) for pair in tested]
        st.table(lines, border="horizontal", hide_index=True, hide_header=False, alt="p-values")
        remarks = dict.fromkeys(test.remark for pair in tested for test in taught(pair))
        st.markdown("\n".join(f"- {plain(remark)}" for remark in remarks))


def _line(pair: Pair) -> dict[str, str]:
    assert pair.test is not None
    line = {"Pair": plain(f"{pair.first.label} and {pair.second.label}")}
    line[HONEST] = _p(pair.test.p)
    return line | {test.name: _p(test.p) for test in taught(pair)}


def _p(value: float) -> str:
    return p_value(value).removeprefix("p ").removeprefix("= ")
