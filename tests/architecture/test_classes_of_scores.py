"""A class that says how scores stand is no class of something else."""

from __future__ import annotations

import re
from pathlib import Path

import ui

STYLE = (Path(ui.__file__).parent / "style.css").read_text()


def test_no_rule_of_another_thing_meets_the_table_of_scores():
    kinds = set(re.findall(r"\.scores\.([a-z]+)", STYLE))
    assert {"decided", "stale", "methods"} <= kinds
    alone = re.findall(r"(?:^|[\s,{}])\.([a-z]+)(?![\w-])", STYLE)
    assert not kinds & set(alone)
