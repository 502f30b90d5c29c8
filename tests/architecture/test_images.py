"""The images that the Dockerfiles describe: who they run as, what they copy, what they answer.

What a daemon of Docker would refuse, and what a reviewer would: read as text, because most
machines of developers have no daemon. `tests/service/test_images.py` builds and runs them where
there is one.
"""

from __future__ import annotations

import json
import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

from mlcore.__main__ import main
from tests.architecture.test_documents import ROOT

IMAGES = ("Dockerfile", "hosting/serve.Dockerfile")
KNOWN = {
    "ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "FROM", "HEALTHCHECK", "RUN", "USER",
    "VOLUME", "WORKDIR",
}  # fmt: skip


def steps(name: str) -> list[tuple[str, str]]:
    """The instructions of a Dockerfile with what follows them, in order."""
    text = (ROOT / name).read_text(encoding="utf-8")
    text = re.sub(r"^\s*#.*\n", "", text, flags=re.M).replace("\\\n", " ")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in lines)]


def said(name: str, word: str) -> list[str]:
    """What follows each instruction of one kind."""
    return [rest for each, rest in steps(name) if each == word]


@pytest.mark.parametrize("name", IMAGES)
def test_every_instruction_is_one(name):
    assert {word for word, _ in steps(name)} <= KNOWN
    assert len(said(name, "FROM")) == len(said(name, "CMD")) == 1


@pytest.mark.parametrize("name", IMAGES)
def test_it_does_not_run_as_root(name):
    words = [word for word, _ in steps(name)]
    assert said(name, "USER") == ["mlscope"]
    assert words.index("USER") > max(k for k, word in enumerate(words) if word in ("RUN", "COPY"))


@pytest.mark.parametrize("name", IMAGES)
def test_it_stands_on_one_release(name):
    (base,) = said(name, "FROM")
    assert re.fullmatch(r"python:\d+\.\d+-slim-\w+|\$\{BASE\}", base)
    assert "BASE=mlscope" in said(name, "ARG") or "$" not in base


@pytest.mark.parametrize("name", IMAGES)
def test_what_it_copies_is_there_and_is_its_own(name):
    for rest in said(name, "COPY"):
        *sources, target = rest.split()
        assert not rest.startswith("--chown"), "the server could change its own code"
        given = [source for source in sources if "${" not in source]
        assert all((ROOT / source).exists() for source in given), rest
        assert target
    assert "ADD" not in {word for word, _ in steps(name)}


@pytest.mark.parametrize("name", IMAGES)
def test_its_health_is_asked_where_it_answers(name):
    (port,) = said(name, "EXPOSE")
    (health,) = said(name, "HEALTHCHECK")
    command = json.loads(health.removeprefix("CMD"))
    assert command[:2] == ["python", "-c"] and f"localhost:{port}/" in command[2]
    compile(command[2], name, "exec")


@pytest.mark.parametrize("name", IMAGES)
def test_it_starts_one_command_that_hears_signals(name):
    command = json.loads(said(name, "CMD")[0])
    assert command[0] != "sh" or "exec python" in command[2]  # else the shell takes SIGTERM


def test_the_served_image_starts_what_the_command_line_knows(capsys):
    command = json.loads(said("hosting/serve.Dockerfile", "CMD")[0])
    assert command[:4] == ["python", "-m", "mlcore", "serve"]
    with pytest.raises(SystemExit) as end:
        main([*command[3:], "--help"])
    assert end.value.code == 0
    (port,) = said("hosting/serve.Dockerfile", "EXPOSE")
    assert f"else {port}" in " ".join(capsys.readouterr().out.split())


def test_what_the_image_starts_and_compiles_is_not_left_out_of_it():
    """As the daemon does: a pattern without `**/` is a path from the root."""
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    (compiled,) = [rest for rest in said("Dockerfile", "RUN") if "compileall" in rest]
    needed = [word for word in compiled.split()[4:] if word != "&&"]
    assert needed and all((ROOT / name).exists() for name in needed)
    for name in (*needed, "mlscope", "sample_data", ".streamlit", "requirements.lock"):
        if (ROOT / name).exists():
            assert not any(fnmatch(name, each.strip("/")) for each in ignored), name
    assert {"app.py", "mlcore", "ui"} <= set(needed)


def test_every_requirement_is_held_to_one_release_by_its_hash():
    """`--require-hashes` ends the build at the first that is not, and at one that is missing."""
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in lock.splitlines() if line.strip() and not line.startswith((" ", "#"))]
    held_to = {re.split(r"[=\[; ]", line)[0].lower().replace("_", "-") for line in lines}
    assert all("==" in line and "--hash=sha256:" in line for line in lines)
    for line in (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith(("#", "-")):
            assert re.split(r"[=<>~!\[; ]", line)[0].lower().replace("_", "-") in held_to, line


def test_no_folder_of_developers_is_copied():
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert {".git", ".venv", "**/__pycache__"} <= set(ignored)
    assert not (Path(ROOT) / ".env").exists() or ".env" in ignored
