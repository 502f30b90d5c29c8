"""Docstrings state shapes and errors, and names are nouns of the field."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.architecture.reading import nodes, source, tree

ROOT = Path(__file__).parents[2]
# Whose names are read; docstrings are those of mlcore.
NAMED = ("mlcore", "figures", "service", "ui", "pages", "hosting", "benchmarks")

SHAPE = re.compile(r"\bshapes?\b")
_SIZE = r"(?:\d+|[A-Za-z]\w{0,2}|[a-z_]+|\.\.\.)"
_SUM = rf"{_SIZE}(?: ?[*+/-] ?{_SIZE})*"
SIZES = re.compile(rf"\({_SUM},(?: {_SUM},?)*\)")  # (n, p), (k + 1,), (rows, 2)
RAISES = re.compile(r"\braises?\b", re.IGNORECASE)

# Words that say nothing about what the thing is, or say it in no book of the field.
EMPTY = {"found", "held", "said", "turn", "turns", "law", "laws", "hole", "holes"}
# What is meant by a word of these in a name that nevertheless stays.
MEANT = {
    "held_out": "rows held out of the training rows: the textbook's word",
}


def test_public_functions_state_the_shapes_of_arrays_and_what_they_raise():
    assert [str(gap) for gap in gaps()] == []


def test_names_are_nouns_of_the_field():
    assert [str(name) for name in empty_names()] == []


def test_a_shape_is_a_tuple_of_sizes_or_named_so():
    for text in ("X, shape (n, p).", "Of any shape.", "The mean, (p,).", "(n, k + 1)", "(rows, 2)"):
        assert _states_shape(text)
    for text in ("", "A matrix.", "Bishop (2006), equation 3.", "as (Shawe-Taylor, 2004) says"):
        assert not _states_shape(text)


def test_what_a_docstring_leaves_out_is_seen():
    text = """
class Gives(Protocol):
    "`rows(X)`, shape (m,)."
    def rows(self, X: np.ndarray): ...
class Base:
    def solve(self, b: np.ndarray): "The solution for b, shape (n,). Raises DataError if none."
class _Hidden:
    def solve(self, b: np.ndarray): pass
class Solver(Base):
    mean: np.ndarray  # (p,)
    def solve(self, b: np.ndarray): raise DataError("none")
    def value(self) -> list[np.ndarray]: "The values."
    def check(self):
        "Whether all is well."
        raise DataError("it is not")
    def again(self):
        try: pass
        except OSError: raise
    def later(self): raise NotImplementedError
    @property
    def center(self) -> np.ndarray: return self.mean
    def __call__(self, X: np.ndarray): pass
    def _inner(self, X: np.ndarray): pass
