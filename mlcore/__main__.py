"""`python -m mlcore run FILE.json`, and `predict`, `serve`, `methods`, `warm`, `catalogue`."""

from __future__ import annotations

import argparse
import json
import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from mlcore.spine.compiled import is_compiled, leave_stamp
from mlcore.spine.threads import thread_settings

if TYPE_CHECKING:
    from mlcore.spine.records import Record


def main(arguments: list[str] | None = None) -> int:
    """Carry out one command; returns 0, or 1 after a sentence on standard error."""
    parser = argparse.ArgumentParser(prog="python -m mlcore")
    enter(parser.add_subparsers(required=True))
    return carried_out(parser.parse_args(arguments))


def carried_out(parsed: argparse.Namespace) -> int:
    """Carry out the command that was entered."""
    # Before numpy is imported: the bits of a result depend on the number of threads.
    for variable, setting in thread_settings(os.environ.get("MLSCOPE_THREADS", "1")).items():
        os.environ.setdefault(variable, setting)

    from mlcore.spine.errors import MlcoreError

    try:
        return parsed.command(parsed)
    except MlcoreError as error:
        print(error, file=sys.stderr)
    except OSError as error:
        print(f"{error.filename} cannot be read: {error.strerror}.", file=sys.stderr)
    return 1


def enter(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Enter the commands that need nothing but mlcore."""
    run = commands.add_parser("run", help="repeat a saved run and print its scores")
    run.add_argument("file", type=Path, help="the run as JSON")
    tables = "file of an uploaded table: text, workbook or Parquet"
    run.add_argument("--data", action="append", default=[], help=tables)
    run.set_defaults(command=_run)
    predict = commands.add_parser("predict", help="what a saved model says of the rows of a table")
    predict.add_argument("model", type=Path, help="the model as .zip")
    predict.add_argument("table", type=Path, help="file with the columns of the model")
    _enter_threshold(predict)
    predict.set_defaults(command=_predict)
    _enter_serve(commands)
    methods = commands.add_parser("methods", help="the methods, a line each")
    methods.add_argument("words", nargs="*", help="only those whose line or synonyms hold them")
    methods.set_defaults(command=_methods)
    warm = commands.add_parser("warm", help="compile ahead, so that nobody waits for it later")
    warm.set_defaults(command=_warm)
    catalogue = commands.add_parser("catalogue", help="everything that is entered, as JSON")
    catalogue.set_defaults(command=_catalogue)


def _enter_threshold(command: argparse.ArgumentParser) -> None:
    what = "probability from which on a row is taken for the second of two classes"
    command.add_argument("--threshold", help=f"{what}; else as the method decides")


def _enter_serve(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    from mlcore.interop.serving.limits import Limits

    serve = commands.add_parser("serve", help="answer for a saved model over HTTP")
    serve.add_argument("model", type=Path, help="the model as .zip")
    serve.add_argument("--host", default="127.0.0.1", help="who may ask; else this machine alone")
    serve.add_argument("--port", type=int, default=8600, help="where it answers; else 8600")
    for name, what in {
        "rows": "of one request", "body_mb": "megabytes of one request",
        "seconds": "that one answer may take", "workers": "answers at a time",
        "waiting": "more requests that may wait", "memory_mb": "megabytes for one answer",
    }.items():  # fmt: skip
        default = getattr(Limits, name)
        flag = f"--{name.replace('_', '-')}"
        serve.add_argument(flag, type=int, default=default, help=f"{what}; else {default:,}")
    _enter_threshold(serve)
    serve.set_defaults(command=_serve)


def _run(arguments: argparse.Namespace) -> int:
    from mlcore.data.upload import uploads
    from mlcore.runs.kinds import kind_of
    from mlcore.runs.run import from_json

    run = from_json(arguments.file.read_bytes())
    kind = kind_of(run)
    uploaded = uploads(arguments.data) if arguments.data and kind.data(run) else None
    print(kind.report(kind.carried_out(run, uploaded)))
    return 0


def _predict(arguments: argparse.Namespace) -> int:
    from mlcore.data.importing import read
    from mlcore.data.steps.new_rows import words_of
    from mlcore.data.writing import csv_text
    from mlcore.runs import saved
    from mlcore.runs.predicting.cutting import checked_threshold
    from mlcore.runs.stamp import stamp

    model = saved.read(arguments.model.read_bytes())
    threshold = checked_threshold(model, arguments.threshold)
    table = read(arguments.table.read_bytes(), arguments.table.name).table
    # Beside the table and not in it: a spreadsheet takes the first line for the names.
    print(stamp(model.run, model.versions), file=sys.stderr)
    if left_out := words_of(model.new_rows.left_out):
        print(left_out, file=sys.stderr)
    print(csv_text(model.outputs_of(table, threshold)), end="")
    return 0


def _serve(arguments: argparse.Namespace) -> int:
    from mlcore.interop.serving.command import serve
    from mlcore.interop.serving.described import served
    from mlcore.interop.serving.limits import Limits

    limits = Limits(**{name: getattr(arguments, name) for name in Limits.__dataclass_fields__})
    say = partial(print, flush=True)
    model = served(arguments.model.read_bytes(), limits, arguments.threshold)
    serve(model, limits, arguments.host, arguments.port, say)
    return 0


def _methods(arguments: argparse.Namespace) -> int:
    from mlcore.catalogue import records

    words = [word.casefold() for word in arguments.words]
    methods = [r for r in records() if r.kind == "method" and not r.means]
    lines = [
        (f"{method.family}.{method.name}", f"{method.title}: {method.summary}")
        for method in methods
        if all(word in _told_by(method) for word in words)
    ]
    width = max((len(name) for name, _ in lines), default=0)
    for name, what in lines:
        print(f"{name:{width}}  {what}")
    if not lines:
        print(f"No method is told by {' '.join(arguments.words)}.", file=sys.stderr)
    return 0 if lines else 1


def _told_by(method: Record) -> str:
    return " ".join((method.name, method.title, method.summary, *method.synonyms)).casefold()


def _warm(arguments: argparse.Namespace) -> int:
    if is_compiled():
        print("Everything was compiled before, and nothing has changed since.")
        return 0

    from mlcore.warm import caches, warm

    missed = warm()
    for name in missed:
        print(f"No method uses {name}, so it is not compiled ahead.", file=sys.stderr)
    if missed:
        return 1
    try:
        leave_stamp(caches())
    except OSError as error:
        print(
            f"Everything is compiled, but {error.filename} cannot be written ({error.strerror}): "
            "the next start will look through all of it again.",
            file=sys.stderr,
        )
    return 0


def _catalogue(arguments: argparse.Namespace) -> int:
    from mlcore.catalogue import records

    print(json.dumps([record.as_dict() for record in records()], indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
