"""Names and cells that look like Plotly's markup are drawn letter by letter, in every view."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from inspect import signature
from typing import Any

import numpy as np
import pytest

from figures.lab import pictures_of
from figures.literal import literal
from figures.numbers.recordings import recording_of
from figures.view import View, views
from mlcore.data.dataset import TableData
from mlcore.data.importing import read
from mlcore.data.table import Table
from mlcore.data.upload import Upload
from mlcore.evaluation.splits import KFold
from mlcore.runs import (
    carry_comparison,
    carry_count,
    carry_explanation,
    carry_redrawing,
    carry_tuning,
)
from mlcore.runs.carry import carried_out, recording
from mlcore.runs.counting.cluster_count import ClusterCount
from mlcore.runs.explaining.explanation import Explanation
from mlcore.runs.redrawing.map_stability import MapStability
from mlcore.runs.run import Comparison, Run
from mlcore.runs.tuning.search import GridSearch
from mlcore.runs.tuning.tuning import Tuning
from mlcore.spine.asking import promises
from mlcore.spine.fit import Column
from mlcore.spine.param_kinds import Numbers, Several, Sizes, Text
from mlcore.spine.params import params_of
from mlcore.spine.registry import entries, lookup
from tests.figures import test_every_view as every
from tests.figures.explained import SETTINGS

LINK = '<a href="https://evil.example">evil</a>'
NAMES = (
    LINK, "<b>evil</b>", "%{evil} %{x}", "&lt;evil&#62;", "evil<br>evil",
    "<sup>evil</sup> $x$ **y**" + " long" * 60,
)  # fmt: skip
CLASSES = ("<b>evil one</b>", "%{evil}two", '<a href="javascript:evil()">\u202ethree')
WORDS = ("<b>evil</b> wind", "%{evil} rain", "&lt;evil snow")
# What Plotly would take for markup, in a name or in a part of it.
MARKUP = re.compile(
    r"</?(a|sup|script)\b|<b>evil|evil</b>|evil<br>evil|%\{evil|%\{x\} ?'|&lt;evil|&#62;"
)

# Runs on the data of hostile people. For a picture that applies to none of them, those of
# `test_every_view` follow with the same data.
METHODS = {
    "classes": ("classification", "lda", {}),
    "rules": ("classification", "multiclass", {"code": "one_vs_one"}),
    "asking": ("classification", "active_learning", {"budget": 4}),
    "spreading": ("classification", "label_propagation", {}),
    "tree": ("classification", "decision_tree", {}),
    "street": ("svm", "svc", {}),
    "clusters": ("clustering", "kmeans", {"n_init": 1}),
    "mixture": ("clustering", "gaussian_mixture", {"n_init": 1}),
    "places": ("reduction", "mds", {"kind": "metric"}),
    "map": ("reduction", "pca", {}),
    "quantity": ("regression", "ridge", {}),
    "steps": ("regression", "regression_tree", {}),
    "outputs": ("regression", "multi_output_regressor", {}),
}
ENOUGH = 4  # of these a view is drawn of
plain_subject = every.subject
MORE = tuple(name for name in every.SUBJECTS if name not in METHODS)
TARGETS = {"classification": "<b>evil kind</b>", "regression": "</a>"}
INSTEAD: dict[str, dict[str, Any]] = {
    "costs": {"costs": "zero_one"},  # of three classes
    "curves": {"surfaces": NAMES[:2]},
    "odds": {"surfaces": NAMES[:2]},
}
COUNTED = {"counted", "curves"}  # their target is a count
# What these draw has no names: pixels, the values of one column, and the words of a text.
AS_THEY_ARE = {"pixels", "filters", "parts", "unmixed", "units", "windows", "curve", "texts"}
STEPS = {
    "classes": ("univariate_filter", "subset_selector", "balancer"),
    "tree": ("outlier_remover",),
    "map": ("whitening",),
    "quantity": ("count_vectorizer",),
}


@cache
def table() -> Table:
    """Columns of numbers, of names and of sentences, with missing values."""
    rng = np.random.default_rng(0)
    lines: list[list[Any]] = [[*NAMES, "evil<b>kind", "words", "</a>", "again</a>"]]
    for i in range(90):
        values = (rng.normal(size=len(NAMES)) + i % 3).round(3).tolist()
        values[1] = "" if i % 7 == 0 else values[1]
        sentence = f"{WORDS[i % 3]} and {WORDS[int(rng.integers(3))]} number {i} of the day"
        amounts = (values[0] + values[2], i % 5)
        lines.append([*values, WORDS[i % 2], sentence, *amounts, CLASSES[i % 3], f"<a>{i // 15}"])
    lines[0] += ["<b>evil kind</b>", "part</b>"]
    file = io.StringIO()
    csv.writer(file).writerows(lines)
    return read(file.getvalue().encode(), "<b>evil</b>.csv").table


def data(*targets: str, more: bool = False) -> TableData:
    """The table with these targets; other amounts, kinds and parts are left aside."""
    others = {"</a>", "again</a>", "<b>evil kind</b>", "part</b>"}
    roles = [(name, "ignore") for name in sorted(others - set(targets))]
    roles += [(name, "target") for name in targets[1:]]
    roles += [("words", "feature" if more else "ignore")]
    source = Upload(digest=table().digest(), name="<b>evil</b>.csv")
    first = {"target": targets[0]} if targets else {}
    return TableData(source=source, roles=tuple(roles), **first)


@cache
def subject(name: str) -> dict:
    """Everything that a view may ask for, of one run on this table."""
    if name in AS_THEY_ARE:
        return plain_subject(name)
    run = run_of(name) if name in METHODS else run_of_another(name)
    out, dataset = carried_out(run, HELD), run.data.dataset(HELD)
    offered = {"dataset": dataset, "outcome": out, "whole": out.whole, "fit": out.whole.fit}
    offered |= {"run": run, "prepared": out.whole.prepared}
    return offered | ({"steps": recording(run, HELD)[1]} if hasattr(run.method, "steps") else {})


def run_of(name: str) -> Run:
    """One of the runs that are written above."""
    slot, method, settings = METHODS[name]
    wanted = {"svm": ("<b>evil kind</b>",)} | {task: (of,) for task, of in TARGETS.items()}
    targets = (*wanted.get(slot, ()), *(("again</a>",) if name == "outputs" else ()))
    steps = ("impute", "one_hot", "standardise", *STEPS.get(name, ()))
    steps = ("gaussian_imputer", *steps) if name == "street" else steps
    made = lookup(slot, method)(**settings)
    return Run(data=data(*targets, more=name == "quantity"), preparation=steps, method=made)


def run_of_another(name: str) -> Run:
    """The method of a run of `test_every_view` on this table."""
    _, made_for = every.SUBJECTS[name]()
    method = replace(made_for, **INSTEAD.get(name, {}))
    card = method.card
    target = "again</a>" if name in COUNTED else TARGETS.get(card.learns_from)
    made = data(*([target] if target else ()))
    if "lengths" in card.takes:
        others = tuple(pair for pair in made.roles if pair[0] != "part</b>")
        made = replace(made, roles=(*others, ("part</b>", "sequence")), target=None)
    if name in COUNTED:
        made = replace(made, kinds=(("again</a>", "number"),))
    return Run(data=made, preparation=("impute", "one_hot", "standardise"), method=method)


HELD = {table().digest(): table()}


@cache
def compared(n_sets: int = 1):
    """A comparison on this table, and on others under a hostile title."""
    sets = (data("<b>evil kind</b>"), *(TableData(source=s) for s in ("penguins", "iris", "wine")))
    run = Comparison(
        data=sets[0], methods=("lda", "decision_tree", "constant"), more=sets[1:n_sets]
    )
    return carry_comparison.carried_out(run, HELD)


@cache
def grouped():
    """Two clusterings of this table."""
    run = Comparison(data=data("<b>evil kind</b>"), methods=("kmeans", "agglomerative"))
    return carry_comparison.carried_out(run, HELD)


HERE = {
    "bill_length_mm": LINK, "island": "evil<b>kind", "body_mass_g": "&lt;evil&#62;",
    "sex": "evil<b>kind",
}  # fmt: skip


@cache
def explained(view: str) -> dict[str, Any]:
    """The questions of `tests.figures.explained` about this table."""
    name, settings = SETTINGS[view]
    asked = {key: _here(value) for key, value in settings.items()}
    run = Run(
        data=data("<b>evil kind</b>", more=True), method="lda", evaluation=KFold(n_splits=3),
        preparation=("impute", "one_hot", "standardise", "count_vectorizer"),
    )  # fmt: skip
    question = lookup("question", name)(**asked)
    outcome = carry_explanation.carried_out(Explanation.of(run, question), HELD)
    return {"explanation": outcome, "dataset": run.data.dataset(HELD)}


def _here(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_here, value))
    return HERE.get(value, value) if isinstance(value, str) else value


@cache
def tuned():
    """A search in which one setting stands for a part that has a name."""
    run = Run(data=data("</a>"), method="elastic_net")
    search = GridSearch(over={"method.alpha": "0.1,1", "method.l1_ratio": "0.1,0.9"})
    return carry_tuning.carried_out(Tuning.of(run, search), HELD)


@cache
def of_a_kind(names: tuple[str, ...]) -> dict[str, Any] | None:
    """What there is for a view of a count of clusters or of a map drawn again; else None."""
    if "counted" in names:
        count = ClusterCount.of(run_of("mixture"), highest=3, resamples=2, splits=2, references=2)
        return {"counted": carry_count.carried_out(count, HELD), "here": 3}
    if "redrawn" in names:
        redrawn = carry_redrawing.carried_out(MapStability.of(run_of("map"), refits=2), HELD)
        return {"redrawn": redrawn, "dataset": redrawn.run.data.dataset(HELD)}
    return None


@pytest.fixture
def hostile(monkeypatch) -> None:
    for replaced in (subject, compared, grouped, explained, tuned, of_a_kind):
        monkeypatch.setattr(every, replaced.__name__, replaced)
    monkeypatch.setattr(every, "score_curve", every.score_curve.__wrapped__)


def drawn(name: str) -> Iterator[tuple[str, View]]:
    """The view of some subjects that it applies to."""
    found = 0
    for of in (*METHODS, *MORE):
        enough = ENOUGH if of in METHODS else 1
        if found >= enough or not _may_apply(name, of):
            continue
        if (view := every.made.__wrapped__(name, of)) is not None:
            found += 1
            yield of, view
    assert found


def _may_apply(name: str, of: str) -> bool:
    """Whether it has to be tried: what the method promises is known before it is fitted."""
    return of in METHODS or promises(every.SUBJECTS[of]()[1], *views()[name].asks)


def texts(value: Any) -> Iterator[str]:
    """Every text in the JSON of a figure or a frame."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for item in value.items() for text in texts(item))
    elif isinstance(value, list | tuple):
        yield from (text for item in value for text in texts(item))


