"""Try the set-up with several replicas on this machine, from nothing, and check it in Chromium.

    make try-hosting

Starts what docs/hosting.md describes, each on a free port of the loopback: two servers behind
nginx with the configuration beside this file, a PostgreSQL of their own (`with_postgres.sh`), a
Dask scheduler and two workers. Everything ends with the script, whatever happens.
"""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from distributed import Client
from playwright.sync_api import Browser, Page, expect, sync_playwright

from benchmarks.chromium import executable
from mlcore.spine.threads import thread_settings
from tests.browser import dashboard
from tests.browser.test_upload import GERMAN, bring

ROOT = Path(__file__).parents[1]
PATIENCE = 120  # seconds; everything starts at once on what may be two cores
# A method slow enough that its folds are not worth doing in the page's own thread.
SLOW = "classification?data=digits8&method=logistic&v=1"


class Setup:
    """Processes of one try, and where they are reached."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        self.stack, self.folder = stack, folder
        self.ports = {name: _free_port() for name in ("one", "two", "nginx", "plain", "dask")}
        self.scheduler = f"tcp://127.0.0.1:{self.ports['dask']}"
        self.address = f"https://127.0.0.1:{self.ports['nginx']}"
        self.environment = os.environ | thread_settings(1) | {
            "PYTHONPATH": str(ROOT),
            "MLSCOPE_SCHEDULER": self.scheduler,
            "MLSCOPE_WORKERS": "1",
            "STREAMLIT_SERVER_COOKIE_SECRET": secrets.token_hex(32),
        }  # fmt: skip

    def python(self, name: str, *arguments: str) -> subprocess.Popen:
        """Start a module of Python, with what it says in a file."""
        with (self.folder / f"{name}.log").open("w") as log:
            started = subprocess.Popen(
                [sys.executable, "-m", *arguments],
                cwd=ROOT, env=self.environment, stdout=log, stderr=log,
            )  # fmt: skip
        self.stack.callback(_end, started)
        return started

    def replica(self, name: str) -> subprocess.Popen:
        """One server of MLScope."""
        at = ["--server.port", str(self.ports[name]), "--server.address", "127.0.0.1"]
        more = ["--server.headless", "true"]
        return self.python(name, "ui.serve", *at, *more)

    def cluster(self) -> None:
        """A scheduler and two workers."""
        quiet = "--no-dashboard"
        host, port = "127.0.0.1", str(self.ports["dask"])
        self.python("scheduler", "dask", "scheduler", "--host", host, "--port", port, quiet)
        _until(lambda: _answers(self.ports["dask"]), "the scheduler")
        own = ["--nthreads", "1", "--no-nanny", "--local-directory", str(self.folder), quiet]
        for name in ("worker-1", "worker-2"):
            self.python(name, "dask", "worker", self.scheduler, *own)

    def nginx(self) -> None:
        """Nginx with our configuration, but for ports, certificate and log."""
        certificate = _certificate(self.folder)
        changes = {
            "listen 443 ssl http2": f"listen 127.0.0.1:{self.ports['nginx']} ssl http2",
            "listen 80": f"listen 127.0.0.1:{self.ports['plain']}",
            "server 127.0.0.1:8501": f"server 127.0.0.1:{self.ports['one']}",
            "server 127.0.0.1:8502": f"server 127.0.0.1:{self.ports['two']}",
            "/etc/ssl/mlscope/fullchain.pem": str(certificate[0]),
            "/etc/ssl/mlscope/privkey.pem": str(certificate[1]),
            "/var/log/nginx/mlscope.log": str(self.folder / "access.log"),
        }
        text = (ROOT / "hosting" / "nginx.conf").read_text(encoding="utf-8")
        for ours, here in changes.items():
            assert text.count(ours) == 1, f"nginx.conf must say {ours!r} once"
            text = text.replace(ours, here)
        (self.folder / "mlscope.conf").write_text(text)
        (self.folder / "main.conf").write_text(_main(self.folder))
        program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
        if program is None:
            raise SystemExit("There is no nginx here. On Debian: apt-get install nginx-light")
        command = [program, "-p", str(self.folder), "-c", "main.conf", "-g", "daemon off;"]
        self.stack.callback(_end, subprocess.Popen(command))

    def served_by(self, path: str) -> dict[str, set[str]]:
        """By the log of nginx: which replicas answered each visitor on this path."""
        versions: dict[str, set[str]] = {}
        for line in (self.folder / "access.log").read_text().splitlines():
            replica, visitor = line.split()[-2:]
            if path in line:
                versions.setdefault(visitor, set()).add(replica)
        return versions


def main() -> None:
    """Start everything, check it, say what was seen."""
    if not os.environ.get("DATABASE_URL", "").startswith("postgresql"):
        raise SystemExit("Start this with hosting/with_postgres.sh, or by make try-hosting.")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        setup = Setup(stack, folder)
        servers = {name: setup.replica(name) for name in ("one", "two")}
        setup.cluster()
        setup.nginx()
        for name in ("one", "two", "nginx"):
            _until(lambda name=name: _answers(setup.ports[name]), name)
        try:
            with _chromium() as browser:
                _check(setup, browser, servers)
        except BaseException:  # Ctrl-C too: the logs go with the folder
            _tell_logs(folder)
            raise
    print("Everything was checked.")


def _check(setup: Setup, browser: Browser, servers: dict[str, subprocess.Popen]) -> None:
    pages = _one_on_each(setup, browser)
    print("Browsers are spread over both replicas, and each stays with its own.")
    first, second = pages.values()
    _runs_on_the_cluster(setup, first)
    print("The folds of a run went to the cluster.")
    opens, deletes = _share(setup, first)
    dashboard.opened(second, opens)
    expect(second.locator(".verdict[data-kind]")).to_contain_text("Identical")
    print("What was shared on one replica opens on the other, with identical numbers.")
    dashboard.opened(second, deletes)
    second.get_by_role("button", name="Delete it").click()
    expect(second.get_by_text("Deleted.")).to_be_visible()
    gone = dashboard.opened(_page(browser), opens)
    expect(gone.get_by_test_id("stAlert")).to_contain_text("No run is shared under this link")
    print("It was deleted on the other replica, for both.")
    _is_replaced(setup, pages, servers)
    print("When a replica ended, its visitors were served by the other.")


def _one_on_each(setup: Setup, browser: Browser) -> dict[str, Page]:
    """A page of a clean browser on each replica."""
    pages: dict[str, Page] = {}
    for _ in range(20):
        page = dashboard.opened(_page(browser), f"{setup.address}/data?data=iris&v=1")
        (replica,) = setup.served_by("/data").popitem()[1]
        pages.setdefault(replica, page)
        if len(pages) == 2:
            break
    assert len(pages) == 2, "one replica got all visitors"
    every = setup.served_by("/")
    assert all(len(replicas) == 1 for replicas in every.values()), every
    return pages


def _runs_on_the_cluster(setup: Setup, page: Page) -> None:
    with Client(setup.scheduler) as client:
        client.wait_for_workers(2, timeout=PATIENCE)
        before = _transitions(client)
        page.goto(f"{setup.address}/{SLOW}")
        expect(page.locator(".score")).to_contain_text("5 folds")
        assert _transitions(client) > before


def _transitions(client: Client) -> Any:
    """How often a call has changed its state in the cluster; the client waits for the answer."""
    return client.run_on_scheduler(_counted)


def _counted(dask_scheduler: object) -> int:
    # Its class is that of an optional package, so it is not named.
    # pyrefly: ignore[missing-attribute]  # no class to name
    return dask_scheduler.transition_counter


def _share(setup: Setup, page: Page) -> tuple[str, str]:
    """Bring a table, classify it, store it; the link and the delete link."""
    dashboard.opened(page, f"{setup.address}/data")
    bring(page, GERMAN)
    expect(page.locator(".st-key-read-as")).to_be_visible()
    dashboard.settled(page)
    dashboard.go_to(page, "Classification")
    expect(page.locator(".score")).to_be_visible()
    page.get_by_role("button", name="Share").click()
    page.get_by_role("button", name="Store and make a link").click()
    links = page.get_by_test_id("stPopoverBody").locator("code")
    expect(links).to_have_count(2)
    opens, deletes = links.all_inner_texts()
    assert opens.startswith(setup.address), opens
    return opens, deletes


def _is_replaced(
    setup: Setup, pages: dict[str, Page], servers: dict[str, subprocess.Popen]
) -> None:
    """End the replica of one page; the page comes back from the other one."""
    gone = f"127.0.0.1:{setup.ports['one']}"
    _end(servers["one"])
    page = dashboard.opened(pages[gone], f"{setup.address}/classification?data=iris&v=1")
    expect(page.locator(".score")).to_be_visible()


def _page(browser: Browser) -> Page:
    page = browser.new_context(ignore_https_errors=True).new_page()
    page.set_default_timeout(PATIENCE * 1000)
    return page


@contextmanager
def _chromium() -> Iterator[Browser]:
    expect.set_options(timeout=PATIENCE * 1000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=["--no-sandbox"])
        yield browser
        browser.close()


def _certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate that nobody trusts, and its key."""
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    subject = ["-subj", "/CN=localhost", "-days", "2", "-nodes", "-newkey", "rsa:2048"]
    command = ["openssl", "req", "-x509", *subject, "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    return certificate, key


def _main(folder: Path) -> str:
    """What surrounds our configuration in an installed nginx, with every file in our folder."""
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in kinds)
    user = "user root;\n" if os.geteuid() == 0 else ""
    return (
        f"{user}pid {folder}/nginx.pid;\nerror_log {folder}/nginx.log;\nevents {{}}\n"
        f"http {{\n{temporary}include {folder}/mlscope.conf;\n}}\n"
    )


def _answers(port: int) -> bool:
    with socket.socket() as caller:
        caller.settimeout(1.0)
        return caller.connect_ex(("127.0.0.1", port)) == 0


def _until(true: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        if time.monotonic() > end:
            raise SystemExit(f"{what} did not start within {PATIENCE} seconds.")
        time.sleep(0.2)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def _end(process: subprocess.Popen) -> None:
    process.terminate()
    try:
        process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _tell_logs(folder: Path) -> None:
    for log in sorted(folder.glob("*.log")):
        print(f"--- {log.name}", log.read_text()[-3000:], sep="\n")


if __name__ == "__main__":
    main()
