"""A Streamlit server on this machine, and pages of a system Chromium that look at it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pytest
from playwright.sync_api import (
    BrowserContext,
    ConsoleMessage,
    Page,
    expect,
    sync_playwright,
)

from benchmarks.chromium import executable

T = TypeVar("T")
ROOT = Path(__file__).parents[2]
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # All pages of a profile in one process, as long as one of them is open: a page that finds the
    # scripts compiled in memory costs a third less than one that reads them from disk.
    "--process-per-site",
]
# What fades and slides is drawn anew sixty times a second. How a page looks, its pictures and their
# player are tried with all that moves, what it does without.
STILL = {"color_scheme": "light", "reduced_motion": "reduce"}
LAPTOP = {"viewport": {"width": 1280, "height": 900}}
SITE = "http://127.0.0.1/"  # whatever the port, it is one site
PATIENCE = 60_000  # milliseconds; two cores may be busy with other things
# What a page asked is answered late by a busy server, and until then the page looks calm. Where the
# next line is to be of another session, the page does not tell the server the one that it had.
NOTE_QUESTIONS = """
window.unanswered = false;
window.isAnother = false;
window.WebSocket = class extends WebSocket {
  constructor(address, protocols) {
    super(address, window.isAnother ? protocols.slice(0, 2) : protocols);
    window.isAnother = false;
    window.line = this;
    this.addEventListener("message", () => { window.unanswered = false; });
  }
  send(message) {
    window.unanswered = true;
    super.send(message);
  }
};
"""
PAUSE, LONGEST_PAUSE = 0.05, 0.5  # seconds between two questions
# What the page keeps beside its session: its store, and components that have left it.
FORGET = """() => { dispatchEvent(new Event("mlscope-forget"));
    try { localStorage.clear() } catch { /* not of a server */ } }"""
LONG_HISTORY = 30  # places; Chromium counts fifty
STARTS_WITHIN = 60  # seconds; a cold start on a busy machine takes ten


class Server(NamedTuple):
    """A server that is running."""

    url: str
    process: subprocess.Popen[bytes]
    noted: Path

    def log(self) -> str:
        """All that it has written so far."""
        return self.noted.read_text(encoding="utf-8", errors="replace")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str | Path], Server]]:
    """`server(path) -> Server`: run this script (from the root of the project) with Streamlit.

    Each script is started once and serves all tests.
    """
    servers: dict[Path, Server] = {}

    def served(path: str | Path) -> Server:
        script = (ROOT / path).resolve()
        if script not in servers:
            noted = tmp_path_factory.mktemp("server") / f"{script.stem}.log"
            servers[script] = started(script, noted)
        return servers[script]

    yield served
    for one in servers.values():
        one.process.terminate()
        one.process.wait(timeout=20)
        sys.stderr.write(one.log())  # for who looks for the reason of a failed test


@pytest.fixture(scope="session")
def serve(server: Callable[[str | Path], Server]) -> Callable[[str | Path], str]:
    """`serve(path) -> url`: where such a server answers."""
    return lambda path: server(path).url


@pytest.fixture(scope="session")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserContext]:
    """One Chromium for all tests, and its profile on disk.

    Only such a profile keeps compiled scripts: a page that loads again costs it a third less than
    a private one.
    """
    folder = tmp_path_factory.mktemp("profile")
    with sync_playwright() as playwright:
        kept = playwright.chromium.launch_persistent_context(
            folder, executable_path=executable(), args=FLAGS
        )
        yield kept
        kept.close()


class Profiles:
    """Browser profiles that tests use one after the other, so that what a page loads is loaded and
    compiled once; between two tests nothing of the first is left in them.

    The first page of a test is one of the profile on disk; others, and phones, have private ones.
    """

    LOOKS = frozenset({"viewport", "color_scheme", "reduced_motion"})  # a page can change them

    def __init__(self, kept: BrowserContext) -> None:
        self._kept, self._is_free = kept, True
        self._stay = {blank(kept.pages[0])}  # Chromium ends with its last page, too
        self._free: dict[str, list[BrowserContext]] = {}
        self._used: list[tuple[str, BrowserContext]] = []
        self._warm: Page | None = None
        self._wrong: list[str] = []  # that the warm page did
        kept.add_init_script(NOTE_QUESTIONS)

    def page(self, options: dict[str, Any]) -> Page:
        """A page of a profile that nobody else in this test has."""
        if not self._is_free or not self.LOOKS.issuperset(options):
            self._used.append(private := self._private(options))
            return looking(private[1].new_page(), options)
        self._is_free = False
        return looking(self._kept.new_page(), options)

    def warm_page(self, options: dict[str, Any]) -> Page:
        """The page of tests that load no scripts, which no end of a test closes."""
        assert self._is_free, "this test has the profile on disk already"
        self._is_free = False
        if self._warm is None:
            self._warm = watched(self._kept.new_page(), self._wrong)
            self._stay.add(self._warm)
        return looking(self._warm, options)

    def cooled(self, is_spoilt: bool) -> list[str]:
        """The test of the warm page is over; what that page must not have done.

        Where the test failed, the next has another page, and so it has before the browser no longer
        counts what is in its history.
        """
        assert self._warm is not None
        self._warm.evaluate(FORGET)
        if is_spoilt or self._warm.evaluate("history.length") > LONG_HISTORY:
            self._stay.discard(self._warm)  # and the end of the test closes it
            self._warm = None
        wrong, self._wrong[:] = [*self._wrong], []
        return wrong

    @contextmanager
    def lasting(self, options: dict[str, Any]) -> Iterator[Page]:
        """A page of a profile of its own, which no end of a test closes."""
        kind, context = self._private(options)
        yield looking(context.new_page(), options)
        self._forget(context)
        self._free.setdefault(kind, []).append(context)

    def _private(self, options: dict[str, Any]) -> tuple[str, BrowserContext]:
        """A free profile with these options, and what such profiles are kept under: not how pages
        look, so that fewer of them compile what they load."""
        own = {name: value for name, value in options.items() if name not in self.LOOKS}
        if free := self._free.get(kind := repr(sorted(own.items()))):
            return kind, free.pop()
        assert self._kept.browser is not None
        context = self._kept.browser.new_context(**own)
        self._stay.add(blank(context.new_page()))
        context.add_init_script(NOTE_QUESTIONS)
        return kind, context

    def give_back(self) -> None:
        """The test is over: close its pages and forget what they kept."""
        self._forget(self._kept)
        for kind, context in self._used:
            self._forget(context)
            self._free.setdefault(kind, []).append(context)
        self._used.clear()
        self._is_free = True

    def _forget(self, context: BrowserContext) -> None:
        for page in context.pages:
            if page not in self._stay:
                page.evaluate(FORGET)
                page.close()
        context.clear_cookies()


def looking(page: Page, options: dict[str, Any]) -> Page:
    """The page with the size, the colours and the motion of these options, whatever it had."""
    page.set_viewport_size(options["viewport"])
    page.emulate_media(
        color_scheme=options.get("color_scheme", "light"),
        reduced_motion=options.get("reduced_motion", "no-preference"),
    )
    return page


def blank(page: Page) -> Page:
    """The page, empty, at an address of the site: it keeps the site's process."""
    page.route(SITE, lambda route: route.fulfill(body="", content_type="text/html"))
    page.goto(SITE)
    return page


