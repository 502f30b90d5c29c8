"""Names and cells that look like Plotly's markup are drawn letter by letter, in every view."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from figures.literal import literal
from figures.numbers.recordings import recording_of
from figures.view import View, views
from mlcore.data.dataset import TableData
from mlcore.data.importing import read
from mlcore.data.table import Table
from mlcore.data.upload import Upload
from mlcore.runs import carry_comparison
from mlcore.runs.carry import carried_out, recording
from mlcore.runs.run import Comparison, Run
from mlcore.spine.fit import Column
from mlcore.spine.registry import lookup
from tests.figures import test_every_view as every

LINK = '<a href="https://evil.example">evil</a>'
NAMES = (LINK, "<b>evil</b>", "%{evil} %{x}", "&lt;evil&#62;", "evil<br>evil", "<sup>evil</sup>")
CLASSES = ("<b>evil one</b>", "%{evil}two", '<a href="https://evil.example">three')
WORDS = ("<b>evil</b> wind", "%{evil} rain", "&lt;evil snow")
# What Plotly would take for markup, in a name or in a part of it.
MARKUP = re.compile(r"</?(a|sup)\b|<b>evil|evil</b>|evil<br>evil|%\{evil|%\{x\} ?'|&lt;evil|&#62;")

# The subjects of `test_every_view`, here with the data of hostile people.
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
        amounts = (values[0] + values[2], values[2] - values[3])
        lines.append([*values, WORDS[i % 2], sentence, *amounts, CLASSES[i % 3]])
    lines[0].append("<b>evil kind</b>")
    file = io.StringIO()
    csv.writer(file).writerows(lines)
    return read(file.getvalue().encode(), "<b>evil</b>.csv").table


def data(*targets: str, more: bool = False) -> TableData:
    """The table with these targets; the other amounts and kinds are left aside."""
    amounts = {"</a>", "again</a>", "<b>evil kind</b>"}
    roles = [(name, "ignore") for name in sorted(amounts - set(targets))]
    roles += [(name, "target") for name in targets[1:]]
    roles += [("words", "feature" if more else "ignore")]
    source = Upload(digest=table().digest(), name="<b>evil</b>.csv")
    first = {"target": targets[0]} if targets else {}
    return TableData(source=source, roles=tuple(roles), **first)


@cache
def subject(name: str) -> dict:
    """Everything that a view may ask for, of one run on this table."""
    slot, method, settings = METHODS[name]
    targets = {
        "classification": "<b>evil kind</b>",
        "svm": "<b>evil kind</b>",
        "regression": "</a>",
    }
    wanted = (targets[slot],) if slot in targets else ()
    wanted += ("again</a>",) if name == "outputs" else ()
    steps = ("impute", "one_hot", "standardise", *STEPS.get(name, ()))
    steps = ("gaussian_imputer", *steps) if name == "street" else steps
    made = lookup(slot, method)(**settings)
    run = Run(data=data(*wanted, more=name == "quantity"), preparation=steps, method=made)
    held = {table().digest(): table()}
    out, dataset = carried_out(run, held), run.data.dataset(held)
    offered = {"dataset": dataset, "outcome": out, "whole": out.whole, "fit": out.whole.fit}
    offered |= {"run": run, "prepared": out.whole.prepared}
    return offered | ({"steps": recording(run, held)[1]} if hasattr(made, "steps") else {})


@cache
def compared(n_sets: int = 1):
    """A comparison on this table, and on others under a hostile title."""
    sets = (data("<b>evil kind</b>"), *(TableData(source=s) for s in ("penguins", "iris", "wine")))
    run = Comparison(
        data=sets[0], methods=("lda", "decision_tree", "constant"), more=sets[1:n_sets]
    )
    return carry_comparison.carried_out(run, {table().digest(): table()})


@cache
def grouped():
    """Two clusterings of this table."""
    run = Comparison(data=data("<b>evil kind</b>"), methods=("kmeans", "agglomerative"))
    return carry_comparison.carried_out(run, {table().digest(): table()})


@pytest.fixture
def hostile(monkeypatch) -> None:
    monkeypatch.setattr(every, "subject", subject)
    monkeypatch.setattr(every, "compared", compared)
    monkeypatch.setattr(every, "grouped", grouped)


def drawn(name: str) -> Iterator[tuple[str, View]]:
    """The view of every subject that it applies to."""
    for of in METHODS:
        if (view := every.made.__wrapped__(name, of)) is not None:
            yield of, view


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
