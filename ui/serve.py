"""`python -m ui.serve`: `streamlit run app.py`, ready for its first visitor.

Streamlit reads nothing of ours before somebody comes, who would then wait for every import. Here
what all pages need is imported before the port opens, and the rest while nobody waits. Arguments
are those of `streamlit run`.
"""

from __future__ import annotations

import sys
import threading
import time
from importlib import import_module
from pathlib import Path

from streamlit import runtime
from streamlit.web import cli

from figures.view import views
from service import memory

APP = Path(__file__).resolve().parents[1] / "app.py"
LOOK_SECONDS = 0.02  # between looks at whether the server is there


def main() -> None:
    """Serve the dashboard until it is stopped."""
    memory.keep_together()  # before there are threads, which would hold on to places of their own
    views()
    threading.Thread(target=_get_ready, daemon=True).start()
    cli.main(["run", str(APP), *sys.argv[1:]], prog_name="streamlit")


def _get_ready() -> None:
    """Once there is a server, for what our modules keep in its caches asks for it."""
    while not runtime.exists():
        time.sleep(LOOK_SECONDS)
    import_module("ui.frame").warmed()


if __name__ == "__main__":
    main()
