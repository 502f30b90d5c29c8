"""Saved models and runs from strangers: any bytes give a model or a sentence, in little memory."""

from __future__ import annotations

import io
import json
import random
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from mlcore.__main__ import main
from mlcore.runs import saved
from mlcore.runs.run import Comparison, Run, Trial, from_json
from mlcore.spine.errors import MlcoreError
from mlcore.spine.registry import entries
from tests.contract.subjects import fitted, is_sentence
from tests.contract.test_saved import changed, document, model, problem, refused

SEEDS = ("lda", "decision_tree", "kmeans", "knn", "gaussian_mixture", "logistic", "pca")
ROUNDS = 40  # mutations of each seed; the same in every run
STRANGE: tuple[Any, ...] = (
    None, True, -1, 0, 10**25, 1e308, "", "lda", "\ud800", [], [[]], {}, {"array": "a0"},
    {"scalar": "a0"}, {"array": "nowhere"}, {"number": "nan"}, {"fit": []}, {"fields": {}},
    {"part": {"use": "lda"}, "slot": "method"}, {"part": {"use": "lda"}, "slot": "nowhere"},
    {"part": [], "slot": "kernel"},
)  # fmt: skip


@pytest.fixture(scope="module", params=SEEDS)
def seed(request) -> bytes:
    """A saved model, as its bytes."""
    return saved.written(model(fitted(entries("method")[request.param]())))


def read_or_sentence(content: bytes) -> None:
    """Read it; what cannot be read must say so in a sentence."""
    sentence = problem(content)
    assert not sentence or is_sentence(sentence), sentence


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container of a document with a key in it."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(pairs):
        yield value, key
        if isinstance(inner, dict | list):
            yield from places(inner)


def test_a_kind_that_no_column_has_is_refused():
    """It stands beside the name of its column: markup of a stranger would be drawn."""
    content = saved.written(model(fitted(entries("method")["lda"]())))
    text = json.dumps(document(content)["model"]["columns"])
    spoilt = json.dumps(document(content)).replace(text, text.replace('"number"', '"<img src=x>"'))
    assert "<img" in spoilt
    sentence = problem(changed(content, model_json=spoilt.encode()))
    assert "of the kind '<img src=x>'" in sentence and is_sentence(sentence)


def test_bytes_that_were_changed(seed):
    rng = random.Random(1)
    for _ in range(ROUNDS):
        spoilt = bytearray(seed)
        for _ in range(rng.choice((1, 4, 30))):
            spoilt[rng.randrange(len(spoilt))] = rng.randrange(256)
        read_or_sentence(bytes(spoilt[: rng.choice((len(spoilt), rng.randrange(len(spoilt))))]))


def test_documents_that_were_changed(seed):
    rng = random.Random(2)
    for _ in range(ROUNDS):
        plain = document(seed)
        container, key = rng.choice(list(places(plain)))
        if rng.random() < 0.2 and isinstance(container, dict):
            container[str(rng.choice(STRANGE))] = container.pop(key)
        else:
            container[key] = rng.choice(STRANGE)
        read_or_sentence(changed(seed, model_json=json.dumps(plain).encode()))


def npy(descr: str, shape: tuple[int, ...], data: bytes = b"", fortran: bool = False) -> bytes:
    """An array in numpy's format that says of itself what is wanted."""
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        head, {"descr": descr, "fortran_order": fortran, "shape": shape}
    )
    return head.getvalue() + data


ARRAYS = [
    npy("<f8", (-1, -2), bytes(16)),
    npy("<f8", (0, 10**21)),
    npy("<f8", (2**63, 0)),
    npy("<f8", (-3,)),
    npy("<U0", (5,)),
    npy("<U0", (10**12,)),
    npy("<U1000000000", (0,)),
    npy("<f8", (1,) * 70, bytes(8)),
    npy(">f8", (1,), bytes(8)),
    npy("<f2", (1,), bytes(2)),
    npy("|O", (1,), b"cos\nsystem\n"),
    npy("<U1", (1,), b"\xff\xff\xff\xff"),
    b"\x93NUMPY\x02\x00" + b"\xff" * 20,
    b"\x93NUMPY\x01\x00\xff\xff{'descr': '<f8'",
    b"\x93NUMPY\x01\x00\x10\x00" + b"(" * 16,
    b"",
]


@pytest.mark.parametrize("array", ARRAYS, ids=range(len(ARRAYS)))
def test_arrays_that_are_not_what_they_say(array):
    content = saved.written(model(fitted(entries("method")["lda"]())))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for k in range(40):
            archive.writestr(f"a{k}.npy", array)
    read_or_sentence(changed(content, arrays_npz=out.getvalue()))


def with_document(text: bytes, compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        archive.writestr("model.json", text)
        archive.writestr("arrays.npz", b"")
    return out.getvalue()


@pytest.mark.parametrize(
    "text", [b"\xff\xfe\xff", b"\x00", b'{"a": "\xe9"}', b"[" * 10**5, b"1e999"]
)
def test_documents_that_are_no_json(text):
    refused(with_document(text))


@pytest.mark.parametrize("kind", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2, zipfile.ZIP_DEFLATED])
def test_parts_that_were_damaged(kind):
    whole = with_document(b'{"format": 1}' + b" " * 5000, kind)
    for at in range(30, 70):
        read_or_sentence(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])


def test_a_part_that_is_encrypted_or_packed_by_an_unknown_method():
    whole = bytearray(with_document(b'{"format": 1}'))
    for place, value in ((6, 1), (8, 99)):
        spoilt = bytearray(whole)
        start = spoilt.index(b"PK\x01\x02")
        spoilt[place] = spoilt[start + place + 2] = value
        refused(bytes(spoilt))


@pytest.mark.parametrize("text", [b"[" + b"[]," * 10**7 + b"[]]", b"[" + b"{}," * 10**7 + b"{}]"])
def test_a_small_archive_whose_document_would_fill_the_memory(text):
    content = with_document(text)
    assert len(content) < 100_000
    tracemalloc.start()
    try:
        assert "at most" in refused(content)
        assert tracemalloc.get_traced_memory()[1] < 100 * 2**20
    finally:
        tracemalloc.stop()


def test_more_members_than_a_model_has():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for k in range(2_000):
            archive.writestr(str(k), b"")
    refused(out.getvalue())


def problem_of_run(text: str) -> str:
    """What is wrong with a saved run, if anything is."""
    try:
        from_json(text)
    except MlcoreError as error:
        return str(error)
    return ""


RUNS: tuple[Callable[[], Any], ...] = (
    lambda: Run(data="iris", method="logistic"), Comparison, Trial,
)  # fmt: skip


@pytest.mark.parametrize("made", RUNS)
def test_saved_runs_that_were_changed(made):
    rng, whole = random.Random(3), made().to_json()
    for _ in range(ROUNDS * 4):
        plain = json.loads(whole)
        container, key = rng.choice(list(places(plain)))
        container[key] = rng.choice(STRANGE)
        sentence = problem_of_run(json.dumps(plain))
        assert not sentence or is_sentence(sentence), sentence


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"\x00" * 10, b"{", b"[" * 10**5])
def test_the_command_line_says_a_sentence_of_a_run_that_is_none(content, tmp_path, capsys):
    path = tmp_path / "run.json"
    path.write_bytes(content)
    assert main(["run", str(path)]) == 1
    assert is_sentence(capsys.readouterr().err.strip().removeprefix("Error: "))
