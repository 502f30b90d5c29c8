"""`requirements.lock` installs what the requirements name, and nothing that it does not know."""

from __future__ import annotations

import re

from tests.architecture.test_documents import ROOT

LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
NAMED = re.compile(r"^([A-Za-z0-9._-]+)(?:\[\w,]+)?==(\S+?)(?:;| |$)", re.M)
LOCKED = {"requirements.txt", "requirements-hosting.txt"}


def versions(text: str) -> dict[str, str]:
    """The packages that a requirements file names, as registries write them: versions."""
    return {re.sub(r"[-_.]+", "-", name).lower(): given for name, given in NAMED.findall(text)}


def test_the_lock_has_the_versions_that_the_requirements_name():
    named = {k: v for file in LOCKED for k, v in versions((ROOT / file).read_text()).items()}
    locked = versions(LOCK)
    assert len(named) > 10
    assert {name: locked.get(name) for name in named} == named
    assert all(file in LOCK.splitlines()[1] for file in LOCKED)


def test_every_package_of_the_lock_has_a_version_and_hashes():
    entries = re.split(r"^(?=[a-z0-9])", re.sub(r"^ *#.*\n", "", LOCK, flags=re.M), flags=re.M)
    loose = [
        entry.split()[0]
        for entry in filter(None, entries)
        if not NAMED.match(entry) or not re.search(r"--hash=sha256:[0-9a-f]{64}$", entry, re.M)
    ]
    assert loose == []


def test_the_lock_names_no_registry_and_no_place_of_a_machine():
    assert re.findall(r"(?i)https?:|index|find-links|file:|trusted-host|(?<!\w)/\w", LOCK) == []


def test_servers_are_installed_from_the_lock():
    for file in ("Dockerfile", "docs/hosting.md"):
        text = (ROOT / file).read_text(encoding="utf-8")
        installs = [line for line in text.splitlines() if "pip install" in line]
        assert installs, file
        assert all("--require-hashes -r requirements.lock" in line for line in installs)
