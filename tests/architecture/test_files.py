"""Sizes of files, and what no file may say."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LONGEST = 500  # lines; three hundred is the aim
LONGEST_BY_PLACE = {"app.py": 60, "pages": 80}
# A kernel calls only kernels of its own file, so what grows a tree cannot be parted among files,
# nor what learns from every move of a world.
LONGEST_BY_FILE = {"mlcore/trees/_kernels.py": 1000, "mlcore/decisions/continuous/_kernels.py": 700}
CODE = {".py", ".js", ".css"}
TEXT = CODE | {".md", ".toml", ".txt", ".json", ".yaml", ".yml", ""}
NOT_OURS = {
    ".git", ".venv", ".venv-intelex", ".venv-peers", "licences", "gpl", "node_modules",
    "__pycache__",
}  # fmt: skip
# A home or a scratch folder of one machine; inside a word or an address they mean something else.
MACHINE_PATH = re.compile(r"(?<![\w.:/-])/(?:home|root|Users|work|tmp)/\w")

# Where packages come from is a matter of the machine, not of the project.
REGISTRY = re.compile(
    r"\bpypi\.org|\bpythonhosted\.org|\bnpmjs\.\w|\bdeb\.debian\.org"
    r"|--(?:extra-)?index-url|--find[-]links|file:[/]{3}"
)


@cache
def files() -> tuple[Path, ...]:
    """Every text file that belongs to the project."""
    found = [f for f in ROOT.rglob("*") if f.is_file() and f.suffix in TEXT]
    return tuple(sorted(f for f in found if not _is_foreign(f.relative_to(ROOT))))


def _is_foreign(path: Path) -> bool:
    hidden = any(p.startswith(".") and p.endswith(("cache", "hypothesis")) for p in path.parts)
    return hidden or bool(NOT_OURS & set(path.parts))


def limit(path: Path) -> int:
    """How many lines a file may have."""
    of_place = LONGEST_BY_PLACE.get(path.parts[0], LONGEST)
    return LONGEST_BY_FILE.get(path.as_posix(), of_place)


def test_the_files_are_found():
    names = {str(f.relative_to(ROOT)) for f in files()}
    assert {"app.py", "Makefile", ".ci/run", "mlcore/runs/run.py", "ui/style.css"} <= names


def test_no_file_is_long():
    code = [f for f in files() if f.suffix in CODE]
    lengths = {f.relative_to(ROOT): len(f.read_text(encoding="utf-8").splitlines()) for f in code}
    assert {str(f): n for f, n in lengths.items() if n > limit(f)} == {}


def test_no_file_names_a_path_of_one_machine():
    said = {str(f.relative_to(ROOT)): MACHINE_PATH.findall(_read(f)) for f in files()}
    assert {name: found for name, found in said.items() if found} == {}


def test_no_file_names_a_registry():
    said = {str(f.relative_to(ROOT)): REGISTRY.findall(_read(f)) for f in files()}
    assert {name: found for name, found in said.items() if found} == {}


@pytest.mark.parametrize("words", [("see ", "home", "ann"), ("'", "root", "a'"), ("", "tmp", "b")])
def test_a_path_of_one_machine_is_recognised(words):
    assert MACHINE_PATH.search("/".join(words))


@pytest.mark.parametrize("text", ["/usr/bin", "https://a.org/home/x", "a/tmp/b", "ratio/work"])
def test_other_paths_are_not(text):
    assert not MACHINE_PATH.search(text)


def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")


def unexplained(lines: list[str]) -> list[int]:
    """The lines that switch a check of types off, and do not say why beside or above, or do not say
    which, from 1."""
    off = re.compile(r"# (type|pyrefly): ignore(-errors)?(?P<which>\[[^\]]*\])?(?P<why>.*)")
    return [
        k
        for k, line in enumerate(lines, 1)
        if (match := off.search(line))
        and not (
            match["which"]
            and (match["why"].strip(" #") or (k > 1 and lines[k - 2].strip().startswith("# ")))
        )
    ]


def test_who_switches_a_check_of_types_off_says_why():
    assert unexplained(["x = y  # pyrefly: ignore[bad-return]"]) == [1]
    assert unexplained(["# Why.", "x = y  # pyrefly: ignore", "x = y  # type: ignore  # w"]) == [
        2,
        3,
    ]
    explained = "x = y  # pyrefly: ignore[bad-return]"
    assert not unexplained(["# Why.", explained, f"{explained}  # why"])
    places = [
        f"{f.relative_to(ROOT)}:{k}"
        for f in files()
        if f.suffix == ".py" and f.relative_to(ROOT).parts[0] != "tests"
        for k in unexplained(f.read_text().splitlines())
    ]
    assert not places
