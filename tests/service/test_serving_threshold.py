"""A served model by a threshold of one's own, and what is said to a crowd."""

from __future__ import annotations

import json
from typing import Any

import pytest
from starlette.responses import Response

from mlcore.__main__ import main
from mlcore.data.dataset import TableData
from mlcore.interop.serving.app import within
from mlcore.interop.serving.described import openapi, served
from mlcore.interop.serving.limits import Limits
from mlcore.interop.serving.replies import CSV, JSON, PROBLEM
from mlcore.runs import saved
from mlcore.runs.run import Run
from tests import asynchronous
from tests.contract.subjects import is_sentence
from tests.service.test_serving import RUNS, Made, asked, made_of, serving

OF_TWO = Run(
    data=TableData(source="penguins", target="sex"), method="logistic", evaluation="hold_out"
)


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> dict[str, Made]:
    """A model that has a threshold, and three that have none."""
    folder = tmp_path_factory.mktemp("models")
    return {name: made_of(name, run, folder) for name, run in (RUNS | {"sex": OF_TWO}).items()}


def test_a_threshold_decides_as_the_command_does(made, capsys):
    """By hand from the probabilities; in both forms, and in the words of the document."""
    it = made["sex"]
    options = ["--threshold", "0.8"]
    assert main(["predict", str(it.archive), str(it.table), *options]) == 0
    printed = capsys.readouterr().out
    body = json.dumps({"rows": it.rows})
    assert asked(it, body, JSON, CSV, threshold="0.8").body.decode() == printed
    rows = json.loads(asked(it, body, threshold=0.8).body)["rows"]
    usual = json.loads(asked(it, body).body)["rows"]
    for row, as_usual in zip(rows, usual, strict=True):
        is_second = row["probability of male"] >= 0.8
        assert row["predicted sex"] == ("male" if is_second else "female")
        assert row | {"predicted sex": as_usual["predicted sex"]} == as_usual | {
            "threshold of male": 0.8
        }
    assert [r["predicted sex"] for r in rows] != [r["predicted sex"] for r in usual]
    document = served(it.archive.read_bytes(), Limits(), "0.8").document
    schema = document["components"]["schemas"]["Prediction"]
    assert schema["properties"].keys() == rows[0].keys()
    assert schema["properties"].keys() - set(schema["required"]) == {"threshold of male"}
    (parameter,) = document["paths"]["/predict"]["post"]["parameters"]
    assert parameter["name"] == "threshold" and "male" in parameter["description"]


@pytest.mark.parametrize("wrong", ["1.5", "-0.1", "nan", "much", "", "9" * 10_000])
def test_what_is_no_threshold_is_a_sentence(made, wrong, capsys):
    it = made["sex"]
    reply = asked(it, json.dumps({"rows": it.rows[:1]}), threshold=wrong)
    told = json.loads(reply.body)["detail"]
    assert reply.status == 422 and is_sentence(told) and "threshold must be" in told
    for command in (["predict", str(it.archive), str(it.table)], ["serve", str(it.archive)]):
        assert main([*command, f"--threshold={wrong}"]) == 1
        assert capsys.readouterr().err.strip() == told


@pytest.mark.parametrize("name", ["penguins", "diabetes", "iris"])
def test_a_model_that_decides_by_no_threshold_says_so(made, name, capsys):
    it = made[name]
    told = json.loads(asked(it, json.dumps({"rows": it.rows[:1]}), threshold=0.3).body)["detail"]
    assert is_sentence(told) and "A threshold of 0.3 needs two classes" in told
    assert main(["serve", str(it.archive), "--threshold", "0.3"]) == 1
    assert capsys.readouterr().err.strip() == told
    document = openapi(saved.read(it.archive.read_bytes()), Limits())
    assert "parameters" not in document["paths"]["/predict"]["post"]


def test_a_server_has_a_threshold_and_a_request_its_own(made, capsys):
    it = made["sex"]

    def printed(threshold: str) -> bytes:
        assert main(["predict", str(it.archive), str(it.table), "--threshold", threshold]) == 0
        return capsys.readouterr().out.encode()

    with serving(it, "--workers", "1", "--threshold", "0.8") as one:
        assert json.loads(one.ask("GET", "/model")[2])["threshold"] == 0.8
        content = it.table.read_bytes()
        assert one.predict(content, CSV) == (200, printed("0.8"))
        assert one.predict(content, CSV, "?threshold=0.2") == (200, printed("0.2"))


def test_a_crowd_of_connections_is_told_so_in_a_sentence():
    def sent_with(connections: int) -> list[dict[str, Any]]:
        sent: list[dict[str, Any]] = []

        async def send(part: Any) -> None:
            sent.append(part)

        bounded = within(Response("answered"), 500, lambda: connections)
        asynchronous.run(bounded({"type": "http"}, None, send))  # type: ignore[arg-type]  # not received
        return sent

    assert sent_with(500)[1]["body"] == b"answered"
    start, body = sent_with(501)
    headers = dict(start["headers"])
    assert (start["status"], headers[b"content-type"]) == (503, PROBLEM.encode())
    assert headers[b"retry-after"] and headers[b"connection"] == b"close"
    assert is_sentence(json.loads(body["body"])["detail"])
