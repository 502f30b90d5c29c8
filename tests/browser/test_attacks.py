"""What a stranger may try on a public page: the server keeps its memory and answers meanwhile, and
nothing of one session is seen in another."""

from __future__ import annotations

import multiprocessing
import re
import threading
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
from playwright.sync_api import Page
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect

from tests.browser import dashboard, pace
from tests.browser.conftest import Server, started
from tests.browser.test_upload import GERMAN, bring
from tests.data import hostile

pytestmark = [pytest.mark.browser, pytest.mark.slow]

MOST_MB = 800  # of the server's own process, whatever is done to it
MOST_SECONDS = 3  # that a visitor waits for a small page meanwhile
SMALL, PAUSE = "runs", 0.5  # seconds between two visits
UPLOAD_MB, UPLOADS = 40, 12  # 480 MB that no page asked for
TOO_LARGE = (
    "data?data=blobs&data.source.n_samples=200000&data.source.n_features=50&v=1",
    "data?data=coloured_discs&data.source.side=40&data.source.n_samples=200000&v=1",
    "clustering?data=linear_features&data.source.n_samples=200000&data.source.n_features=50&v=1",
)
# Leave-one-out of n rows has n^2 positions; repeats have predictions of all rows each.
TOO_MANY_FOLDS = (
    "compare?data=moons&data.source.n_samples=40000&methods=nearest_mean~lda"
    "&evaluation=leave_one_out&v=1",
    "classification?data=moons&data.source.n_samples=40000&method=nearest_mean"
    "&evaluation=k_fold&evaluation.n_splits=2&evaluation.n_repeats=1000&v=1",
)
LARGEST = (  # that are drawn
    "data?data=blobs&data.source.n_samples=40000&data.source.n_features=50&v=1",
    "data?data=linear_features&data.source.n_samples=400&data.source.n_features=5000&v=1",
)
FILES: dict[str, bytes | Callable[[], bytes]] = {
    "far.xlsx": lambda: hostile.excel(
        hostile.rows_of(hostile.cell("A1"), hostile.cell("XFD1048576"))
    ),
    "texts.xlsx": lambda: hostile.shared(1_000_000, 30_000),
    "numbers.parquet": lambda: hostile.one_number(60_000_000),
    "padded.csv": b"a,b\n" + (b"1" + b" " * 50_000 + b"x,2\n") * 20,
}
# What the attackers brought, in the messages to a page that shows it.
MARKS = (*FILES, "pruefung", "Größe", "Stufe")


class Visitor:
    """Somebody who asks for a small page again and again while something is done to the server.

    The wait is told by the clock, and in the time that a process of its own had for its work
    meanwhile: what blocks the server lasts as long by both, a busy machine only by the first.
    """

    def __init__(self, server: Server) -> None:
        self.longest, self.longest_by_clock, self.visits = 0.0, 0.0, 0
        self.seen = bytearray()  # all that the server sent
        self._server, self._over = server, threading.Event()

    @contextmanager
    def about(self) -> Iterator[Visitor]:
        """Ask as long as this goes on."""
        with fair_clock() as clock, tab(self._server.url, "", SMALL) as held:
            complete(held)  # what it imports is no wait
            with ThreadPoolExecutor(1) as alone:
                asking = alone.submit(self._ask, held, clock)
                try:
                    yield self
                finally:
                    self._over.set()
                asking.result()

    def _ask(self, held: ClientConnection, clock: Callable[[], float]) -> None:
        over = False
        while not over:  # once at least, however soon it is over
            begun, begun_by_clock = clock(), time.monotonic()
            ask(held, "", SMALL)
            self.seen += b"".join(complete(held))
            self.longest = max(self.longest, clock() - begun)
            self.longest_by_clock = max(self.longest_by_clock, time.monotonic() - begun_by_clock)
            self.visits += 1
            over = self._over.wait(PAUSE)


