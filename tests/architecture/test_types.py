"""What the check of types is told: peers are anything, and what is switched off is named."""

from __future__ import annotations

import tomllib
from importlib.util import find_spec
from pathlib import Path

from tests.architecture.reading import source
from tests.architecture.test_layers import ROOT, RUN_TIME, sources, tops

SETTINGS = tomllib.loads(source(ROOT / "pyproject.toml"))["tool"]["pyrefly"]
# A caller finds these faults nowhere else before the line runs.
NEVER_OFF = {
    "bad-argument-type", "missing-attribute", "bad-return", "bad-assignment", "missing-argument",
    "unexpected-keyword", "bad-override", "unbound-name", "missing-import",
}  # fmt: skip


def peers_without_types() -> set[str]:
    """The packages that benchmarks bring in, and that do not say that they have types."""
    interop = ROOT / "mlcore" / "interop"
    ours = {top for f in sources(*RUN_TIME) if interop not in f.parents for top in tops(f)}
    brought = {top for f in sources("benchmarks") for top in tops(f)} - ours
    specs = [spec for top in brought if (spec := find_spec(top)) and spec.origin]
    files = {spec.name: Path(str(spec.origin)) for spec in specs}
    installed = {name: f.parent for name, f in files.items() if "site-packages" in f.parts}
    return {name for name, folder in installed.items() if not (folder / "py.typed").exists()}


def replaced(place: str) -> set[str]:
    """What is anything to files of a place, as patterns of modules."""
    own = [s for s in SETTINGS["sub-config"] if s["matches"].startswith(place)]
    return set((own[0] if own else SETTINGS)["replace-imports-with-any"])


def test_every_peer_of_the_benchmarks_is_anything_there_and_no_other():
    peers = peers_without_types()
    assert "sklearn" in peers
    assert replaced("benchmarks") == {f"{name}.*" for name in peers} | {"scipy._lib._util"}


def test_the_types_from_which_methods_of_ours_derive_are_read():
    assert {name for name in replaced("ui") if "sklearn" in name} == {"sklearn.utils.*"}


def test_no_kind_of_fault_is_switched_off_everywhere_that_a_caller_would_meet():
    kinds = SETTINGS["errors"] | {
        k: v for s in SETTINGS["sub-config"] for k, v in s.get("errors", {}).items()
    }
    assert not {kind for kind, is_on in kinds.items() if not is_on} & NEVER_OFF
    assert SETTINGS["enabled-ignores"] == ["pyrefly"]
    assert kinds["unused-ignore"]
