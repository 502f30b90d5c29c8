"""`python -m benchmarks.sessions`: fifty people at once, each with runs of their own.

Every session speaks to the server as a browser does, over its websocket: it opens an address, looks
again when it is told to, and goes on to the next address. What it is shown is compared with the
same run carried out alone in this process. They come in two waves. The first leaves a server that
has been used: every module is imported, every worker has loaded what is compiled. The second must
leave nothing more behind: when all have left, the memory of the server and its workers is compared
with what it was before that wave. Ends with an error if anything differs.
"""

from __future__ import annotations

import re
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import parse_qsl, urlencode

from service.limits import hold_threads

# Before numpy is imported, and so before what follows: the last digits depend on it.
hold_threads()

from streamlit.proto.BackMsg_pb2 import BackMsg  # noqa: E402  # behind hold_threads
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg  # noqa: E402  # behind hold_threads
from websockets.sync.client import ClientConnection, connect  # noqa: E402  # behind hold_threads

from benchmarks import results  # noqa: E402  # behind hold_threads
from benchmarks.pages import served  # noqa: E402  # behind hold_threads
from mlcore.runs.carry import Outcome, carried_out  # noqa: E402  # behind hold_threads
from mlcore.runs.run import Run  # noqa: E402  # behind hold_threads
from mlcore.spine.wording import deviation, number  # noqa: E402  # behind hold_threads
from service.limits import memory  # noqa: E402  # behind hold_threads
from service.process import resident  # noqa: E402  # behind hold_threads

SESSIONS = 50
ROUNDS = 3  # addresses that each session opens, one after the other
PATIENCE = 120  # seconds for one result
LEAVING = 10  # seconds between the waves
AFTER = 300  # seconds after the last one left in which memory must have come back
MOST_GROWTH = 0.2

KINDS = (  # page and pairs: some are quick, most go through the workers
    ("clustering", {"data": "breast_cancer", "method": "kmeans", "method.n_init": "60"}),
    ("classification", {"data": "penguins", "method": "logistic"}),
    ("kernels", {"data": "breast_cancer", "method": "svc"}),
    ("regression", {"data": "diabetes", "method": "ridge"}),
    ("dimensionality_reduction", {"data": "wine", "method": "pca"}),
    ("classification", {"data": "digits8", "method": "lda"}),
)
SCORE = re.compile(r'class="score".*?<b>([^<]*)</b> <span>± ([^<]*)</span>.*?mean ± sd, 5 folds')


@dataclass
class Visit:
    """One person: a connection, what is on the screen, and what went wrong."""

    who: int  # people of the second wave are others than those of the first
    url: str
    took: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    address: str = ""
    page: str = ""  # its hash
    score: tuple[str, str] | None = None
    again: Any = None  # the part of the page that wants to be looked at again, and when

    def go(self, together: threading.Barrier, expected: dict[tuple, tuple[str, str]]) -> None:
        """Open every address of this session and compare what it shows."""
        stream = self.url.replace("http", "ws") + "/_stcore/stream"
        together.wait()
        try:
            # websockets calls names of protocols a type of its own, which is text.
            # pyrefly: ignore[no-matching-overload]  # text, by another name
            with connect(stream, subprotocols=["streamlit"], max_size=None) as line:
                for k in range(ROUNDS):
                    self._look(line, *wanted(self.who, k), expected[self.who, k])
        except OSError as error:
            self.wrong.append(f"session {self.who}: {error!r}")

    def _look(
        self, line: ClientConnection, page: str, pairs: dict[str, str], expected: tuple[str, str]
    ) -> None:
        began, self.score, self.again = time.monotonic(), None, None
        ask(line, urlencode(pairs), name=page)
        while not self.score:
            if time.monotonic() - began > PATIENCE:
                raise TimeoutError(f"no result for {pairs} after {PATIENCE} seconds")
            self._hear(line)
        self.took.append(time.monotonic() - began)
        shown = dict(parse_qsl(self.address))
        if shown.get("seed") != pairs["seed"] or self.score != expected:
            told = f"{self.score} at {self.address}, not {expected} at {pairs}"
            self.wrong.append(f"session {self.who} was shown {told}")

    def _hear(self, line: ClientConnection) -> None:
        """Take in one run of the page, or of a part of it, and look again where that is wished."""
        while True:
            # Streamlit sends bytes alone; the line could carry text as well.
            # pyrefly: ignore[bad-argument-type]  # bytes
            message = ForwardMsg.FromString(line.recv(PATIENCE))
            kind = message.WhichOneof("type")
            if kind == "page_info_changed":
                self.address = message.page_info_changed.query_string
            elif kind == "navigation":
                self.page = message.navigation.page_script_hash
            elif kind == "auto_rerun":
                self.again = message.auto_rerun
            elif kind == "delta":
                self._see(message.delta.new_element)
            elif kind == "script_finished":
                break
        # What ended early is followed by another run without being asked for.
        is_whole = message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN
        if is_whole and not self.score and self.again:
            time.sleep(self.again.interval)
            ask(line, self.address, hash=self.page, fragment=self.again.fragment_id)

    def _see(self, element: Any) -> None:
        kind = element.WhichOneof("type")
        if kind == "exception":
            self.wrong.append(f"session {self.who}: {element.exception.message}")
        elif kind == "html" and (match := SCORE.search(element.html.body.replace("\n", " "))):
            self.score = (match[1], match[2])


