"""Members beside the whole, checked on values."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from figures.views.trees import member_errors


def fit(errors, joined=0.2):
    names = tuple(f"m{k}" for k in range(len(errors)))
    return SimpleNamespace(
        member_errors=np.array(errors),
        member_names=names,
        joined_error=joined,
        classes=np.arange(2),
    )


def test_members_stand_by_their_error():
    m = member_errors.numbers(fit([0.3, np.nan, 0.1, 0.25]))
    assert m.names == ("m2", "m3", "m0")
    said = member_errors.reading(m)
    assert said.startswith("All together err on 20 %; 3 members alone: 10 % the best, 25 %")
    assert said.endswith("1 member alone would do better.")
    np.testing.assert_array_equal(member_errors.table(m)[1].values, [0.1, 0.25, 0.3, 0.2])


def test_many_members_have_no_names_on_the_axis():
    few, many = (member_errors.numbers(fit(np.linspace(0.1, 0.4, b))) for b in (5, 50))
    assert member_errors.draw(few).layout.yaxis.type == "category"
    assert member_errors.draw(many).layout.yaxis.type is None
    assert "nothing to compare" in member_errors.reading(member_errors.numbers(fit([np.nan])))
