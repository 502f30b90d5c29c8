"""What is taken away of an explanation: tables, a report, and the run that repeats it."""

from __future__ import annotations

import pandas as pd
import pytest

from service.kinds import files_of
from tests.figures.explained import SETTINGS, explained


@pytest.mark.parametrize("view", SETTINGS)
def test_every_file_of_an_explanation_is_made(view):
    outcome, dataset = explained(view).values()
    files = {file.name: file for file in files_of(outcome.run, outcome, dataset)}
    assert len(files) >= 5
    for name, file in files.items():
        assert not file.why_not
        content = file.make()
        assert content
        if name.endswith(".html"):
            assert "Linear discriminant analysis" in content
            assert outcome.run.short() in content
    assert any(name.endswith(f"{view}.csv") for name in files)


def test_the_curves_of_the_rows_have_a_line_a_row_and_value(tmp_path):
    outcome, dataset = explained("effect_curves").values()
    file = next(f for f in files_of(outcome.run, outcome, dataset) if f.name.endswith("curves.csv")
                and f.label == "Curves of the rows")  # fmt: skip
    path = tmp_path / "curves.csv"
    path.write_text(str(file.make()), encoding="utf-8")
    frame = pd.read_csv(path)
    assert len(frame) == outcome.joined.curves.shape[0] * outcome.joined.curves.shape[1]
    total = frame[[f"prediction {name}" for name in outcome.joined.outputs]].sum(axis=1)
    assert total.to_numpy() == pytest.approx(1.0)
