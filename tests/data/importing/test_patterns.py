"""No text of strangers freezes a pattern, nor a small file the import: time grows with length."""

from __future__ import annotations

import ast
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from inspect import signature
from itertools import product
from pathlib import Path

import pytest

from mlcore.data import cells, dates
from mlcore.data.importing import looks

ROOT = Path(__file__).parents[3]
PACKAGES = ("mlcore", "ui", "service")
# User time of one walk over a text of this length. In proportion to the length it takes eight
# milliseconds at most. In proportion to its square it takes 200 where a step is quickest, half of
# that on a fast machine and twice on a slow one.
SECONDS, LENGTH = 0.1, 32_000
# A walk that would be too long is told from the others by a short text already: a square of 200 ms
# is 0.2 there. Only what takes longer is walked whole.
SHORT, MOMENT = LENGTH // 32, 0.0001
PADS = (
    " ", "\t", "\n", "\u00a0", "-", "--", "- ", "=", "+", "(", ")", "[", "{", ".", ",", "1", "1 ",
    "0", "1,", "1,000", "1.", ".000", ":", "'", '"', '""', "\\", "a", "A", "aA", "_", "€", "kr",
    "Rs.", "|", "/", "e", ",'", ", {", "<row ", "<f ", "</f>",
)  # fmt: skip
NUCLEI = ("", "1", "2020-01-01", "1 Jan", "2020-01-01 10:00", '"a"', '\\"', "</f>", "pixel_")
ENDS = ("", "x")
METHODS = ("match", "fullmatch", "search", "sub", "findall", "finditer")
# What the functions that make patterns are given, by the name of a parameter.
GIVEN = {
    "decimal": (".", ","),
    "mark": (b"#", b"//"),
    "thousands": ("", ".", ",", " "),
    "quote": ('"', "'"),
    "places": (("a: 1", "a: 10", "b: 1"), (" " * 30, "1" * 30)),
}


class TooLongError(Exception):
    """The walk was still under way when its time was over."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise TooLongError within the block once this thread used so much time in it.

    The clock that rings is that of the process: what its other threads used is given back.
    """
    began = time.thread_time()

    def stop(*_: object) -> None:
        left = seconds - (time.thread_time() - began)
        if left <= 0:
            raise TooLongError
        signal.setitimer(signal.ITIMER_VIRTUAL, left)

    former = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, former)


def sources() -> list[Path]:
    """The files that say something in regular expressions."""
    files = (file for package in PACKAGES for file in sorted((ROOT / package).rglob("*.py")))
    return [file for file in files if re.search(r"^import re$", file.read_text(), re.MULTILINE)]


def patterns_in(value: object) -> Iterator[re.Pattern]:
    """The patterns that a value is or holds."""
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        yield from patterns_in(tuple(value.values()))
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from patterns_in(item)


def makes_pattern(value: object) -> bool:
    """Whether a function says that it gives a pattern."""
    made = getattr(value, "__annotations__", {}).get("return", "")
    return callable(value) and str(made).startswith("re.Pattern")


def made(function: Callable) -> Iterator[re.Pattern]:
    """The patterns that a function makes of all that it can be given."""
    for values in product(*(GIVEN[name] for name in signature(function).parameters)):
        if len(set(values)) == len(values):
            yield function(*values)


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    """The calls of the module re."""
    for node in ast.walk(tree):
        is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if is_call and ast.unparse(node.func.value) == "re":
            yield node


def used(text: str, name: str = "") -> set[str]:
    """The ways in which the code holds a pattern, or any, against texts."""
    whose = rf"\b{name}(?:\[\w+\]|\([^()]*\))?" if name else ""
    return set(re.findall(rf"{whose}\.({'|'.join(METHODS)})\b", text))


def collected(file: Path) -> dict[str, tuple[re.Pattern, set[str]]]:
    """The patterns of a module by name, and the ways in which it uses them."""
    text = file.read_text()
    module = import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))
    found = {}
    for name, value in vars(module).items():
        if name in text:
            held = made(value) if makes_pattern(value) else patterns_in(value)
            ways = used(text, name) or used(text)
            found |= {f"{name} {at}": (pattern, ways) for at, pattern in enumerate(held)}
    for call in calls(ast.parse(text)):
        way = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if isinstance(call.args[0], ast.Constant) and way in METHODS:
            found[f"line {call.lineno}"] = (re.compile(str(call.args[0].value)), {way})
    return found


def texts() -> Iterator[Callable[[int], str]]:
    """Texts of any length that padding fills, around something that patterns look for."""
    for pad, nucleus, end in product(PADS, NUCLEI, ENDS):
        yield partial(padded, nucleus, pad, end=end)
    for left, right in product(PADS, PADS):
        yield partial(parted, left, right)