def main() -> None:
    """Measure, print the figures and keep them, and end with 1 if anything is wrong."""
    expected = dict(alone())
    first, second = range(SESSIONS), range(SESSIONS, 2 * SESSIONS)
    with served("ui.serve") as url:
        visits = visit(url, [0], expected)
        fresh = occupied()
        visits += visit(url, first, expected)
        time.sleep(LEAVING)
        before = occupied()
        visits += visit(url, second, expected)
        during = occupied()
        after = came_back(url, before, expected)
    took = [seconds for one in visits for seconds in one.took]
    first_took = median(one.took[0] for one in visits if one.took)
    later_took = median(seconds for one in visits for seconds in one.took[1:])
    wrong = [what for one in visits for what in one.wrong]
    print(f"{SESSIONS} sessions twice, {len(took)} results, {len(wrong)} wrong or missing")
    print(
        f"seconds to a result: median {median(took):.1f}, of the first page {first_took:.1f}, "
        f"of later ones {later_took:.1f}, longest {max(took):.1f}"
    )
    print(f"memory of server and workers: {size_text(fresh)} after one visitor,")
    print(f"  {size_text(before)} after the first wave, {size_text(during)} with the second,")
    print(f"  {size_text(after)} after it left ({after / before - 1:+.0%})")
    for what in wrong:
        print(what)
    figures = {"sessions": SESSIONS, "results": len(took), "wrong": len(wrong)}
    figures |= {"median": median(took), "first": first_took, "later": later_took}
    figures |= {"longest": max(took), "fresh": size_text(fresh)}
    figures |= {"before": size_text(before), "during": size_text(during), "after": size_text(after)}
    results.keep_part("sessions", figures)
    if wrong or after > before * (1 + MOST_GROWTH):
        sys.exit(1)


def wanted(who: int, k: int) -> tuple[str, dict[str, str]]:
    """The page and the pairs of one address; no two have the same seed."""
    page, pairs = KINDS[(who + k) % len(KINDS)]
    return page, {**pairs, "seed": str(1 + who * ROUNDS + k), "v": "1"}


def alone() -> Iterator[tuple[tuple[int, int], tuple[str, str]]]:
    """What each address must show, from the same run carried out by itself."""
    for who in range(2 * SESSIONS):
        for k in range(ROUNDS):
            yield (who, k), shown_of(carried_out(Run.from_link(wanted(who, k)[1])[0]))


def shown_of(outcome: Outcome) -> tuple[str, str]:
    """Mean and standard deviation of a score, as a page writes them."""
    name = outcome.judge.metric().name
    mean, sd = outcome.mean(name), outcome.spread(name)
    return number(mean), deviation(sd, mean)


def visit(url: str, people: Sequence[int], expected: dict[tuple, tuple[str, str]]) -> list[Visit]:
    """So many sessions at once, until all have left."""
    visits, together = [Visit(who, url) for who in people], threading.Barrier(len(people))
    with ThreadPoolExecutor(len(people)) as threads:
        list(threads.map(lambda one: one.go(together, expected), visits))
    return visits


def ask(
    line: ClientConnection, address: str, *, name: str = "", hash: str = "", fragment: str = ""
) -> None:
    """What a browser sends to have a page drawn, by its name, or a part of it, by its hash."""
    message = BackMsg()
    asked = message.rerun_script
    asked.query_string, asked.page_name, asked.page_script_hash = address, name, hash
    asked.fragment_id, asked.is_auto_rerun = fragment, bool(fragment)
    line.send(message.SerializeToString())


def came_back(url: str, before: int, expected: dict[tuple, tuple[str, str]]) -> int:
    """Bytes in use once they are few enough, or after a while; a visitor comes now and then.

    A session that lost its line is kept for two minutes, in case it comes back, and let go when
    the next one leaves.
    """
    end = time.monotonic() + AFTER
    while (now := occupied()) > before * (1 + MOST_GROWTH) and time.monotonic() < end:
        time.sleep(20)
        visit(url, [0], expected)
    return now


def occupied() -> int:
    """Bytes that the processes occupy that were started from here, theirs included."""
    parents = {int(stat.parent.name): _parent(stat) for stat in Path("/proc").glob("[0-9]*/stat")}
    ours, grown = set(), {threading.get_native_id()}
    while grown:
        ours |= grown
        grown = {pid for pid, parent in parents.items() if parent in ours} - ours
    return sum(resident(pid) or 0 for pid in ours - {threading.get_native_id()})


def _parent(stat: Path) -> int:
    try:
        return int(stat.read_text().rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):  # it has just ended
        return 0


def size_text(size: int) -> str:
    """A number of bytes in words."""
    return memory(size / 2**20)


if __name__ == "__main__":
    main()