@pytest.fixture(scope="session")
def profiles(profile: BrowserContext) -> Profiles:
    """The profiles of the one Chromium."""
    return Profiles(profile)


@pytest.fixture
def new_page(profiles: Profiles) -> Iterator[Callable[..., Page]]:
    """`new_page(**context) -> Page`: a page of a clean browser profile, say dark or 390 px wide.

    At the end of the test no page may have logged an error or asked another machine for anything.
    """
    wrong: list[str] = []
    yield lambda **options: watched(profiles.page(LAPTOP | options), wrong)
    profiles.give_back()
    assert wrong == []


def watched(page: Page, wrong: list[str]) -> Page:
    """The page, which is waited for long enough and notes in `wrong` what it must not do."""
    expect.set_options(timeout=PATIENCE)
    page.set_default_timeout(PATIENCE)
    page.on("console", lambda m: wrong.append(m.text) if _is_wrong(m) else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda r: wrong.append(r.url) if _leaves(r.url) else None)
    return page


@pytest.fixture(scope="module")
def lasting_page(profiles: Profiles) -> Iterator[Page]:
    """A light page that the tests of a module share, where they begin at the same place: each goes
    back there, or leaves it as it was. What `new_page` says of errors holds of all of them."""
    wrong: list[str] = []
    with profiles.lasting(LAPTOP | {"color_scheme": "light"}) as page:
        yield watched(page, wrong)
    assert wrong == []


