"""Environments beside ours, for peers that the project itself does without.

Each has the pinned packages of a `requirements-NAME.txt` in this folder, alone: what those need in
turn is ours.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]


def place(name: str) -> Path:
    """Where the environment stands, or would."""
    return ROOT / f".venv-{name}"


def packages(name: str) -> Path:
    """Where its packages are."""
    return Path(sysconfig.get_path("purelib", vars={"base": str(place(name))}))


def stands(name: str) -> bool:
    """Whether it stands with the packages asked for; it is made if it is not there.

    Gives False, and says why on the standard error, where the packages cannot be had.
    """
    required = Path(__file__).with_name(f"requirements-{name}.txt")
    stamp, beside = place(name) / required.name, packages(name) / "ours.pth"
    ours = sysconfig.get_path("purelib") + "\n"
    if stamp.exists() and stamp.read_text() == required.read_text():
        beside.write_text(ours)  # the folder of the project may have been moved or copied
        return True
    venv.create(place(name), clear=True)
    beside.write_text(ours)
    install = ["pip", "--quiet", "--disable-pip-version-check", "--python"]
    options = ["install", "--no-deps", "--requirement", str(required)]
    done = subprocess.run(
        [sys.executable, "-m", *install, str(place(name) / "bin" / "python"), *options],
        stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    if done.returncode == 0:
        stamp.write_text(required.read_text())
    else:
        print(
            f"{required.name} cannot be installed here, so its peers are not measured.\n"
            f"{done.stderr.strip()}",
            file=sys.stderr,
        )
    return done.returncode == 0


def look_into(name: str) -> None:
    """Let this process import from it what it finds nowhere else."""
    if str(packages(name)) not in sys.path:
        sys.path.append(str(packages(name)))
