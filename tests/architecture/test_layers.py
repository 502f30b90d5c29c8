"""Rules on imports that import-linter cannot see, and that its contracts are complete."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.architecture.reading import import_lines
from ui.sitemap import GROUPS

ROOT = Path(__file__).parents[2]
RUN_TIME = ("app.py", "pages", "ui", "service", "figures", "mlcore", "mlscope")
OURS = {"app", "pages", "ui", "service", "figures", "mlcore", "mlscope"}
# Packages of mlcore that any family may stand on; all others are families.
SHARED = {
    "additive", "basis", "data", "distances", "evaluation", "gaussians", "interop", "kernels",
    "maths", "optimisation", "preparation", "runs", "spine", "trees",
}  # fmt: skip
ABOVE = {"guides", "labs"}  # they may use every family
REQUIREMENTS = ("requirements.txt", "requirements-hosting.txt", "requirements-dev.txt")
# For people who have them already: Dask as the executor, models as scikit-learn estimators, the
# contract for packages that are tested by pytest.
OPTIONAL = ("distributed", "pytest", "sklearn")
# What a start of Python may cost (seconds of processor time) before a run is asked for.
IMPORT_SECONDS = 0.5
LATE = ("pandas", "pyarrow", "scipy.stats", "numba", "gymnasium", "sklearn", "plotly", "streamlit")
# What no server and no worker imports before a run asks for it: each takes up to half a second.
RARE = ("scipy.stats", "scipy.signal", "scipy.ndimage", "scipy.interpolate", "sklearn")


def sources(*places: str) -> list[Path]:
    """The Python files of the project at these places."""
    found = [ROOT / place for place in places]
    files = [f for at in found for f in ([at] if at.is_file() else at.rglob("*.py"))]
    return sorted(files)


def imported(file: Path) -> set[str]:
    """The modules that a file imports, wherever in it."""
    names = set()
    for node in import_lines(file):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif node.level == 0:
            names.add(node.module or "")
    return names


def tops(file: Path) -> set[str]:
    """The first words of the modules that a file imports."""
    return {name.partition(".")[0] for name in imported(file)}


def requirements(name: str) -> set[str]:
    """The packages that a requirements file names, as they are imported."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    found = [re.match(r"[A-Za-z0-9_-]+", line) for line in lines if not line.startswith("-")]
    return {match.group().lower().replace("-", "_") for match in found if match}


@pytest.mark.parametrize("place", ["mlcore", "figures", "service", "ui"])
def test_nothing_imports_the_screens(place):
    assert [f for f in sources(place) if tops(f) & {"app", "pages"}] == []


def test_the_app_arranges_and_does_not_compute():
    assert tops(ROOT / "app.py") == {"streamlit", "ui"}
    for page in sources("pages"):
        assert not tops(page) & {"numpy", "pandas", "scipy", "plotly"}, page.name


def test_bytes_of_others_are_read_by_workers_alone():
    """What reads them may be made to abort: in a worker that is a sentence, in a server its end."""
    reader = "mlcore.data.importing"
    values = {"Bounds", "Decisions", "Imported", "Note", "Ragged", "Report", "Decision"}
    for file in set(sources("app.py", "pages", "ui", "figures", "service")):
        if file == ROOT / "service/reading.py":  # gives the reader to a worker
            continue
        assert {name for name in imported(file) if reader in name} <= {
            reader,
            f"{reader}.decisions",
        }
        assert named(file, reader) <= values, file
        assert "importing" not in named(file, "mlcore.data"), file
        assert "uploads" not in named(file, "mlcore.data.upload"), file
        assert "python_calamine" not in tops(file), file


def named(file: Path, module: str) -> set[str]:
    """What a file takes from a module; the module itself counts as all of it."""
    found = set()
    for node in import_lines(file):
        if isinstance(node, ast.ImportFrom) and node.module == module:
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {"*" for alias in node.names if alias.name == module}
    return found