"""
    classes = _Classes()
    classes.read(text)
    assert [(line, lack) for line, _, lack in _gaps(text, classes)] == [
        (12, "shape"),
        (13, "raises"),
    ]


def test_a_word_is_seen_in_each_form_of_a_name():
    text = "heldRows = 1\ndef said_of(found, held_out): self.turn = found_out\nclass IsHole: pass"
    names = [name for _, name in _defined(text) if _is_empty(name)]
    assert sorted(names) == ["IsHole", "found", "heldRows", "said_of", "turn"]
    assert not any(
        map(_is_empty, ("return_value", "saturn", "HeldOut", "held_out_rows", "foundry"))
    )


class Place(NamedTuple):
    """A line of a file, with what is to be said of it."""

    file: str
    line: int
    name: str
    note: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.name} {self.note}".rstrip()


# --- Docstrings -----------------------------------------------------------------------------------


@cache
def gaps() -> tuple[Place, ...]:
    """Public functions of mlcore that take, give or raise what their docstrings leave out."""
    codes = {name: code for name, code in _codes() if name.startswith("mlcore/")}
    classes = _Classes()
    for code in codes.values():
        classes.read(code)
    return tuple(
        Place(file, *gap)
        for file, code in codes.items()
        if not any(part.startswith("_") and part[:2] != "__" for part in file.split("/"))
        for gap in _gaps(code, classes)
    )


@dataclass
class _Classes:
    """All classes by name: what is inherited counts as written, wherever it stands."""

    bases: dict[str, set[str]] = field(default_factory=dict)
    docs: dict[tuple[str, str], str] = field(default_factory=dict)
    shaped: set[str] = field(default_factory=set)  # fields whose comment states a shape

    def read(self, code: str) -> None:
        lines = code.splitlines()
        for node in nodes(code):
            if isinstance(node, ast.ClassDef):
                names = {re.split(r"[\[.]", ast.unparse(base))[0] for base in node.bases}
                names |= {ast.unparse(base).split("[")[0].split(".")[-1] for base in node.bases}
                self.bases.setdefault(node.name, set()).update(names)
                # A protocol describes what it asks for in its own docstring.
                above = (ast.get_docstring(node) or "") if "Protocol" in names else ""
                for item in node.body:
                    self._read(node.name, item, lines, above)

    def _read(self, owner: str, item: ast.stmt, lines: list[str], above: str) -> None:
        if isinstance(item, ast.FunctionDef):
            docs = (self.docs.get((owner, item.name), ""), ast.get_docstring(item) or "", above)
            self.docs[owner, item.name] = "\n".join(docs)
        elif isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            comment = lines[item.lineno - 1].partition("#")[2]
            self.shaped |= {item.target.id} if _states_shape(comment) else set()

    def doc(self, owner: str, name: str, seen: frozenset[str] = frozenset()) -> str:
        """The docstrings of a method, its own and those it inherits, in one text."""
        if owner in seen:
            return ""
        above = (self.doc(base, name, seen | {owner}) for base in self.bases.get(owner, ()))
        return "\n".join((self.docs.get((owner, name), ""), *above))


def _gaps(code: str, classes: _Classes) -> Iterator[tuple[int, str, str]]:
    for owner, node in _public(tree(code).body):
        doc = classes.doc(owner, node.name) if owner else ast.get_docstring(node) or ""
        name = f"{owner}.{node.name}" if owner else node.name
        if _has_arrays(node) and not _states_shape(doc) and not _is_field(node, classes.shaped):
            yield node.lineno, name, "shape"
        if any(map(_is_error, _own(node.body))) and not RAISES.search(doc):
            yield node.lineno, name, "raises"


def _public(body: list[ast.stmt], owner: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    """Each public function and method with the name of its class; overloads are declarations."""
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from _public(node.body, node.name)
        elif isinstance(node, ast.FunctionDef) and not _is_left_out(node):
            yield owner, node


def _is_left_out(node: ast.FunctionDef) -> bool:
    """Whether a function is private, or the overload of one that is read anyway."""
    overload = any(ast.unparse(d).endswith("overload") for d in node.decorator_list)
    return overload or node.name.startswith("_")


def _has_arrays(node: ast.FunctionDef) -> bool:
    rest = [arg for arg in (node.args.vararg, node.args.kwarg) if arg]
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, *rest]
    kinds = [node.returns, *(arg.annotation for arg in arguments)]
    return any(
        kind is not None and re.search("ndarray|NDArray", ast.unparse(kind)) for kind in kinds
    )


def _states_shape(doc: str) -> bool:
    return bool(SHAPE.search(doc) or SIZES.search(doc))


def _is_field(node: ast.FunctionDef, fields: set[str]) -> bool:
    """Whether a property gives a declared field as it is: the field states its shape."""
    is_property = any("property" in ast.unparse(d) for d in node.decorator_list)
    last = node.body[-1]
    return (
        is_property
        and isinstance(last, ast.Return)
        and isinstance(last.value, ast.Attribute)
        and last.value.attr in fields
    )


def _own(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """Every node of a function but those of the functions inside it."""
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        if not isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda):
            yield node
            waiting += ast.iter_child_nodes(node)


def _is_error(node: ast.AST) -> bool:
    """Whether a line raises: not what passes an error on, nor what a class has to fill in."""
    return (
        isinstance(node, ast.Raise)
        and node.exc is not None
        and "NotImplementedError" not in ast.unparse(node.exc)
    )


# --- Names ----------------------------------------------------------------------------------------


@cache
def empty_names() -> tuple[Place, ...]:
    """Where a name with an empty word is given, once a file."""
    places = {
        (file, name): Place(file, line, name)
        for file, code in _codes()
        for line, name in sorted(_defined(code), reverse=True)
        if _is_empty(name)
    }
    return tuple(sorted(places.values()))


def _defined(code: str) -> Iterator[tuple[int, str]]:
    """Every name that a file gives: functions, classes, arguments, variables, attributes."""
    for node in nodes(code):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.attr
        elif isinstance(node, ast.alias) and node.asname:
            yield node.lineno, node.asname


def _is_empty(name: str) -> bool:
    parts = [p.lower() for p in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]
    joined = f"_{'_'.join(parts)}_"
    for meant in MEANT:
        joined = joined.replace(f"_{meant}_", "_")
    return bool(EMPTY & set(joined.split("_")))


@cache
def _codes() -> tuple[tuple[str, str], ...]:
    files = sorted(file for place in NAMED for file in (ROOT / place).rglob("*.py"))
    return tuple((file.relative_to(ROOT).as_posix(), source(file)) for file in files)
