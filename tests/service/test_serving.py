"""A served model says what `mlcore predict` says, and refuses the rest with number and sentence."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mlcore.__main__ import main
from mlcore.interop.serving.answering import answer
from mlcore.interop.serving.described import openapi, outputs_of, served
from mlcore.interop.serving.limits import Limits
from mlcore.interop.serving.replies import CSV, JSON, PROBLEM, as_json
from mlcore.runs import saved
from mlcore.runs.carry import carried_out
from mlcore.runs.run import Run
from mlcore.spine.errors import FileError, ParamError
from tests.contract.subjects import is_sentence
from tests.contract.test_saved import changed, document

ROOT = Path(__file__).parents[2]
RUNS = {
    "penguins": Run(data="penguins", method="logistic", evaluation="hold_out"),
    "diabetes": Run(data="diabetes", method="ridge", evaluation="hold_out"),
    "iris": Run(data="iris", preparation=("standardise",), method="kmeans"),
}


class Made(NamedTuple):
    """A saved model, and the table that it was made from."""

    archive: Path
    table: Path
    rows: list[dict[str, Any]]  # of the table, as JSON has them


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> dict[str, Made]:
    """Models of three kinds, saved as people take them away."""
    folder = tmp_path_factory.mktemp("models")
    return {name: made_of(name, run, folder) for name, run in RUNS.items()}


def made_of(name: str, run: Run, folder: Path) -> Made:
    """The model of a run, with the table that it was made from."""
    outcome, dataset = carried_out(run), run.data.dataset()
    it = Made(folder / f"{name}.zip", folder / f"{name}.csv", [])
    it.archive.write_bytes(
        saved.written(saved.model_of(outcome, dataset), saved.scores_of(outcome))
    )
    it.table.write_text(dataset.table.to_csv())
    for k in range(dataset.table.n_rows):
        it.rows.append({c.name: _cell(c, k) for c in dataset.table.columns})
    return it


def _cell(column: Any, row: int) -> Any:
    if column.is_coded:
        return column.cell(row) or None
    value = float(column.values[row])
    return None if value != value else value


def asked(
    it: Made,
    body: bytes | str,
    kind: str = JSON,
    wants: str = "",
    rows: int = 10_000,
    threshold: float | str | None = None,
) -> Any:
    """What a process answers, without a server."""
    header = {
        "type": kind, "wants": wants or kind, "model": "m", "rows": rows, "threshold": threshold,
    }  # fmt: skip
    body = body if isinstance(body, bytes) else body.encode()
    return answer(saved.read(it.archive.read_bytes()), header, body)


def told(it: Made, rows: Any) -> dict[str, Any]:
    """What is said of rows that cannot be used."""
    reply = asked(it, json.dumps({"rows": rows}))
    assert reply.type == PROBLEM
    said = json.loads(reply.body)
    assert said["status"] == reply.status == 422 and is_sentence(said["detail"])
    assert all(is_sentence(place["says"]) for place in said.get("problems", []))
    return said


@pytest.mark.parametrize("name", RUNS)
def test_both_forms_say_what_the_command_says_to_the_last_bit(made, name, capsys):
    it = made[name]
    assert main(["predict", str(it.archive), str(it.table)]) == 0
    printed = capsys.readouterr().out
    assert asked(it, it.table.read_bytes(), CSV).body.decode() == printed
    body = json.dumps({"rows": it.rows})
    assert asked(it, body, JSON, CSV).body.decode() == printed
    rows = json.loads(asked(it, body).body)["rows"]
    lines = [list(row.values()) for row in rows]
    cells = [line.split(",") for line in printed.splitlines()]
    assert cells[0] == list(rows[0])
    assert [[str(cell) for cell in line] for line in lines] == cells[1:]


@pytest.mark.parametrize("name", RUNS)
def test_the_document_describes_what_is_sent(made, name):
    model = saved.read(made[name].archive.read_bytes())
    schemas = openapi(model, Limits())["components"]["schemas"]
    row = json.loads(asked(made[name], json.dumps({"rows": made[name].rows[:1]})).body)["rows"][0]
    assert schemas["Prediction"]["required"] == list(row) == list(outputs_of(model))
    for column, value in row.items():
        assert suits(schemas["Prediction"]["properties"][column], value), column
    for column, schema in schemas["Row"]["properties"].items():
        assert all(suits(schema, sent[column]) for sent in made[name].rows), column


def suits(schema: dict[str, Any], value: Any) -> bool:
    """Whether a plain value is of a type, or among the values, of a schema."""
    if "enum" in schema:
        return value in schema["enum"]
    types = {"number": (int, float), "integer": int, "string": str, "null": type(None)}
    named = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return any(isinstance(value, types[name]) for name in named)


def test_every_link_of_the_document_leads_somewhere(made):
    document = openapi(saved.read(made["penguins"].archive.read_bytes()), Limits())
    links = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(document)))
    assert links == document["components"]["schemas"].keys()


def test_the_card_says_score_columns_and_where_it_comes_from(made):
    it = served(made["penguins"].archive.read_bytes(), Limits()).card
    assert it["method"]["name"] == "logistic" and it["classes"][0] == "Adelie"
    island = next(column for column in it["columns"] if column["name"] == "island")
    assert island["kind"] == "names" and "Dream" in island["levels"]
    assert it["scores"]["accuracy"]["mean"] == carried_out(RUNS["penguins"]).mean("accuracy")
    assert it["provenance"]["run"] == RUNS["penguins"].digest()
    assert "numpy" in it["provenance"]["versions"]


def test_a_model_without_scores_is_served_too(made):
    model = saved.read(made["iris"].archive.read_bytes())
    assert served(saved.written(model), Limits()).card["scores"] == {}


def test_scores_that_an_archive_says_of_itself_are_numbers_or_null(made):
    """JSON of others has NaN, numbers without end, and anything in the place of a score."""
    content = made["iris"].archive.read_bytes()
    told = {"mean": float("nan"), "sd": float("inf"), "folds": 10**400, "more": [float("nan")]}
    strange = {"a": told, "b": {"mean": 0.5, "sd": "\ud800", "folds": True}, "c": float("nan")}
    spoilt = changed(
        content, model_json=json.dumps(document(content) | {"scores": strange}).encode()
    )
    it = served(spoilt, Limits()).card
    as_json(it)
    none = dict.fromkeys(("mean", "sd", "folds"))
    assert it["scores"] == {"a": none, "b": none | {"mean": 0.5}}


def test_what_cannot_be_used_is_told_with_row_and_column(made):
    rows = [dict(made["penguins"].rows[k]) for k in range(3)]
    rows[1]["island"], rows[2]["bill_depth_mm"] = "Atlantis", "deep"
    said = told(made["penguins"], rows)
    assert [(p["row"], p["column"]) for p in said["problems"]] == [
        (2, "island"),
        (3, "bill_depth_mm"),
    ]
    assert "Biscoe" in said["problems"][0]["says"] and '"deep"' in said["problems"][1]["says"]
    del rows[0]["sex"]
    assert told(made["penguins"], rows)["problems"][0]["column"] == "sex"


@pytest.mark.parametrize("wrong", [True, "1", [1], {"a": 1}, 10**400])
def test_only_a_number_is_a_number(made, wrong):
    row = made["diabetes"].rows[0] | {"bmi": wrong}
    assert told(made["diabetes"], [made["diabetes"].rows[1], row])["problems"][0]["row"] == 2


def test_an_empty_cell_is_refused_where_nothing_fills_it(made):
    row = made["iris"].rows[0] | {"petal_width_cm": None}
    (place,) = told(made["iris"], [row])["problems"]
    assert place["row"] == 1 and place["column"] == "petal_width_cm" and "empty" in place["says"]
    # The penguins lack some values, and the preparation of their model fills them.
    rows = [made["penguins"].rows[0] | {"sex": None, "bill_depth_mm": None}]
    assert asked(made["penguins"], json.dumps({"rows": rows})).status == 200


@pytest.mark.parametrize(
    "body",
    ["", "nonsense", "[]", "{}", '{"rows": {}}', '{"rows": []}', '{"rows": [1]}', '{"rows": [NaN]}',
     "[" * 100_000, '{"rows": [{"bmi": Infinity}]}', b"\xff\xfe\x00"],
    ids=range(11),
)  # fmt: skip
def test_what_is_no_request_is_a_sentence(made, body):
    reply = asked(made["diabetes"], body)
    assert reply.status == 422 and is_sentence(json.loads(reply.body)["detail"])


@pytest.mark.parametrize("body", [b"", b"\x00\x01", b"a,b\n1,2\n", b"PK\x03\x04"], ids=range(4))
def test_what_is_no_table_of_the_model_is_a_sentence(made, body):
    reply = asked(made["diabetes"], body, CSV)
    assert reply.status == 422 and is_sentence(json.loads(reply.body)["detail"])


def test_a_cell_of_a_file_is_told_with_row_and_column(made):
    lines = made["diabetes"].table.read_text().splitlines()[:8]
    at = lines[0].split(",").index("bmi")
    cells = lines[5].split(",")
    lines[5] = ",".join([*cells[:at], "much", *cells[at + 1 :]])
    said = json.loads(asked(made["diabetes"], "\n".join(lines), CSV).body)
    assert [(p["row"], p["column"]) for p in said["problems"]] == [(5, "bmi")]


@pytest.mark.parametrize("kind", [JSON, CSV])
def test_too_many_rows_are_refused(made, kind):
    it = made["diabetes"]
    body = json.dumps({"rows": it.rows}) if kind == JSON else it.table.read_text()
    reply = asked(it, body, kind, rows=100)
    assert reply.status == 413 and "442 rows" in json.loads(reply.body)["detail"]


def test_enormous_values_are_answered_or_refused_in_a_sentence(made):
    rows = [dict.fromkeys(made["diabetes"].rows[0], 1e308)]
    reply = asked(made["diabetes"], json.dumps({"rows": rows}))
    assert reply.status in (200, 422)
    json.loads(reply.body, parse_constant=pytest.fail)


def test_limits_are_whole_and_positive():
    with pytest.raises(ParamError, match="workers of at least 1"):
        Limits(workers=0)


def test_what_is_no_model_is_a_sentence(tmp_path, capsys):
    (tmp_path / "no.zip").write_bytes(b"no")
    assert main(["serve", str(tmp_path / "no.zip")]) == 1
    assert "This is not a saved model" in capsys.readouterr().err
    with pytest.raises(FileError):
        served(b"no", Limits())


# -- over HTTP


class Server(NamedTuple):
    """A service in a process of its own."""

    process: subprocess.Popen[str]
    port: int
    said: str  # the line of its start

    def ask(self, verb: str, path: str, body: Any = None, **headers: str) -> Any:
        """Status, headers and body of an answer."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        link.request(verb, path, body, named)
        reply = link.getresponse()
        content = reply.read()
        link.close()
        return reply.status, dict(reply.getheaders()), content

    def predict(self, body: Any, kind: str = JSON, query: str = "", **headers: str) -> Any:
        """Status and body of a request for predictions."""
        path = f"/predict{query}"
        status, _, content = self.ask("POST", path, body, content_type=kind, **headers)
        return status, content


