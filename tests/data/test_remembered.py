"""What is found about a thing that never changes is found once, and forgotten with it."""

from __future__ import annotations

import gc
import weakref

import numpy as np

from mlcore.data.audit import audit
from mlcore.data.remembered import remembered
from mlcore.data.table import Table, coded, numeric


def test_a_thing_is_looked_at_once_and_not_kept():
    seen = []

    @remembered
    def names(column):
        seen.append(column.name)
        yield column.name

    one, other = numeric("a", [1.0, 2.0]), numeric("a", [1.0, 2.0])
    assert names(one) == names(one) == names(other) == ("a",)
    assert seen == ["a", "a"], "equal columns are still two"
    gone = weakref.ref(one)
    del one
    gc.collect()
    assert gone() is None


def test_findings_follow_a_changed_kind_and_another_target():
    rng = np.random.default_rng(0)
    table = Table.of(
        numeric("a", rng.integers(0, 3, 90), "count"), coded("b", ["u", "v"] * 45, "binary")
    )
    first = {f.title for f in audit(table, "b")}
    assert "Integer-coded columns" in first
    assert {f.title for f in audit(table, "b")} == first
    other = table.with_kind("a", "nominal")
    assert "Integer-coded columns" not in {f.title for f in audit(other, "b")}
    assert "Integer-coded columns" in {f.title for f in audit(table, "a")}