@contextmanager
def fair_clock() -> Iterator[Callable[[], float]]:
    """Seconds that count as much as a process that works now and then gets done in them."""
    context = multiprocessing.get_context("spawn")
    seconds, over = context.Value("d"), context.Event()
    process = context.Process(target=pace.count, args=(seconds, over), daemon=True)
    process.start()
    try:
        yield lambda: float(seconds.value)
    finally:
        over.set()
        process.join()


@pytest.fixture(scope="module")
def victim(tmp_path_factory) -> Iterator[Server]:
    """A server of its own, small as a public one is; long runs begin unasked, however long they
    are expected to take, which depends on how busy the machine was before."""
    limits = {"MLSCOPE_UPLOAD_MB": str(UPLOAD_MB), "MLSCOPE_UPLOADS_MB": str(2 * UPLOAD_MB)}
    limits |= {"MLSCOPE_AUTORUN_SECONDS": "1e6"}
    server = started(Path("app.py").resolve(), tmp_path_factory.mktemp("victim") / "log", **limits)
    yield server
    server.process.terminate()
    server.process.wait(timeout=20)


@pytest.fixture(autouse=True)
def _stands(victim) -> Iterator[None]:
    """After each attack the server lives, took no more memory than it may, and noted no fault;
    while it went on, others were served, and saw nothing of it."""
    with Visitor(victim).about() as visitor:
        yield
    assert victim.process.poll() is None
    peak = peak_mb(victim.process.pid)
    waits = f"{visitor.longest:.2f} s ({visitor.longest_by_clock:.2f} s by the clock)"
    print(f"peak of the server {peak:.0f} MB, longest wait of {visitor.visits} visits {waits}")
    assert peak < MOST_MB
    assert visitor.longest < MOST_SECONDS
    assert not [mark for mark in MARKS if mark.encode() in visitor.seen]
    assert "Traceback" not in victim.log()