ASKED = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"


@contextmanager
def serving(it: Made, *options: str) -> Iterator[Server]:
    """A service on a free port, told to stop at the end."""
    command = [sys.executable, "-m", "mlcore", "serve", it.archive, "--port", "0", *options]
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout and process.stderr
    try:
        line = process.stdout.readline()
        found = re.search(r":(\d+),", line)
        assert found, line + process.stderr.read()
        yield Server(process, int(found[1]), line)
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)


@pytest.fixture(scope="module")
def server(made) -> Iterator[Server]:
    """A service with small limits."""
    options = ("--rows", "400", "--body-mb", "1", "--workers", "1", "--waiting", "1")
    with serving(made["penguins"], *options) as it:
        yield it


@pytest.fixture(scope="module")
def hasty(made) -> Iterator[Server]:
    """A service that waits for three seconds."""
    with serving(made["iris"], "--workers", "1", "--seconds", "3") as it:
        yield it


def test_it_says_in_one_line_who_may_ask(server):
    assert server.said.count("\n") == 1
    assert "http://127.0.0.1:" in server.said and "this machine alone" in server.said


def test_all_that_is_asked_by_get(server, made):
    digest = json.loads(server.ask("GET", "/health")[2])["model"]
    card = json.loads(server.ask("GET", "/model")[2])
    assert card["provenance"]["model"] == digest
    status, headers, content = server.ask("GET", "/openapi.json")
    assert status == 200 and headers["content-type"] == JSON
    levels = json.loads(content)["components"]["schemas"]["Row"]["properties"]["island"]
    assert levels == {"enum": ["Biscoe", "Dream", "Torgersen", None]}


