"""A model that was taken away is opened again in the app; any other file ends in a sentence."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest

from mlcore.data import bundled
from mlcore.data.dataset import TableData
from mlcore.runs import carry, saved
from mlcore.runs.predicting import opened as opened_models
from mlcore.runs.run import Run
from mlcore.spine.errors import MlcoreError
from tests.pages.conftest import shown

RUN = Run(data=TableData(source="penguins"), method="lda", evaluation="hold_out")
PENGUINS = bundled.load("penguins")


@pytest.fixture(scope="module")
def archive() -> bytes:
    return saved.written(saved.model_of(carry.carried_out(RUN), RUN.data.dataset()))


@pytest.fixture
def page(opened):
    at = opened("data", data="iris", view__tab="saved_model")
    assert not at.exception, at.exception[0].stack_trace
    return at


def bring(at, content: bytes, name: str):
    at.file_uploader[0].set_value((name, content, "application/zip")).run()
    assert not at.exception, at.exception[0].stack_trace
    return at


def test_a_model_is_opened_and_asked(page, archive):
    at = bring(page, archive, "model.zip")
    assert "predicts species from 6 columns" in shown(at)
    at = bring(at, PENGUINS.to_csv().encode(), "new.csv")
    body = "\n".join(item.proto.body for item in at.get("html"))
    assert "Accuracy on the new rows" in body
    assert "Adelie taken for" in body or "taken for" in body or "No row is wrong" in body
    assert [b.proto.label for b in at.get("download_button")] == ["Download CSV"]
    next(b for b in at.button if b.label == "Close").click().run()
    assert not at.exception and "Reading runs nothing of the file" in shown(at)


def test_it_says_what_the_command_says(archive):
    model, source = saved.read(archive), RUN.data.source
    table = PENGUINS.take(np.arange(0, 344, 7))
    outcome = opened_models.predicted(archive, source, table, {}, {})
    known = model.outputs_of(table)
    for name, column in outcome.outputs.items():
        np.testing.assert_array_equal(column, known[name])
    assert outcome.interval is not None
    assert outcome.interval.method == "Wilson"


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04broken"])
def test_any_other_file_is_refused_in_a_sentence(page, content):
    at = bring(page, content, "model.zip")
    assert "not a saved model" in at.error[0].value
    assert at.file_uploader  # the place for another one is there


def test_a_spoiled_archive_ends_in_a_sentence(archive):
    """Numbers of another shape than the fit has: read as they are, and refused when asked."""
    with zipfile.ZipFile(io.BytesIO(archive)) as parts:
        document, arrays = parts.read(saved.DOCUMENT), parts.read(saved.ARRAYS)
    loaded, told = np.load(io.BytesIO(arrays)), []
    for name in loaded.files:
        spoiled = {n: loaded[n] for n in loaded.files} | {name: np.zeros((1, 1))}
        packed, out = io.BytesIO(), io.BytesIO()
        np.savez(packed, **spoiled)  # type: ignore[arg-type]  # names of arrays, no flag
        with zipfile.ZipFile(out, "w") as again:
            again.writestr(saved.DOCUMENT, document)
            again.writestr(saved.ARRAYS, packed.getvalue())
        try:
            opened_models.predicted(out.getvalue(), RUN.data.source, PENGUINS, {}, {})
        except MlcoreError as error:
            told.append(str(error))
    assert told
    assert all(sentence.endswith(".") for sentence in told)
