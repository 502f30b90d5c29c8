"""What a fit, a step or a method can do is asked by capabilities, not by names of attributes."""

import ast
from pathlib import Path

from tests.architecture.reading import nodes, source

ROOT = Path(__file__).parents[2]
PLACES = ("pages", "ui", "service", "figures", "mlcore")

# How often a file asks an object for an attribute by its name. None is a fit or a method; they are
# modules, types of others, parts of settings, runs, pages, sources of data. Numbers only shrink.
ALLOWED = {
    "figures/recording.py": 1,
    "figures/standalone.py": 1,
    "figures/views/classification/decision_regions.py": 1,
    "figures/views/regression/fit_plot.py": 1,
    "mlcore/catalogue.py": 1,
    "mlcore/classification/label_propagation.py": 1,
    "mlcore/classification/lda.py": 1,
    "mlcore/classification/logistic.py": 1,
    "mlcore/data/generators/shared.py": 3,
    "mlcore/data/importing/parquet.py": 1,
    "mlcore/decisions/environment_tables.py": 2,
    "mlcore/decisions/gym_world.py": 1,
    "mlcore/evaluation/group_scores.py": 1,  # how many groups a method is asked for, if it is
    "mlcore/labs/data/norms.py": 1,
    "mlcore/optimisation/newton.py": 1,
    "mlcore/preparation/selection/choice.py": 2,
    "mlcore/preparation/selection/wrapper.py": 2,
    "mlcore/reduction/pca.py": 1,
    "mlcore/runs/carry_comparison.py": 1,
    "mlcore/runs/carry_lab.py": 1,
    "mlcore/runs/differences.py": 1,
    "mlcore/runs/repeat.py": 1,
    "mlcore/runs/stamp.py": 1,
    "mlcore/spine/component.py": 1,
    "mlcore/spine/packing.py": 5,
    "mlcore/spine/param_kinds.py": 3,
    "mlcore/spine/registry.py": 2,
    "mlcore/trees/cart.py": 2,
    "mlcore/warm.py": 1,
    "service/jobs.py": 2,
    "service/limits.py": 1,
    "service/process.py": 1,
    "service/report.py": 2,
    "service/worker.py": 1,
    "ui/compare/sets.py": 1,
    "ui/data/bringing.py": 1,
    "ui/data/gallery.py": 1,
    "ui/data/upload.py": 2,
    "ui/method/options.py": 3,
    "ui/method/panels.py": 3,
    "ui/runs/shared.py": 1,
    "ui/runs/two_runs.py": 2,
    "ui/state.py": 1,
}


def test_no_file_asks_for_attributes_by_name_more_often_than_it_did():
    files = [ROOT / "app.py", *(file for place in PLACES for file in (ROOT / place).rglob("*.py"))]
    found = {file.relative_to(ROOT).as_posix(): _asked(source(file)) for file in files}
    more = {name: n for name, n in found.items() if n > ALLOWED.get(name, 0)}
    assert not more, "ask `can(fit, Capability)`, or `isinstance` of a class or a protocol"


def test_what_may_be_asked_by_name_is_still_asked():
    found = {name: _asked(source(ROOT / name)) for name in ALLOWED}
    assert found == ALLOWED, "lower these numbers: they may not grow again"


def test_pictures_ask_no_fit_for_its_class():
    asked = [
        f"{file.relative_to(ROOT)}:{call.lineno}"
        for file in sorted((ROOT / "figures").rglob("*.py"))
        for call in _fit_classes(source(file))
    ]
    assert not asked, "ask `can(fit, Capability)`: another class may have what the picture needs"
    assert len(_fit_classes("isinstance(fit, FilterFit) or isinstance(f, (A, s.SubsetFit))")) == 2
    assert not _fit_classes("isinstance(fit, HasTree)")


def _fit_classes(text: str) -> list[ast.Call]:
    """The questions whether something is of a class of fits."""
    calls = [node for node in nodes(text) if isinstance(node, ast.Call)]
    return [
        call
        for call in calls
        if isinstance(call.func, ast.Name)
        and call.func.id == "isinstance"
        and any(
            getattr(part, "id", getattr(part, "attr", "")).endswith("Fit")
            for part in ast.walk(call.args[1])
        )
    ]


def test_each_way_to_ask_by_name_is_seen():
    assert _asked('hasattr(fit, "tree")') == _asked('x = getattr(a.b, "tree", None)') == 1
    assert _asked("getattr(fit, name); can(fit, HasTree)") == 0


def _asked(text: str) -> int:
    """How many `getattr` and `hasattr` there are with a name that is written out."""
    if "hasattr" not in text and "getattr" not in text:
        return 0  # no need to read it
    calls = [node for node in nodes(text) if isinstance(node, ast.Call)]
    return sum(
        isinstance(call.func, ast.Name)
        and call.func.id in ("getattr", "hasattr")
        and len(call.args) > 1
        and isinstance(call.args[1], ast.Constant)
        for call in calls
    )
