"""`python -m mlcore run FILE.json`, `... predict`, `... warm`, `... catalogue`."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from mlcore.spine.compiled import is_compiled, leave_stamp
from mlcore.spine.threads import thread_settings


def main(arguments: list[str] | None = None) -> int:
    """Carry out one command; returns 0, or 1 after a sentence on standard error."""
    parsed = _parser().parse_args(arguments)
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


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m mlcore")
    commands = parser.add_subparsers(required=True)
    run = commands.add_parser("run", help="repeat a saved run and print its scores")
    run.add_argument("file", type=Path, help="the run as JSON")
    tables = "file of an uploaded table: text, workbook or Parquet"
    run.add_argument("--data", action="append", default=[], help=tables)
    run.set_defaults(command=_run)
    predict = commands.add_parser("predict", help="what a saved model says of the rows of a table")
    predict.add_argument("model", type=Path, help="the model as .zip")
    predict.add_argument("table", type=Path, help="file with the columns of the model")
    predict.set_defaults(command=_predict)
    warm = commands.add_parser("warm", help="compile ahead, so that nobody waits for it later")
    warm.set_defaults(command=_warm)
    catalogue = commands.add_parser("catalogue", help="everything that is entered, as JSON")
    catalogue.set_defaults(command=_catalogue)
    return parser


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
    from mlcore.data.writing import csv_text
    from mlcore.runs import saved
    from mlcore.runs.stamp import stamp

    model = saved.read(arguments.model.read_bytes())
    table = read(arguments.table.read_bytes(), arguments.table.name).table
    # Beside the table and not in it: a spreadsheet takes the first line for the names.
    print(stamp(model.run, model.versions), file=sys.stderr)
    print(csv_text(model.outputs_of(table)), end="")
    return 0


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
