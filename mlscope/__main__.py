"""`mlscope` opens the dashboard; `mlscope run`, `predict`, `serve` ... are those of mlcore."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from mlcore.__main__ import carried_out, enter

HERE = Path(__file__).resolve().parent
INSTALLED = HERE / "dashboard"
# In the repository the dashboard lies beside this package.
DASHBOARD = INSTALLED if INSTALLED.is_dir() else HERE.parent


def main(arguments: list[str] | None = None) -> int:
    """Carry out one command, or open the dashboard if none is given; returns its exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    parser = argparse.ArgumentParser(
        prog="mlscope", description="Without a command, the dashboard is opened."
    )
    commands = parser.add_subparsers(required=True)
    app = commands.add_parser("app", help="compile ahead and open the dashboard in the browser")
    app.add_argument("--port", type=int, default=8501, help="where it answers; else 8501")
    app.add_argument("--address", default="localhost", help="who may ask; else this machine alone")
    app.add_argument("--no-warm", action="store_true", help="open at once, and compile when needed")
    app.add_argument("--no-browser", action="store_true", help="do not open a browser")
    app.set_defaults(command=_app)
    enter(commands)
    return carried_out(parser.parse_args(given or ["app"]))


def _app(arguments: argparse.Namespace) -> int:
    try:
        if not arguments.no_warm:
            _warm()
        return subprocess.run(_server(arguments), cwd=DASHBOARD, check=False).returncode
    except KeyboardInterrupt:  # it was stopped from the keyboard, and so was the server
        return 0


def _warm() -> None:
    print("Compiling what is not compiled yet; the first time this takes some minutes.")
    # In a process of its own: the server would keep all that is compiled in memory. It says itself
    # what went wrong; a page then compiles what it needs.
    subprocess.run([sys.executable, "-m", "mlcore", "warm"], check=False)


def _server(arguments: argparse.Namespace) -> list[str]:
    return [
        *(sys.executable, "-m", "ui.serve"),
        *("--server.port", str(arguments.port), "--server.address", arguments.address),
        *("--server.headless", str(arguments.no_browser).lower()),
    ]


if __name__ == "__main__":
    sys.exit(main())