def test_predictions_over_http_are_those_of_the_command(server, made, capsys):
    it = made["penguins"]
    assert main(["predict", str(it.archive), str(it.table)]) == 0
    printed = capsys.readouterr().out.encode()
    assert server.predict(it.table.read_bytes(), f"{CSV}; charset=utf-8") == (200, printed)
    assert server.predict(json.dumps({"rows": it.rows}), accept=CSV) == (200, printed)


@pytest.mark.parametrize(
    ("verb", "path", "headers", "body", "status"),
    [
        ("GET", "/nothing", {}, None, 404),
        ("GET", "/predict", {}, None, 405),
        ("POST", "/predict", {}, b"{}", 415),
        ("POST", "/predict", {"content_type": "application/x-pickle"}, b"{}", 415),
        ("POST", "/predict", {"content_type": JSON, "content_encoding": "gzip"}, b"{}", 415),
        ("POST", "/predict", {"content_type": JSON}, b"{}", 422),
        ("POST", "/predict?treshold=0.3", {"content_type": JSON}, b"{}", 422),
        ("POST", "/predict?threshold=0.3&threshold=1", {"content_type": JSON}, b"{}", 422),
        ("POST", "/predict", {"content_type": JSON, "content_length": "9999999"}, b"{}", 413),
    ],
)
def test_every_refusal_has_a_number_and_a_sentence(server, verb, path, headers, body, status):
    got, said, content = server.ask(verb, path, body, **headers)
    assert got == status and said["content-type"] == PROBLEM
    problem = json.loads(content)
    assert problem["status"] == status and is_sentence(problem["detail"])


