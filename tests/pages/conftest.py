"""Pages without a browser: each test runs app.py as Streamlit would."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.state import session_state_proxy
from streamlit.testing.v1 import AppTest, local_script_runner

from ui import frame, state
from ui.reading import Reader, pen
from ui.runs import running

ROOT = Path(__file__).parents[2]
SHORTLY = 1.0  # seconds in which Streamlit looks whether a script that has ended is over


@pytest.fixture(autouse=True, scope="session")
def _scanned_once() -> Iterator[None]:
    """A server asks once what is installed for components; a test would ask at every start."""
    with pytest.MonkeyPatch.context() as patch:
        once = cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", once)
        yield


@pytest.fixture(autouse=True, scope="session")
def _waited_for() -> Iterator[None]:
    """Whoever opens a page sleeps until its script is over, instead of looking each millisecond."""
    looked = local_script_runner.require_widgets_deltas

    def waited(runner: Any, timeout: float) -> None:
        runner._script_thread.join(timeout)
        looked(runner, timeout=SHORTLY)  # over by now, or it is stopped and said

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local_script_runner, "require_widgets_deltas", waited)
        yield


@pytest.fixture(autouse=True, scope="session")
def _ready() -> None:
    """What a server makes ready behind its first page is ready: a test may put other code there."""
    frame._import_all()


@pytest.fixture(autouse=True)
def _patient(monkeypatch):
    """Pages wait for their result instead of showing progress, and for no person."""
    monkeypatch.setattr(running, "PATIENCE", 60.0)
    monkeypatch.setattr(state, "REST", 0.0)


@pytest.fixture(autouse=True)
def _no_session(monkeypatch):
    """What a test asks outside a page has a session of its own, and not what others left in it."""
    monkeypatch.setattr(session_state_proxy, "_mock_session_state", None)


@pytest.fixture(autouse=True)
def _local(monkeypatch):
    """Sessions come from nowhere, as on one's own machine: without a server there is no address,
    and no browser with cookies (what Streamlit puts in their place notes all that is asked of it).
    """
    monkeypatch.setattr(type(st.context), "ip_address", None)
    monkeypatch.setattr(type(st.context), "cookies", {})


@pytest.fixture(autouse=True)
def _read_only(monkeypatch) -> Iterator[None]:
    """While controls are read, nothing is drawn: it would be there twice, and break the page."""
    drawn: list[Any] = []

    def watched(name: str) -> None:
        plain = getattr(DeltaGenerator, name)

        def noted(self: Any, *given: Any, **how: Any) -> Any:
            if isinstance(pen(), Reader):
                drawn.append(given[:1])
            return plain(self, *given, **how)

        monkeypatch.setattr(DeltaGenerator, name, noted)

    watched("_enqueue")
    watched("_block")
    yield
    assert drawn == []


@pytest.fixture
def opened() -> Callable[..., AppTest]:
    """`opened("clustering", data="iris")`: the page at this address, after one run."""

    def open_page(page: str, **pairs: str) -> AppTest:
        at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=90)
        if page != "start":  # at the root; its name in the address leads there, and here each time
            at.switch_page(f"pages/{page}.py")
        for name, value in pairs.items():
            at.query_params[name.replace("__", ".")] = value
        return at.run()

    return open_page


def unfold(at: AppTest, *paths: str) -> AppTest:
    """The page with these popovers or expanders open: what is in them is only made then."""
    held = at.session_state["mlscope"]
    for path in paths:
        at.session_state[f"{held.generation}.{held.here}.{path}"] = True
    return at.run()


def shown(at: AppTest) -> str:
    """Every sentence on the page."""
    kinds = ("markdown", "caption", "error", "warning", "info", "title", "success")
    return "\n".join(item.value for kind in kinds for item in getattr(at, kind))


def address(at: AppTest) -> dict[str, str]:
    """The pairs of the address; a pair that the test set itself is held as a list."""
    return {k: v if isinstance(v, str) else v[0] for k, v in at.query_params.items()}
