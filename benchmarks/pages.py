"""`python -m benchmarks.pages`: our pages in Chromium beside a page with one Streamlit chart.

Two questions. How long after opening the address is the first page usable, in a browser that has
never seen it? How long after a key press on a slider is the new picture there? Both are asked of
our page and of the trivial one in turns, in one browser on one machine; medians are compared.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any
from urllib.error import URLError

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks import results
from benchmarks.chromium import executable
from mlcore.spine.threads import thread_settings

ROOT = Path(__file__).parents[1]
LOADS = 12  # of each page
VISITS = 3  # of a page with a slider, each with a seed of its own: no result is known beforehand
PRESSES = 8  # in one visit; the first one is a warm-up and not counted
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
QUIET = 500  # milliseconds without a change after which a picture counts as finished
PATIENCE = 60_000  # milliseconds for anything
STARTS_WITHIN = 60  # seconds for a server

# What a person can see of the charts: those of closed tabs have no width, and those below the
# window are drawn when they come near it.
CHARTS = """
  window.charts = () => [...document.querySelectorAll('.stPlotlyChart, .mlscope-picture')]
    .filter((chart) => chart.clientWidth && chart.getBoundingClientRect().top < innerHeight);
  window.idle = () =>
    document.querySelector('[data-testid="stApp"]')?.dataset.testScriptState === 'notRunning';
"""

# Usable: every chart in the window is drawn and the script has ended; those below the window are
# drawn when somebody comes there. The clock starts with the navigation.
USABLE = """() => idle() && charts().length
  && charts().every((chart) => chart.getBoundingClientRect().top > innerHeight
    || chart.querySelector('.main-svg')) && performance.now()"""

# From now on, note when a key goes down and when each chart last changed.
WATCH = """() => {
  addEventListener('keydown', () => {
    window.down = performance.now();
    window.changed = new Map();
  }, true);
  new MutationObserver((changes) => {
    let last = null;
    for (const { target } of changes) {
      if (target === last) continue;
      last = target;
      const chart = target.closest('.stPlotlyChart, .mlscope-plot');
      if (chart) changed.set(chart.closest('.stPlotlyChart, .mlscope-picture'), performance.now());
    }
  }).observe(document.body, { subtree: true, childList: true, attributes: true });
}"""

# Gives when this chart had changed, and when the last of all had.
SETTLED = """([place, quiet]) => {
  const main = changed.get(charts()[place]);
  const last = Math.max(...changed.values());
  return main && idle() && performance.now() - last > quiet && [main - down, last - down];
}"""


@dataclass(frozen=True)
class Slider:
    """A slider and the chart that it changes, by its place on the page."""

    title: str
    address: str
    label: str
    chart: int


TRIVIAL = Slider("trivial page", "", "Number", 0)
SLIDERS = (  # on our pages the first chart is that of the score
    Slider("k-means on iris", "clustering?data=iris&method=kmeans&v=1", "Number of clusters", 1),
    Slider(
        "logistic on penguins",
        "classification?data=penguins&method=logistic&v=1",
        "Alpha",
        1,
    ),
)


def main() -> None:
    """Measure both questions, print the medians and keep them in results.json."""
    with (
        served("ui.serve") as ours,
        served("streamlit", "run", "benchmarks/trivial_page.py") as trivial,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=executable(), args=FLAGS)
        first = load(browser, ours)
        print(f"first visit after the start of the server: {first:.0f} ms")
        rows = [loads(browser, ours, trivial)]
        for slider in SLIDERS:
            rows += moves(browser, slider, ours, trivial)
        browser.close()
    results.keep_part("pages", {"first_visit": first, "compared": rows})


def loads(browser: Browser, ours: str, trivial: str) -> dict[str, Any]:
    """How long until the first page is usable, in turns."""
    load(browser, trivial)  # the first visit of a server is another matter
    pairs = [(load(browser, ours), load(browser, trivial)) for _ in range(LOADS)]
    return compared("first page usable", [a for a, _ in pairs], [b for _, b in pairs])


def load(browser: Browser, url: str) -> float:
    """Milliseconds from opening an address in a clean profile until the page is usable."""
    with opened(browser, url) as (_, took):
        return took


def moves(browser: Browser, slider: Slider, ours: str, trivial: str) -> list[dict[str, Any]]:
    """How long from a key press to the new picture, in turns."""
    main, every, theirs = [], [], []
    for visit in range(VISITS):
        address = f"{ours}/{slider.address}&seed={visit + 1}"
        with opened(browser, address) as (page, _), opened(browser, trivial) as (other, _):
            page.evaluate(WATCH)
            other.evaluate(WATCH)
            for _ in range(PRESSES):
                took = press(page, slider)
                main.append(took[0])
                every.append(took[1])
                theirs.append(press(other, TRIVIAL)[1])
            del main[-PRESSES], every[-PRESSES], theirs[-PRESSES]
    return [
        compared(f"{slider.title}: new picture", main, theirs),
        compared(f"{slider.title}: every picture", every, theirs),
    ]


def press(page: Page, slider: Slider) -> tuple[float, float]:
    """Milliseconds from a key press on the slider to the new picture, and to the last of all."""
    page.bring_to_front()
    page.locator(f'input[type="range"][aria-label^="{slider.label}"]').first.focus()
    page.keyboard.press("ArrowRight")
    took = page.wait_for_function(SETTLED, arg=[slider.chart, QUIET]).json_value()
    return took[0], took[1]


def compared(what: str, ours: list[float], theirs: list[float]) -> dict[str, Any]:
    """The medians in milliseconds and how many times each was taken; printed with the ratio."""
    a, b = median(ours), median(theirs)
    print(
        f"{what:40} ours {a:6.0f} ms ({min(ours):.0f} to {max(ours):.0f})   "
        f"trivial {b:6.0f} ms ({min(theirs):.0f} to {max(theirs):.0f})   "
        f"ratio {a / b:.2f}   n = {len(ours)} each",
        flush=True,
    )
    return {"what": what, "ours": round(a), "trivial": round(b), "times": len(ours)}


@contextmanager
def opened(browser: Browser, url: str) -> Iterator[tuple[Page, float]]:
    """A page in a clean profile, usable, and the milliseconds until it was."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.add_init_script(CHARTS)
    page.goto(url, wait_until="commit")
    try:
        yield page, page.wait_for_function(USABLE).json_value()
    finally:
        context.close()


@contextmanager
def served(*module: str) -> Iterator[str]:
    """Run a module that serves with Streamlit, as `make app` does; gives its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    flags = f"--server.port={port} --server.address=127.0.0.1 --server.headless=true".split()
    process = subprocess.Popen(
        [sys.executable, "-m", *module, *flags],
        cwd=ROOT,
        env=os.environ | thread_settings(1),  # as `make app` has it
        stdout=subprocess.DEVNULL,
    )
    try:
        _await(f"{url}/_stcore/health")
        yield url
    finally:
        process.terminate()
        process.wait(20)


def _await(address: str) -> None:
    until = time.monotonic() + STARTS_WITHIN
    while True:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except (URLError, ConnectionError, TimeoutError):
            if time.monotonic() > until:
                raise
            time.sleep(0.2)


if __name__ == "__main__":
    main()
