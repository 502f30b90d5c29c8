"""What a file of compiled loops may hold: constants, and kernels that hold nothing else up."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.architecture.reading import source, tree

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "mlcore").rglob("_kernels.py"))
# Sets of `fastmath` in which numbers that are not finite stay what they are.
SAFE = {"reassoc", "contract", "nsz", "arcp"}
# With `error_model` a division needs no branch, which would keep a loop from taking several numbers
# at a time.
ALLOWED = {"cache", "nogil", "fastmath", "_nrt", "error_model", "no_cpython_wrapper"}


def name(path: Path) -> str:
    """The package of a file, for the name of its test."""
    return path.parent.name


def statements(file: Path) -> list[ast.stmt]:
    """What stands in a file at the left margin, without its docstring."""
    return tree(source(file)).body[1:]


def kernels(file: Path) -> list[ast.FunctionDef]:
    """The functions of a file."""
    return [node for node in statements(file) if isinstance(node, ast.FunctionDef)]


def freedoms(file: Path) -> dict[str, set[str]]:
    """The sets among its constants, by name."""
    found = [node for node in statements(file) if isinstance(node, ast.Assign)]
    return {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in found
        if isinstance(node.value, ast.Set)
    }


def options(kernel: ast.FunctionDef) -> dict[str, ast.expr]:
    """The keywords of its only decorator, which must be a call of njit."""
    (decorator,) = kernel.decorator_list
    assert isinstance(decorator, ast.Call)
    assert isinstance(decorator.func, ast.Name)
    assert decorator.func.id == "njit", kernel.name
    return {word.arg or "": word.value for word in decorator.keywords}


def test_there_are_kernels():
    assert FILES
    assert all(kernels(file) for file in FILES)


@pytest.mark.parametrize("file", FILES, ids=name)
def test_a_file_holds_constants_and_functions_and_needs_nothing_else(file):
    rest = [node for node in statements(file) if not isinstance(node, ast.FunctionDef | ast.Assign)]
    brought = {
        alias.name if isinstance(node, ast.Import) else str(node.module)
        for node in rest
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert all(isinstance(node, ast.Import | ast.ImportFrom) for node in rest)
    # The cache of compiled code does not see changes of another file: those of `loops` change the
    # ways into a loop and not what the loop does.
    assert brought <= {"__future__", "math", "numpy", "mlcore.spine.loops"}


@pytest.mark.parametrize("file", FILES, ids=name)
def test_every_kernel_is_kept_compiled_and_lets_other_threads_run(file):
    for kernel in kernels(file):
        said = options(kernel)
        assert set(said) <= ALLOWED, kernel.name  # with `parallel` two threads end the process
        assert ast.literal_eval(said["cache"]) is True, kernel.name
        assert ast.literal_eval(said["nogil"]) is True, kernel.name


@pytest.mark.parametrize("file", FILES, ids=name)
def test_a_freer_order_of_additions_leaves_missing_numbers_alone(file):
    known = freedoms(file)
    for kernel in kernels(file):
        asked = options(kernel).get("fastmath")
        if asked is not None:
            freedom = known[asked.id] if isinstance(asked, ast.Name) else ast.literal_eval(asked)
            assert isinstance(freedom, set), kernel.name
            assert freedom <= SAFE, kernel.name


def is_bare(node: ast.expr) -> bool:
    """Whether an argument is a whole number or a truth written out."""
    node = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(node, ast.Constant) and isinstance(node.value, int)


def handed(file: Path) -> dict[tuple[str, int], set[str]]:
    """What the kernels of a file hand each other, by kernel and place: what is bare as written."""
    names = {kernel.name for kernel in kernels(file)}
    places: dict[tuple[str, int], set[str]] = {}
    for kernel in kernels(file):
        for call in ast.walk(kernel):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
                for place, argument in enumerate(call.args if call.func.id in names else ()):
                    what = ast.unparse(argument) if is_bare(argument) else "typed"
                    places.setdefault((call.func.id, place), set()).add(what)
    return places


@pytest.mark.parametrize("file", FILES, ids=name)
def test_no_kernel_is_compiled_once_more_for_a_bare_number(file):
    """Numba types 0 and True as themselves, and compiles what is handed one for that value alone.

    A constant of numpy, `ROOT = np.int64(0)`, has the type of all others.
    """
    for (kernel, place), ways in handed(file).items():
        outside = set() if kernel.startswith("_") else {"typed"}  # what callers in Python hand over
        assert len(ways | outside) == 1, f"{kernel}, argument {place}: {sorted(ways | outside)}"
