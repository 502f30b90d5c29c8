"""The server gets ready by itself, and every way to start it that we give starts that one."""

import sys
import threading
from pathlib import Path

from ui import frame, serve

ROOT = Path(__file__).parents[2]
WAYS = ("Makefile", "README.md", "Dockerfile", "hosting/mlscope@.service", "mlscope/__main__.py")


def test_it_gets_ready_before_anybody_comes(monkeypatch):
    """Without the thread, the first visitor would wait for every import."""
    asked, ready = [], threading.Event()
    monkeypatch.setattr(serve.cli, "main", lambda args, **how: asked.append(args))
    monkeypatch.setattr(serve.runtime, "exists", lambda: bool(asked))
    monkeypatch.setattr(frame, "warmed", ready.set)
    monkeypatch.setattr(sys, "argv", ["serve", "--server.port", "8600"])
    serve.main()
    assert ready.wait(20)
    assert asked == [["run", str(ROOT / "app.py"), "--server.port", "8600"]]


def test_what_a_server_imports_ahead_is_all_that_its_pages_are_made_of(monkeypatch):
    """A page that is opened first imports nothing that others are made of."""
    monkeypatch.setattr(frame.gc, "freeze", lambda: None)
    frame._import_all()
    ours = [file.relative_to(ROOT).with_suffix("") for file in ROOT.glob("ui/**/*.py")]
    names = {".".join(path.parts).removesuffix(".__init__") for path in ours}
    assert names <= sys.modules.keys()


def test_every_way_starts_this_server():
    for way in WAYS:
        text = (ROOT / way).read_text(encoding="utf-8")
        assert "ui.serve" in text, way
        assert "run app.py" not in text, way
