"""The program of every kind of run, alone in a fresh process: the same numbers to the last bit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mlcore.data.dataset import TableData
from mlcore.data.importing import Decisions, read
from mlcore.data.sources import Bundled
from mlcore.data.table import Table
from mlcore.data.upload import Upload, uploaded, uploads
from mlcore.preparation.standardise import Standardise
from mlcore.runs.counting.cluster_count import ClusterCount
from mlcore.runs.kinds import kind_of
from mlcore.runs.predicting.prediction import Prediction
from mlcore.runs.redrawing.map_stability import MapStability
from mlcore.runs.run import AnyRun, Comparison, Pipeline, Run, Trial
from mlcore.runs.script import script
from mlcore.runs.tuning.search import GridSearch
from mlcore.runs.tuning.tuning import Tuning
from mlcore.spine.threads import thread_settings
from service.kinds import files_of

ROOT = Path(__file__).resolve().parents[2]
ROWS = "\n".join(f"{i},5;{(i * 7) % 11};{'xy'[(i * 7) % 11 > 5]}" for i in range(60))
CONTENT = f"a;b;c\n{ROWS}\n".encode()


def table(**decisions: Any) -> Table:
    """The table, read as the import would, or as somebody decided."""
    return read(CONTENT, "mine.csv", Decisions(**decisions)).table


def data(held: Table) -> TableData:
    return TableData(source=Upload(digest=held.digest(), name="mine.csv"), target="c")


THREADS = thread_settings(1)


def printed(run: AnyRun, folder: Path, *arguments: str) -> str:
    """What the program says, in a process that knows nothing of this one, nor of its threads."""
    program = folder / "program.py"
    program.write_text(script(run))
    done = subprocess.run(
        [sys.executable, "-W", "error", str(program), *arguments],
        capture_output=True, text=True, timeout=300, cwd=folder,
        env={k: v for k, v in os.environ.items() if k not in THREADS} | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def said(run: AnyRun, *held: dict[str, Table]) -> str:
    kind = kind_of(run)
    return kind.report(kind.carried_out(run, held[0] if held else None)) + "\n"


MINE = data(table())
ON_MINE = [
    Run(data=MINE, method="lda", seed=4),
    Comparison(data=MINE, methods=("lda", "knn", "decision_tree")),
    MapStability(data=MINE, method="pca", refits=2),
    ClusterCount(data=MINE, method="kmeans", highest=3, resamples=2, splits=2, references=2),
    Tuning(data=MINE, method="knn", search=GridSearch(over={"method.n_neighbors": "3,5"})),
    Prediction.of(Run(data=MINE, method="lda"), MINE.source, fixes={"a": "fill"}),
]
WITHOUT = [
    Comparison(
        data="iris",
        methods=("lda", Pipeline(method="lda", preparation=(Standardise(),))),
        more=(TableData(source=Bundled(name="wine")),),
    ),
    Trial(problem="bandit_arms", methods=("ucb", "thompson_sampling"), budget=30, replicates=3),
]


def test_a_program_pins_its_threads_before_numpy_is_imported(tmp_path):
    text = script(Run(data="iris", method="lda"))
    first = text.index("import carried_out")
    assert text.index("os.environ |= thread_settings(1)") < first
    # What it pins and what it stamps are the same, whatever the shell says.
    program = tmp_path / "program.py"
    program.write_text(
        text.replace("from mlcore.spine.threads", "import sys\nfrom mlcore.spine.threads").replace(
            "os.environ |=", "assert 'numpy' not in sys.modules\nos.environ |="
        )
        + "from threadpoolctl import threadpool_info\n"
        "from mlcore.runs.stamp import versions\n"
        "assert all(pool['num_threads'] == 1 for pool in threadpool_info())\n"
        "assert dict(versions())['threads'] == '1'\n"
    )
    shell = {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2", "MLSCOPE_THREADS": "2"}
    done = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, timeout=300, cwd=tmp_path,
        env=os.environ | shell | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


def test_every_setting_is_written_out():
    text = script(Run())
    assert "run = Run()" not in text
    for said in ("name='penguins'", "n_splits=", "n_repeats=1", "seed=0", "method="):
        assert said in text
    assert max(map(len, text.splitlines())) <= 100


@pytest.mark.parametrize("run", ON_MINE, ids=lambda run: run.card.name)
def test_a_run_on_a_table_of_ones_own_is_repeated_from_its_file(run, tmp_path):
    path = tmp_path / "mine.csv"
    path.write_bytes(CONTENT)
    held = uploads([str(path)])
    assert uploaded(run).keys() == held.keys()
    assert printed(run, tmp_path, str(path)) == said(run, held)


@pytest.mark.parametrize("run", WITHOUT, ids=lambda run: run.card.name)
def test_a_run_on_nothing_of_ones_own_needs_no_file(run, tmp_path):
    assert printed(run, tmp_path) == said(run)


def test_a_table_that_was_read_otherwise_comes_with_the_script(tmp_path):
    """Somebody said that 10 stands for a missing value, which the import cannot know."""
    otherwise = table(missing=("10",))
    held = {otherwise.digest(): otherwise}
    assert otherwise.digest() != table().digest()
    run = Run(data=data(otherwise), method="decision_tree")
    offered = files_of(run, uploads=held)
    (kept,) = [file for file in offered if file.name.endswith(".arrow")]
    path = tmp_path / kept.name
    path.write_bytes(kept.make())
    assert printed(run, tmp_path, str(path)) == said(run, held)
