"""*Worth a look* after a run of every method: its rules end, and what they offer can be done."""

from __future__ import annotations

from typing import Any

import pytest

from figures.view import views
from mlcore.data.dataset import TableData
from mlcore.data.generators.classes.blobs import Blobs
from mlcore.data.generators.quantities.linear_features import LinearFeatures
from mlcore.runs.carry import carried_out
from mlcore.runs.findings import findings
from mlcore.runs.findings.finding import NOTE, WARNING
from mlcore.runs.run import Run
from tests.contract.subjects import Subject, is_sentence, methods

SOURCES: dict[str, Any] = {
    "regression": LinearFeatures(n_samples=40),
    "": Blobs(n_samples=40),
    "classification": Blobs(n_samples=40),
}


@pytest.mark.parametrize("subject", methods(), ids=str)
def test_what_is_worth_a_look_is_a_sentence_with_a_press(subject: Subject) -> None:
    cls = subject.cls
    source = "linnerud" if "outputs" in cls.card.takes else SOURCES[cls.card.task]
    run = Run(data=TableData(source=source), method=cls(), evaluation="hold_out")
    outcome = carried_out(run)
    for finding in findings(outcome, run.data.dataset()):
        assert finding.severity in (NOTE, WARNING)
        assert is_sentence(finding.sentence), finding.sentence
        press = finding.press
        assert press.label
        assert press.run != run, "a press changes something"
        assert press.run or press.tab or press.view in views()