@pytest.mark.parametrize("name", list(views()))
def test_no_name_and_no_cell_is_markup_in_a_picture(name, hostile):
    for of, view in drawn(name):
        shown = list(texts(json.loads(view.figure.to_json() or "")))
        if view.player is not None:
            shown += texts(json.loads(view.player().to_json(1 << 30))["frames"])
        offered = subject(of)
        is_trial = "trial" in views()[name].needs  # played with the steps of an agent
        if view.step is not None and "steps" in offered and not is_trial:
            played = recording_of(view, offered["whole"], offered["steps"], offered["dataset"])
            shown += texts(json.loads(played.to_json(1 << 30))["frames"])
        assert not [text for text in shown if MARKUP.search(text)]


def test_the_names_are_in_some_pictures_and_in_the_tables_as_they_were_written(hostile):
    profile = dict(drawn("column_profiles"))["classes"]
    shown = "".join(texts(json.loads(profile.figure.to_json() or "")))
    for part in ("<\u2060b>", "<\u2060a href", "%\u2060{evil}", "&\u2060lt;"):
        assert part in shown
    assert LINK in list(profile.table[0].values)


def test_numbers_without_markup_are_the_same_object():
    numbers = (1.5, "50 % of a & b", np.array(["a", "b"]), {"x": ["y"]}, Column("x", levels=("u",)))
    safe = literal(numbers[:1] + numbers[2:])
    assert safe[1] is numbers[2]
    assert literal("a < b & c %{d}") == "a <\u2060 b &\u2060 c %\u2060{d}"
    assert literal(literal("<b>")) == literal("<b>")
    assert literal(np.array([["<b>", "c"]], dtype=object)).tolist() == [["<\u2060b>", "c"]]
    assert literal(Column("<b>", "nominal", ("<i>",))).levels == ("<\u2060i>",)


WRITTEN = [
    (name, key) for name, cls in entries("lab").items() for key, param in params_of(cls).items()
    if isinstance(param, Text | Several) and not isinstance(param, Numbers | Sizes)
]  # fmt: skip


@pytest.mark.parametrize(("name", "key"), WRITTEN)
def test_what_an_address_writes_into_a_lab_is_no_markup_in_its_pictures(name, key):
    """Labs draw rows of their own; of people they have only such settings."""
    lab = entries("lab")[name](**{key: NAMES})
    pictures = pictures_of(lab, lab.compute(0))
    shown = [text for it in pictures for text in texts(json.loads(it.figure.to_json() or ""))]
    assert not [text for text in shown if MARKUP.search(text)]


def test_labs_have_no_other_texts_of_people():
    for cls in entries("lab").values():
        assert list(signature(cls.compute).parameters) in (["self"], ["self", "seed"])
    assert WRITTEN == [("search_by_hand", "moves")]