@pytest.fixture
def page(new_page: Callable[..., Page], request: pytest.FixtureRequest) -> Page:
    """A light page of 1280 by 900 pixels, still unless the file says `MOVES`."""
    moves = getattr(request.module, "MOVES", False)
    return new_page(color_scheme="light") if moves else new_page(**STILL)


@pytest.fixture
def warm_page(
    profiles: Profiles, new_page: Callable[..., Page], request: pytest.FixtureRequest
) -> Iterator[Page]:
    """A page like `page` that has run the scripts already, for `dashboard.visited`.

    Tests use it one after the other, each as somebody new. Whoever changes the page itself, its
    functions or its listeners, has a `page`.
    """
    failed, moves = request.session.testsfailed, getattr(request.module, "MOVES", False)
    yield profiles.warm_page(LAPTOP | ({"color_scheme": "light"} if moves else STILL))
    assert profiles.cooled(is_spoilt=request.session.testsfailed > failed) == []


def eventually(
    ask: Callable[[], T], holds: Callable[[T], bool], seconds: float = PATIENCE / 1000
) -> T:
    """Ask until the answer holds, and give that answer; fail with the last one after a while.

    What a page shows follows an action by a round trip to the server: never ask just once. A
    question that keeps the page busy is asked less often, so that two thirds of the time are left
    for what is waited for.
    """
    until = time.monotonic() + seconds
    while True:
        asked = time.monotonic()
        if holds(answer := ask()):
            return answer
        now = time.monotonic()
        assert now < until, f"after {seconds} seconds it is still {answer!r}"
        time.sleep(min(max(PAUSE, 2 * (now - asked)), LONGEST_PAUSE))


def _is_wrong(message: ConsoleMessage) -> bool:
    # Below the root, Streamlit first looks for its server under the address of the page.
    probes = ("/_stcore/health", "/_stcore/host-config")
    return message.type == "error" and not message.location.get("url", "").endswith(probes)


def _leaves(url: str) -> bool:
    return not url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "blob:", "data:"))


def started(script: Path, noted: Path, **environment: str) -> Server:
    """A server of its own for this script, the app as users start it; whoever starts it ends it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    options = {
        "server.port": port,
        "server.address": "127.0.0.1",
        "server.headless": "true",
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
    }
    flags = [part for name, value in options.items() for part in (f"--{name}", str(value))]
    serving = ["ui.serve"] if script == ROOT / "app.py" else ["streamlit", "run", str(script)]
    with noted.open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", *serving, *flags],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    _wait_for(f"{url}/_stcore/health", process)
    return Server(url, process, noted)


def _wait_for(address: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(STARTS_WITHIN * 5):
        if process.poll() is not None:
            raise RuntimeError(f"Streamlit ended with code {process.returncode} before it served.")
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.2)
    process.terminate()
    raise RuntimeError(f"Streamlit did not answer within {STARTS_WITHIN} seconds.")
