"""What is installed from the wheel, outside the repository: complete, and the same numbers."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from zipfile import ZipFile

import pytest

from mlcore.runs.carry import carried_out, report
from mlcore.runs.run import Run

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
MADE_OF = (
    "app.py", ".streamlit", "pages", "ui", "figures", "service", "mlcore", "mlscope", "sample_data",
    "pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE", "requirements.txt",
    "requirements-hosting.txt",
)  # fmt: skip
BUILDS = ("sample_data/build.py",)  # makes the tables out of their sources
WITHOUT = shutil.ignore_patterns("__pycache__", "*.egg-info", "build")
MAIN_JOB = """
import mlcore
import streamlit as st
from streamlit.testing.v1 import AppTest
type(st.context).ip_address = None  # there is no server that would know one
at = AppTest.from_file("app.py", default_timeout=90)
at.query_params.update(data="iris", method="nearest_mean")
at.switch_page("pages/classification.py").run()
assert not at.exception, at.exception[0].stack_trace
print(mlcore.__file__)
print(*(part.proto.body for part in at.main.get("html")))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy: building leaves files beside the sources."""
    copy, dist = tmp_path_factory.mktemp("sources"), tmp_path_factory.mktemp("dist")
    for name in MADE_OF:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=WITHOUT)
        else:
            shutil.copy2(source, copy / name)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--wheel-dir", dist, copy], check=True)
    (made,) = dist.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the commands of an environment in which the wheel is installed.

    The packages that it needs are those of the environment of the tests.
    """
    environment = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    commands = environment / "bin"
    (packages,) = environment.glob("lib/python*/site-packages")
    pip = [sys.executable, "-m", "pip", "--python", commands / "python", "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", "--no-compile", wheel], check=True)
    # A line of such a file is a folder to import from; what files like it say there is not read.
    (packages / "others.pth").write_text(sysconfig.get_paths()["purelib"])
    return commands


def without_repository() -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}


def said(command: list[str | Path], folder: Path) -> str:
    """What a command prints, carried out in `folder` without anything of the repository."""
    done = subprocess.run(
        command, cwd=folder, env=without_repository(), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_no_common_name_lands_among_the_packages(wheel):
    names = {name.partition("/")[0] for name in ZipFile(wheel).namelist()}
    assert {name for name in names if not name.endswith(".dist-info")} == {"mlcore", "mlscope"}


@pytest.mark.parametrize(
    ("folder", "within"),
    [(name, "mlscope/dashboard") for name in ("app.py", ".streamlit", "pages", "ui", "figures")]
    + [("service", "mlscope/dashboard"), ("mlcore", ""), ("sample_data", "mlcore")],
)
def test_it_holds_every_file_of(folder, within, wheel):
    """Of what git has: presets, guides, styles and tables too, and not only Python."""
    listed = subprocess.run(
        ["git", "ls-files", folder], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split()
    wanted = {f"{within}/{name}".lstrip("/") for name in listed if name not in BUILDS}
    assert wanted
    assert wanted <= set(ZipFile(wheel).namelist())


def test_the_command_repeats_a_run_and_finds_methods(installed, tmp_path):
    run = Run(data="iris", method="nearest_mean")
    (tmp_path / "run.json").write_text(run.to_json())
    assert said([installed / "mlscope", "run", "run.json"], tmp_path) == (
        report(carried_out(run)) + "\n"
    )
    assert "clustering.kmeans" in said([installed / "mlscope", "methods", "lloyd"], tmp_path)


def test_a_page_of_the_installed_dashboard_shows_the_score(installed, tmp_path):
    (packages,) = installed.parent.glob("lib/python*/site-packages")
    shown = said([installed / "python", "-c", MAIN_JOB], packages / "mlscope" / "dashboard")
    where, _, page = shown.partition("\n")
    assert Path(where).is_relative_to(installed.parent)  # and not the repository
    judged = report(carried_out(Run(data="iris", method="nearest_mean")))
    score = re.search(r"[01]\.\d{3}", judged)
    assert score and score[0] in page


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@pytest.fixture
def dashboard(installed: Path, tmp_path: Path) -> Iterator[str]:
    """The address of the dashboard, opened by the command from a folder of somebody else."""
    port = free_port()
    command = [installed / "mlscope", "app", "--no-warm", "--no-browser", "--port", str(port)]
    server = subprocess.Popen(
        command, cwd=tmp_path, env=without_repository(), start_new_session=True
    )
    yield f"http://localhost:{port}"
    os.killpg(server.pid, 15)
    server.wait(timeout=20)


def test_the_command_opens_the_dashboard(dashboard):
    until = time.monotonic() + 120
    while time.monotonic() < until:
        with suppress(OSError), urllib.request.urlopen(f"{dashboard}/_stcore/health") as answer:
            assert answer.read() == b"ok"
            return
        time.sleep(0.5)
    raise AssertionError("The server did not answer within two minutes.")