def test_the_address_of_a_page_is_the_name_of_its_file():
    """A server that has not run app.py yet knows pages by their files alone, and would say of any
    other address that there is no such page."""
    code = (ROOT / "app.py").read_text(encoding="utf-8")
    assert code.count("st.Page(") == 2  # the other has the name of Start, which is at the root
    assert 'f"pages/{page.name}.py"' in code and "url_path=DEFAULT" in code
    assert 'url_path="" if page.name == DEFAULT else page.name' in code
    named = [page.name for pages in GROUPS.values() for page in pages]
    assert sorted(named) == [file.stem for file in sources("pages")]


def test_run_time_imports_what_is_required_and_nothing_else():
    used = {name for file in sources(*RUN_TIME) for name in tops(file)}
    outside = used - OURS - set(sys.stdlib_module_names)
    assert outside - set(OPTIONAL) == requirements("requirements.txt")


def test_checks_import_what_is_required():
    used = {name for file in sources("tests", "benchmarks") for name in tops(file)}
    outside = used - OURS - {"tests", "benchmarks"} - set(sys.stdlib_module_names)
    named = {name for file in REQUIREMENTS for name in requirements(file)}
    imported_as = {
        "scikit_learn": "sklearn", "pymdptoolbox": "mdptoolbox", "pyale": "PyALE",
        "pytest_xdist": "xdist",
    }  # fmt: skip
    assert outside <= {imported_as.get(name, name) for name in named}


@pytest.mark.parametrize("name", REQUIREMENTS)
def test_each_requirement_is_one_version(name):
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    named = [line for line in lines if line and line[0] not in "#-"]
    assert [line for line in named if "==" not in line] == []


def test_every_family_stands_in_the_contracts():
    packages = {at.parent.name for at in (ROOT / "mlcore").glob("*/__init__.py")}
    families = {f"mlcore.{name}" for name in packages - SHARED - ABOVE}
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    floors = next(c["layers"] for c in contracts if c["name"].startswith("The floors of mlcore"))
    beside = next(set(floor.split(" | ")) for floor in floors if "mlcore.clustering" in floor)
    knows = next(c for c in contracts if c["name"].startswith("A family knows no data sets"))
    assert families
    assert beside - {"mlcore.preparation"} == families
    assert set(knows["source_modules"]) == families
    named = {name for floor in floors for name in floor.split(" | ")}
    assert named == {f"mlcore.{name}" for name in packages - {"guides"}}


def test_importing_mlcore_is_quick_and_brings_nothing_that_a_run_has_not_asked_for():
    code = (
        "import sys, time; import mlcore.runs.run; import mlcore.spine.component; "
        "print(time.process_time()); print(*sys.modules)"
    )
    # The best of three: a busy machine makes a start slower, never faster.
    said = [_python(code).split("\n", 1) for _ in range(3)]
    loaded = set(said[0][1].split())
    assert not loaded & set(LATE)
    packages = {name.split(".")[1] for name in loaded if name.startswith("mlcore.")}
    assert packages <= {"spine", "runs"}
    assert min(float(seconds) for seconds, _ in said) < IMPORT_SECONDS


@pytest.fixture(scope="module")
def brought() -> list[set[str]]:
    """What a server has imported with the frame of all pages, and what when all is ready behind
    its first page: every page, view and method."""
    told = "print(*sys.modules)"
    code = f"import sys; from ui import frame; {told}; frame._import_all(); {told}"
    return [set(line.split()) for line in _python(code).splitlines()]


def test_the_frame_of_all_pages_brings_nothing_that_files_are_read_with(brought):
    """The first visitor would wait for it; a thread in the background imports it."""
    at_first, ready = brought
    reader = "mlcore.data.importing"
    assert not [name for name in at_first if name.startswith(reader)]
    assert reader in ready


def test_a_server_and_its_workers_bring_nothing_that_few_runs_need(brought):
    """As the first visitor waits for it."""
    _, ready = brought
    assert not set(RARE) & ready


@pytest.mark.slow
def test_the_contracts_on_imports_are_kept():
    contracts = [str(Path(sys.executable).with_name("lint-imports")), "--no-logo"]
    done = subprocess.run(contracts, cwd=ROOT, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout


def _python(code: str) -> str:
    return subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True)