def padded(nucleus: str, pad: str, length: int, end: str) -> str:
    """The same over and over behind something."""
    return nucleus + pad * (length // len(pad)) + end


def parted(left: str, right: str, length: int) -> str:
    """The same over and over, and after a figure another."""
    half = length // 2
    return left * (half // len(left)) + "1" + right * (half // len(right)) + "x"


def walk(pattern: re.Pattern, ways: set[str], text: str) -> None:
    """Hold the pattern against the text in the ways that it is."""
    given = text.encode() if isinstance(pattern.pattern, bytes) else text
    for way in ways & {"match", "fullmatch"}:
        getattr(pattern, way)(given)
    if ways - {"match", "fullmatch"}:
        for _ in pattern.finditer(given):
            pass


def slow(walked: Callable[[str], object]) -> str | None:
    """The first long text whose walk takes too long."""
    for text in texts():
        try:
            with limited(SECONDS):
                began = time.thread_time()
                walked(text(SHORT))
                if time.thread_time() - began > MOMENT:
                    walked(text(LENGTH))
        except TooLongError:
            return f"{text(30)!r} and on"
    return None


@pytest.mark.slow
@pytest.mark.parametrize("file", sources(), ids=lambda file: str(file.relative_to(ROOT)))
def test_no_pattern_takes_longer_than_in_proportion_to_its_text(file):
    """Two runs that can share blanks in many ways, or a run from each place to the end."""
    found = {
        name: slow(partial(walk, pattern, ways))
        for name, (pattern, ways) in collected(file).items()
    }
    assert not {name: text for name, text in found.items() if text}


@pytest.mark.slow
@pytest.mark.parametrize("look", [looks.is_typed, looks.is_word, cells.number, dates.day])
def test_no_look_at_a_cell_takes_longer_than_in_proportion_to_its_text(look):
    """What the import asks of each cell."""
    assert slow(look) is None


def test_every_pattern_is_found_by_this_test():
    """A constant, a text where it is used, or the answer of a function that says so."""
    hidden = []
    for file in sources():
        tree = ast.parse(file.read_text())
        within = {
            call: function
            for function in ast.walk(tree)
            if isinstance(function, ast.FunctionDef)
            for call in calls(function)
        }
        for call, function in within.items():
            says_so = function.returns and ast.unparse(function.returns).startswith("re.Pattern")
            is_written = call.args and isinstance(call.args[0], ast.Constant)
            if not (says_so or is_written or ast.unparse(call.func) == "re.escape"):
                hidden.append(f"{file.relative_to(ROOT)}:{call.lineno}")
    assert not hidden


def test_a_cell_longer_than_any_number_or_date_is_neither():
    """The exact decimals of every float are shorter than that."""
    assert len(f"{-5e-324:.1074f}") < dates.LONGEST
    assert cells.number("1" * dates.LONGEST) is not None
    assert cells.number("1" * (dates.LONGEST + 1)) is None
    assert looks.is_typed(" " * dates.LONGEST + "1")
    assert not looks.is_typed("1" * (dates.LONGEST + 1))
    assert dates.day("2020-01-01" + " " * dates.LONGEST + "10:00") is None


READ = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
from mlcore.data.importing import read
from mlcore.spine.errors import FileError

for line in sys.stdin:
    pad, at = eval(line)
    number, day = ("1" + pad * 1000 + "x", "2020-01-01 10:00" + pad * 1000 + "x")[::(-1) ** at]
    rows = [f"a,b\\n1,{number}\\n", f"a|b\\n{day}|1\\n", f"{number}\\n"]
    rows.append(f"a;b\\n'{day};\\"1\\n" * 3)
    for row in rows:
        try:
            read((row + "2,3\\n").encode())
        except FileError:
            pass
    print(at, flush=True)
"""


@pytest.mark.slow
def test_no_small_file_freezes_the_import():
    """Files of some kilobytes, each cell of which is long; all within a minute of the processor."""
    asked = "\n".join(repr((pad, at)) for at, pad in enumerate(PADS))
    command = [sys.executable, "-c", READ]
    done = subprocess.run(command, input=asked, capture_output=True, text=True, cwd=ROOT)
    read_so_far = len(done.stdout.split())
    assert read_so_far == len(PADS), f"{PADS[read_so_far]!r} {done.stderr[-500:]}"


def test_what_other_threads_use_is_not_counted():
    over = threading.Event()

    def busy() -> None:
        while not over.is_set():
            pass

    others = [threading.Thread(target=busy) for _ in range(3)]
    for thread in others:
        thread.start()
    try:
        with limited(0.05):
            time.sleep(0.5)  # in which the others use ten times as much
        with pytest.raises(TooLongError), limited(0.05):
            busy()
    finally:
        over.set()
    for thread in others:
        thread.join()