def peak_mb(pid: int) -> float:
    """The most memory that a process has had at a time."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.findall(r"VmHWM:\s+(\d+) kB", status)[0]) / 1024


@pytest.fixture(scope="module")
def data_page(victim, lasting_page: Page) -> Page:
    """The page to which files are brought, one after the other."""
    return dashboard.opened(lasting_page, f"{victim.url}/data")


def sent(address: str, token: str, content: bytes) -> int:
    """Put a file to the server as a page does; the status of its answer."""
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
    headers = {
        "Content-Type": "multipart/form-data; boundary=x",
        "Cookie": f"_streamlit_xsrf={token}",
        "X-Xsrftoken": token,
    }
    body = head + content + b"\r\n--x--\r\n"
    asked = urllib.request.Request(address, body, headers, method="PUT")
    try:
        with urllib.request.urlopen(asked, timeout=60) as answer:
            return answer.status
    except urllib.error.HTTPError as refused:
        return refused.code
    except urllib.error.URLError:  # it hung up before all was sent, having refused it by its length
        return 413


def test_files_that_no_page_asked_for(data_page):
    page = data_page
    with page.expect_request(lambda request: request.method == "PUT") as put:
        bring(page, GERMAN)
    dashboard.settled(page)
    endpoint, token = put.value.url.rsplit("/", 1)[0], put.value.headers["x-xsrftoken"]
    for size, status in [*[(UPLOAD_MB - 1, 204)] * UPLOADS, (UPLOAD_MB + 1, 413)]:
        assert sent(f"{endpoint}/{uuid.uuid4()}", token, bytes(size << 20)) == status
    page.get_by_text("pruefung.csv").first.wait_for()


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_asks_for_more_than_it_holds(data_page, name):
    made = FILES[name]
    content = made if isinstance(made, bytes) else made()
    with data_page.expect_response(lambda answer: answer.request.method == "PUT"):
        bring(data_page, {"name": name, "mimeType": "application/octet-stream", "buffer": content})
    dashboard.settled(data_page)
    dashboard.no_fault(data_page)


def test_addresses_that_ask_for_folds_without_end(victim):
    for address in TOO_MANY_FOLDS:
        path, _, query = address.partition("?")
        messages = shown(victim.url, query, path)
        assert b"; this installation " in b"".join(messages)
        assert not any(map(is_fault, messages))


def test_addresses_that_ask_for_everything(victim, page: Page):
    for address in TOO_LARGE:
        path, _, query = address.partition("?")
        messages = shown(victim.url, query, path)
        assert b"Parts of this link could not be used" in b"".join(messages)
        assert not any(map(is_fault, messages))
    for address in LARGEST:
        dashboard.opened(page, f"{victim.url}/{address}")
        dashboard.no_fault(page)


# A hundred fits a tab: a faster method must not end them all before the other person came.
HEAVY = (
    "data=moons&data.source.n_samples=40000&data.source.seed={}&method=svc"
    "&evaluation=k_fold&evaluation.n_splits=10&evaluation.n_repeats=10&v=1"
)
TABS = 10


@contextmanager
def tab(url: str, query: str, page: str = "classification") -> Iterator[ClientConnection]:
    """A tab that shows this address of a page, without a browser about it."""
    stream = f"{url.replace('http', 'ws')}/_stcore/stream"
    with connect(stream, max_size=None, max_queue=None) as held:
        ask(held, query, page)
        yield held


def ask(held: ClientConnection, query: str, page: str) -> None:
    """Have the server run a page in this tab."""
    asked = BackMsg()
    asked.rerun_script.query_string, asked.rerun_script.page_name = query, page
    held.send(asked.SerializeToString())


def test_ten_heavy_tabs_of_one_person(victim, page: Page):
    """Another person gets the result of a short run while theirs go on."""
    queries = [HEAVY.format(seed) for seed in range(TABS)]
    with ExitStack() as tabs:
        opened = [tabs.enter_context(tab(victim.url, query)) for query in queries]
        assert all(map(goes_on, opened))
        dashboard.opened(page, f"{victim.url}/clustering?data=iris&method=kmeans&v=1")
        assert dashboard.score(page)
        assert goes_on(tabs.enter_context(tab(victim.url, queries[-1])))


def goes_on(held: ClientConnection) -> bool:
    """Whether the run of a tab is under way, or waits for its turn."""
    return b"run.stop" in b"".join(complete(held))


def shown(url: str, query: str, page: str) -> list[bytes]:
    """All that somebody is sent who opens this address of a page in a browser of their own."""
    with tab(url, query, page) as held:
        return complete(held)


def complete(held: ClientConnection) -> list[bytes]:
    """What is sent until the page is complete."""
    messages: list[bytes] = []
    while not (messages and ForwardMsg.FromString(messages[-1]).HasField("script_finished")):
        message = held.recv(timeout=120)
        assert isinstance(message, bytes)
        messages.append(message)
    return messages


def is_fault(message: bytes) -> bool:
    """Whether it shows a box of an exception."""
    return ForwardMsg.FromString(message).delta.new_element.HasField("exception")


def received(tab: ClientConnection) -> Iterator[bytes]:
    """What a tab is sent until nothing comes for a while."""
    with suppress(TimeoutError):
        while True:
            message = tab.recv(timeout=5)
            yield message if isinstance(message, bytes) else message.encode()


def test_a_table_of_another_session(victim, page: Page):
    dashboard.opened(page, f"{victim.url}/data")
    bring(page, GERMAN)
    page.locator(".st-key-read-as").wait_for()
    dashboard.settled(page)
    query = page.evaluate("location.search").removeprefix("?")
    digest = dashboard.address(page)["data.source.digest"]
    for path in ("data", "classification", "clustering", "compare", "preprocessing"):
        sent = b"".join(shown(victim.url, f"{query}&more={digest}", path))
        assert b"uploaded tables stay with the person" in sent
        assert not [column for column in ("Größe", "Stufe") if column.encode() in sent]
