"""The images are built and run, where a daemon of Docker answers.

`tests/architecture/test_images.py` reads the same files everywhere.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mlcore.runs import saved
from mlcore.runs.carry import carried_out
from mlcore.runs.run import Run

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
APP, MODEL = "mlscope-test", "mlscope-test-model"
MINUTES = 20


def docker(*words: str, check: bool = True) -> str:
    """What a command of Docker says."""
    done = subprocess.run(
        ["docker", *words], cwd=ROOT, capture_output=True, text=True, timeout=60 * MINUTES
    )
    assert not check or done.returncode == 0, done.stderr[-4000:]
    return done.stdout.strip() if done.returncode == 0 else ""


@pytest.fixture(scope="module")
def daemon() -> None:
    """Skip where no daemon answers, and say what was not tried."""
    if shutil.which("docker") is None or not docker(
        "version", "--format", "{{.Server.Version}}", check=False
    ):
        pytest.skip(
            "NO DAEMON OF DOCKER ANSWERS: the images of Dockerfile and hosting/serve.Dockerfile "
            "were neither built nor run; their text alone was checked."
        )


@pytest.fixture(scope="module")
def served(daemon: None) -> Iterator[str]:
    """The address of a model in a container."""
    run = Run(data="iris", method="nearest_mean")
    archive = ROOT / "model-of-the-tests.zip"
    try:
        archive.write_bytes(saved.written(saved.model_of(carried_out(run), run.data.dataset())))
        docker("build", "--quiet", "-t", APP, ".")
        given = ("--build-arg", f"BASE={APP}", "--build-arg", f"MODEL={archive.name}")
        docker("build", "--quiet", "-f", "hosting/serve.Dockerfile", *given, "-t", MODEL, ".")
    finally:
        archive.unlink(missing_ok=True)
    with running(MODEL, 8600) as address:
        yield address


@contextmanager
def running(image: str, port: int) -> Iterator[str]:
    """The address of a container, which ends by itself when it is told to."""
    container = docker("run", "--detach", "--publish", f"127.0.0.1::{port}", image)
    try:
        yield f"http://{docker('port', container, str(port))}"
    finally:
        docker("stop", container)
        state = docker("inspect", "--format", "{{.State.ExitCode}}", container)
        docker("rm", container)
        assert state == "0", "it was killed and did not end by itself"


def answer_of(address: str, minutes: float) -> bytes:
    """What is answered there, once it is."""
    until = time.monotonic() + 60 * minutes
    while True:
        try:
            with urllib.request.urlopen(address) as answer:
                return answer.read()
        except OSError:
            assert time.monotonic() < until
            time.sleep(1)


def test_a_container_answers_and_is_not_root(served):
    assert json.loads(answer_of(f"{served}/health", 2))["status"] == "ok"
    assert docker("run", "--rm", MODEL, "id", "-un") == "mlscope"


def test_the_app_answers_in_its_container(served):
    """The image on which that of the model stands; it compiles before it answers."""
    with running(APP, 8501) as address:
        assert answer_of(f"{address}/_stcore/health", MINUTES) == b"ok"
    assert docker("run", "--rm", APP, "id", "-un") == "mlscope"