def test_a_body_that_says_no_length_is_not_read_to_its_end(server):
    """Chunk by chunk: it is refused where it exceeds what is allowed."""

    def chunks() -> Iterator[bytes]:
        for _ in range(3):
            yield b" " * 2**19

    status, content = server.predict(chunks())
    assert status == 413 and "1 MB" in json.loads(content)["detail"]


def test_slow_bodies_keep_nobody_out(server, made):
    """More of them than may wait: a request counts once its body is here."""
    body = json.dumps({"rows": made["penguins"].rows[:2]})
    half = (
        f"POST /predict HTTP/1.1\r\nHost: x\r\nContent-Type: {JSON}\r\nContent-Length: 900\r\n\r\n["
    )
    with ExitStack() as links:
        for _ in range(6):
            link = socket.create_connection(("127.0.0.1", server.port), timeout=10)
            links.enter_context(link).sendall(half.encode())
        assert server.predict(body)[0] == 200


def test_more_than_may_wait_are_told_to_ask_again(server, made):
    body = json.dumps({"rows": made["penguins"].rows})
    with ThreadPoolExecutor(16) as people:
        replies = list(people.map(lambda _: server.predict(body), range(48)))
    statuses = {status for status, _ in replies}
    assert statuses == {200, 503}
    assert {content for status, content in replies if status == 200} == {replies_of(server, body)}
    assert server.ask("GET", "/health")[0] == 200


def replies_of(server: Server, body: str) -> bytes:
    """The one answer to a body."""
    status, content = server.predict(body)
    assert status == 200
    return content


def test_a_process_that_ended_is_followed_by_another(made):
    with serving(made["iris"], "--workers", "1", "--seconds", "20") as it:
        body = json.dumps({"rows": made["iris"].rows})
        first = it.predict(body)
        assert first[0] == 200
        (child,) = children(it.process.pid)
        os.kill(child, signal.SIGKILL)
        status, content = it.predict(body)
        assert status == 500 and is_sentence(json.loads(content)["detail"])
        assert it.predict(body) == first  # it waits for the next process


def test_what_lasts_too_long_is_ended(hasty, made):
    body = json.dumps({"rows": made["iris"].rows})
    (child,) = children(hasty.process.pid)
    os.kill(child, signal.SIGSTOP)
    status, content = hasty.predict(body)
    assert status == 504 and "3 seconds" in json.loads(content)["detail"]
    until = time.monotonic() + 60
    while hasty.predict(body)[0] != 200:
        assert time.monotonic() < until


@pytest.mark.parametrize("begin", [b"", ASKED], ids=["at once", "after an answer"])
def test_a_header_that_does_not_come_is_not_waited_for(hasty, begin):
    """A letter now and then is no header: hundreds of such connections would keep others out."""
    with socket.create_connection(("127.0.0.1", hasty.port), timeout=30) as link:
        if begin:
            link.sendall(begin)
            assert link.recv(4096).startswith(b"HTTP/1.1 200")
        link.sendall(b"POST /predict HTTP/1.1\r\nHost: x\r\n")
        assert is_closed(link, 8.0)
    assert hasty.ask("GET", "/health")[0] == 200


def is_closed(link: socket.socket, seconds: float) -> bool:
    """Whether the other side closes a connection on which a letter is sent now and then."""
    link.settimeout(0.25)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            link.sendall(b"x")
            if not link.recv(4096):
                return True
        except TimeoutError:
            continue
        except OSError:
            return True
    return False


def test_sigterm_lets_the_answer_that_is_under_way_end(made):
    with serving(made["iris"], "--workers", "1") as it, ThreadPoolExecutor(1) as people:
        (child,) = children(it.process.pid)
        os.kill(child, signal.SIGSTOP)
        asked = people.submit(it.predict, json.dumps({"rows": made["iris"].rows}))
        time.sleep(1)
        it.process.send_signal(signal.SIGTERM)
        time.sleep(1)
        os.kill(child, signal.SIGCONT)
        assert asked.result(30)[0] == 200
        assert it.process.wait(30) == 0
        assert not alive(child)


def test_a_port_that_is_taken_is_a_sentence(server, made, capsys):
    asked = ["serve", str(made["iris"].archive), "--port", str(server.port)]
    assert main(asked) == 1
    said = capsys.readouterr().err.strip()
    assert is_sentence(said) and str(server.port) in said


def children(pid: int) -> list[int]:
    """The processes that a process started."""
    told = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    return [int(word) for word in told.split()]


def alive(pid: int) -> bool:
    """Whether a process has not ended."""
    return Path(f"/proc/{pid}").exists()
