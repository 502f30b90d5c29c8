"""The process that answers, started by `mlcore.interop.serving.workers` alone.

What strangers send is read and asked about here and nowhere else, so that whatever it does, it
does to this process. It speaks through its standard input and output, in frames: a line of JSON
with the `size` of what follows, and that many bytes. Nothing is pickled.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np

from mlcore.data.importing import Bounds, read
from mlcore.data.table import Table
from mlcore.data.writing import csv_text
from mlcore.interop.serving.replies import CSV, JSON, Refused, Reply, as_json
from mlcore.interop.serving.rows import changed, needed_by, rows_in, table_of
from mlcore.preparation.step import holds_text
from mlcore.runs import saved
from mlcore.runs.predicting.cutting import checked_threshold
from mlcore.runs.predicting.opened import SPOILT
from mlcore.runs.saved import Model
from mlcore.spine.errors import FileError, MlcoreError
from mlcore.spine.fit import Column

READY = Reply(200, JSON, b"")
ALONE = "Send fewer rows at a time."


def main() -> None:
    """Read the model, say that it is ready, and answer until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then ends us
    came, out = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a print anywhere must not look like a frame
    given = read_frame(came)
    assert given is not None
    header, content = given
    model = saved.read(content)
    _try(model)
    _hold_memory(header["memory_mb"])
    write_frame(out, READY)
    while (asked := read_frame(came)) is not None:
        write_frame(out, answer(model, *asked))


def _try(model: Model) -> None:
    """Ask about a row, so that what is compiled at the first one is compiled before it comes."""
    row = {wanted.column.name: _some_cell(wanted.column) for wanted in needed_by(model)}
    asked = {"type": JSON, "wants": JSON, "model": "", "rows": 1, "threshold": None}
    answer(model, asked, as_json({"rows": [row]}))  # what it says, or refuses, is nobody's answer


def _some_cell(column: Column) -> Any:
    if holds_text(column):
        return "word"
    if column.levels:
        return column.levels[0]
    return "2000-01-01" if column.kind == "datetime" else 1.0


def read_frame(came: BinaryIO) -> tuple[dict[str, Any], bytes] | None:
    """The next frame, None where there is no more."""
    line = came.readline()
    if not line:
        return None
    header = json.loads(line)
    return header, came.read(header["size"])


def write_frame(out: BinaryIO, reply: Reply) -> None:
    """Send an answer."""
    header = {"status": reply.status, "type": reply.type, "size": len(reply.body)}
    out.write(json.dumps(header).encode() + b"\n" + reply.body)
    out.flush()


def _hold_memory(memory_mb: int) -> None:
    """Let this process have so much more than it has now; only Linux counts it as we need it."""
    if not sys.platform.startswith("linux"):
        return
    import resource  # Windows has none

    with open("/proc/self/statm", encoding="ascii") as pages:
        now = int(pages.read().split()[0]) * resource.getpagesize()
    most = now + memory_mb * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def answer(model: Model, asked: Mapping[str, Any], body: bytes) -> Reply:
    """The predictions for the rows of a request, or why there are none."""
    try:
        with np.errstate(all="ignore"):  # strangers' numbers: what they give is said as it is
            return _predicted(model, asked, body)
    except Refused as refused:
        return refused.reply()
    except MlcoreError as error:
        return Refused(422, str(error)).reply()
    except MemoryError:
        why = f"These rows need more memory than this service allows. {ALONE}"
        return Refused(413, why).reply()
    except SPOILT:
        traceback.print_exc()
        why = "The model can say nothing of these rows: their values are beyond what it can count."
        return Refused(422, f"{why} Look for values that are far too large.").reply()
    except Exception:  # noqa: BLE001  # the next request must find this process as it was
        traceback.print_exc()
        why = "The service failed at this request; its log says at what."
        return Refused(500, f"{why} Tell whoever keeps it.").reply()


def _predicted(model: Model, asked: Mapping[str, Any], body: bytes) -> Reply:
    table = _table(model, asked, body)
    if table.n_rows > asked["rows"]:
        raise Refused(413, too_many(table.n_rows, asked["rows"]))
    threshold = checked_threshold(model, asked["threshold"])
    outputs = model.outputs_after(changed(model, table), threshold)
    if asked["wants"] == CSV:
        return Reply(200, CSV, csv_text(outputs).encode())
    return Reply(200, JSON, as_json({"model": asked["model"], "rows": _rows(outputs)}))


def _table(model: Model, asked: Mapping[str, Any], body: bytes) -> Table:
    if asked["type"] == CSV:
        try:
            # By the reader of `mlcore predict`, so that both read the same of the same bytes.
            return read(body, "rows.csv", bounds=Bounds(file=len(body) or 1)).table
        except FileError as error:
            raise Refused(422, str(error)) from None
    rows = rows_in(body)
    if len(rows) > asked["rows"]:
        raise Refused(413, too_many(len(rows), asked["rows"]))
    return table_of(model, rows)


def too_many(rows: int, most: int) -> str:
    """Why so many rows are not answered at once."""
    return f"The request has {rows:,} rows; this service answers {most:,} at a time. {ALONE}"


def _rows(outputs: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The columns row by row; what is no number is null."""
    columns = [list(map(_plain, np.asarray(column).tolist())) for column in outputs.values()]
    return [dict(zip(outputs, cells, strict=True)) for cells in zip(*columns, strict=True)]


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not np.isfinite(value) else value


if __name__ == "__main__":
    main()
