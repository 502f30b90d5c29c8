"""What the documents say can be done."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from service.limits import table

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))


def blocks(language: str, text: str) -> list[str]:
    """The code of one language in a document."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.M | re.S)


def name(path: Path) -> str:
    """A path as the reader of a failed test knows it."""
    return str(path.relative_to(ROOT))


SCORES = ("Distortion", "Stability", "Silhouette", "Elliptical BIC", "Elliptical AIC")


def test_the_script_of_the_readme_prints_the_score_of_each_fold():
    (script,) = blocks("python", (ROOT / "README.md").read_text(encoding="utf-8"))
    said = subprocess.check_output([sys.executable, "-c", script], cwd=ROOT, text=True)
    assert len(re.findall(r"^  fold \d: [\d.]+$", said, re.M)) == 5 * len(SCORES)
    assert re.findall(
        r"^([A-Z][A-Za-z ]*?)(?: of the training rows| a training row)?: mean", said, re.M
    ) == [*SCORES]


def test_links_lead_somewhere():
    for document in DOCUMENTS:
        links = re.findall(r"\]\(([^)#:]+)\)", document.read_text(encoding="utf-8"))
        lost = [link for link in links if not (document.parent / link).exists()]
        assert lost == [], name(document)


def test_make_knows_what_is_asked_of_it():
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        asked = re.findall(r"(?:^|`)make (?:-s )?(?:[A-Z]+=\S+ )*([a-z-]+)\b", text, re.M)
        assert set(asked) <= TARGETS, name(document)


def test_folders_of_the_architecture_are_there():
    (tree,) = blocks("text", (ROOT / "docs/architecture.md").read_text(encoding="utf-8"))
    named = re.findall(r"(?<![\w/])(\w+)/(?=\s)", tree)
    places = [ROOT, ROOT / "mlcore", ROOT / "ui", ROOT / "figures"]
    assert len(named) > 15
    assert [n for n in named if not any((at / n).is_dir() for at in places)] == []


def test_the_limits_of_the_hosting_guide_are_those_of_the_service():
    text = (ROOT / "docs/hosting.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| `MLSCOPE_")]
    assert sorted(rows) == sorted(table().splitlines()[2:])
