"""No settings of a generator ask for a table that a server cannot give to one of its people."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlcore.data.dataset import TableData
from mlcore.data.generators import shared
from mlcore.data.generators.densities.mixture import ROOT_NUMBERS, Mixture
from mlcore.neighbours.knn import KNNClassifier
from mlcore.runs import cost
from mlcore.runs.run import Run
from mlcore.spine import registry
from mlcore.spine.errors import ParamError
from mlcore.spine.param_kinds import Number
from mlcore.spine.params import params_of

ROOT = Path(__file__).parents[3]
OTHERS = ("bundled", "upload", "drawn")  # no settings of theirs are a size
GENERATORS = [name for name in registry.names("source") if name not in OTHERS]
ADDRESS_SPACE = 2 * 2**30  # beyond what the process holds before
SECONDS = 100  # of the processor, for a draw of shared.MOST_SECONDS
# Settings that must agree with others, where these are at their most.
FITTING = {
    "gaussians": {
        "means": (0.0,) * 20,
        "covariances": tuple(float(i % 21 == 0) for i in range(400)),
    }
}


def largest(name: str) -> dict[str, Any]:
    """Every whole number that is a size at the most that it may be, all together."""
    declared = params_of(registry.lookup("source", name))
    sizes = {
        at: int(param.high)
        for at, param in declared.items()
        if isinstance(param, Number) and param.whole and at not in ("seed", "draw")
    }
    return {**sizes, **FITTING.get(name, {})}


# Has everything imported; each line that it reads is a draw, in a copy of itself with its limits.
DRAWS = """
import ast, os, resource, signal, sys
from mlcore.spine import registry
from mlcore.spine.errors import MlcoreError

space, seconds = int(sys.argv[1]), int(sys.argv[2])
registry.entries("source")

def draw(name, settings):
    entry = registry.lookup("source", name)
    entry().origin({})  # with what it imports
    with open("/proc/self/statm") as pages:
        held = int(pages.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (held + space,) * 2)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds,) * 2)
    try:
        entry(**settings).origin({})
        return "drawn"
    except MlcoreError as refused:
        return str(refused)
    except Exception as fault:
        return repr(fault)

for line in sys.stdin:
    copy = os.fork()
    if not copy:
        print(draw(*ast.literal_eval(line)).splitlines()[0], flush=True)
        os._exit(0)
    _, status = os.waitpid(copy, 0)
    if status:
        print("ended with status", status, flush=True)
"""


@pytest.fixture(scope="module")
def outcome() -> Iterator[Callable[[str, dict[str, Any]], str]]:
    """`outcome(name, settings)`: "drawn", a sentence, or what went wrong in its own process."""
    command = [sys.executable, "-c", DRAWS, str(ADDRESS_SPACE), str(SECONDS)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        asked, answers = process.stdin, process.stdout

        def outcome(name: str, settings: dict[str, Any]) -> str:
            asked.write(repr((name, settings)) + "\n")
            asked.flush()
            return answers.readline().strip()

        yield outcome
        asked.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", GENERATORS)
def test_the_largest_settings_are_drawn_or_refused_and_what_is_just_allowed_is_drawn(name, outcome):
    """All sizes at their maxima, then the most rows that the limit leaves of them, within memory
    that a server can spare."""
    settings = largest(name)
    said = outcome(name, settings)
    if said == "drawn":
        return
    assert "Lower" in said and "n_samples" in said, said
    entry = registry.lookup("source", name)
    while settings.get("n_samples", 0) > 2:
        try:
            entry(**settings)
            break
        except ParamError:
            settings["n_samples"] = settings["n_samples"] * 9 // 10
    assert outcome(name, settings) == "drawn"


@pytest.mark.parametrize(
    ("name", "settings", "words"),
    [
        ("blobs", {"n_samples": 200_000, "n_features": 50}, "Lower n_samples or n_features."),
        (
            "coloured_discs",
            {"n_samples": 200_000},
            "36.6 GB; one table may take at most 128 MB",
        ),
        ("linear_features", {"n_samples": 50_000, "n_features": 5000}, "n_features = 5,000"),
        (
            "molecules",
            {"n_samples": 50_000, "length": 80, "molecule": "protein"},
            "at most 20 seconds",
        ),
    ],
)
def test_a_table_too_large_is_refused_before_it_is_drawn(name, settings, words):
    """The sentence says what it takes and which settings make it so."""
    with pytest.raises(ParamError) as refused:
        registry.lookup("source", name)(**settings)
    assert words in str(refused.value)


def test_a_generator_that_says_nothing_is_measured_by_rows_and_columns():
    """Whoever adds one need not think of the limit."""

    class Silent(shared.Generator):
        n_samples, n_features = 200_000, 5000

    with pytest.raises(ParamError, match="Silent: drawing"):
        Silent()


def test_rows_of_normal_components_take_no_matrix_each():
    """The root of a covariance is laid beside a row for some rows at a time, with the same bits."""
    rng, p = np.random.default_rng(0), 20
    roots = np.tril(rng.normal(size=(3, p, p))) + 5.0 * np.eye(p)
    mixture = Mixture(rng.normal(size=(3, p)), roots, np.ones(3), np.arange(3))
    part, noise = rng.integers(0, 3, 20_000), np.random.default_rng(1).normal(size=(20_000, p))
    tracemalloc.start()
    X = mixture.drawn(part, np.random.default_rng(1))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    some = slice(2500, 2800)  # across the end of a block
    whole = mixture.means[part[some]] + (roots[part[some]] @ noise[some, :, None])[:, :, 0]
    assert np.array_equal(X[some], whole)
    assert peak < X.nbytes + 5 * 8 * ROOT_NUMBERS


def test_the_cost_of_a_run_counts_the_draw_of_its_data():
    """A slow draw is asked for before it begins, like a slow method."""
    proteins = registry.lookup("source", "molecules")(molecule="protein", length=400)
    few = TableData(source=proteins)
    many = TableData(source=replace(proteins, n_samples=8000))
    rows = TableData(source=replace(proteins, n_samples=20)).dataset()
    took = [cost.estimate(Run(data=data, method=KNNClassifier()), rows)[0] for data in (few, many)]
    assert took[1] - took[0] == pytest.approx(many.source.takes()[0] - few.source.takes()[0])
    assert took[1] > 15.0
