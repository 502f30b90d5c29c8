"""What people wrote (names, cells, classes, the name of a file) is no markup on any page.

Streamlit takes most of its texts for Markdown, and some of ours for HTML. What it shows as it is
stands in a list here; every other text is looked at.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from mlcore.data.dataset import TableData
from mlcore.data.importing import read
from mlcore.data.table import Table
from mlcore.data.upload import Upload
from mlcore.runs.run import AnyRun, Comparison, Run
from service.records import Shared
from service.results import results
from service.store import store
from ui.wording import distinct

LONG = "evil" + " long" * 60
NAMES = (
    '<a href="https://evil.example">evil</a>', "<b>evil</b>", "**evil**", "$evil$",
    "[evil](javascript:evil)", ":red[evil]", "`evil`", "</script><script>evil", "\u202e~~evil~~",
    "%{evil}", "| evil | evil |", LONG,
)  # fmt: skip
CLASSES = ("<img src=evil>", "**evil** two", "$evil$ :red[evil]")
FILE = "<b>evil</b> **evil** $evil$ [evil](http://evil.example).csv"
# In Markdown, without a backslash before it; in HTML only tags count.
HTML = re.compile(r"<(?:a href=.https://evil|b>evil|/script|script>evil|img src=evil|i>size)")
MARKDOWN = re.compile(
    rf"(?<!\\)(?:{HTML.pattern}|\*\*evil|\$evil|\[evil\]\(|:red\[|`evil|~~evil|\*kind|\| evil \|)"
)
# Fields that Streamlit shows letter by letter, by the element that has them.
AS_WRITTEN = {
    "TextInput": {"default", "value", "placeholder"},
    "TextArea": {"default", "value", "placeholder"},
    "Selectbox": {"options", "raw_value", "placeholder"},
    "Dataframe": {"columns"},
    "MultiSelect": {"options", "raw_values", "placeholder"},
}


@cache
def table() -> Table:
    """Sixty rows: a column of numbers a name, one of names, and a quantity."""
    rng = np.random.default_rng(3)
    lines: list[list[Any]] = [[*NAMES, "a *kind*", "a <i>size</i>"]]
    for i in range(60):
        values = (rng.normal(size=len(NAMES)) + i % 3).round(3).tolist()
        values[1] = "" if i % 7 == 0 else values[1]
        lines.append([*values, CLASSES[i % 3], round(sum(values[2:4]), 3)])
    file = io.StringIO()
    csv.writer(file).writerows(lines)
    return read(file.getvalue().encode(), FILE).table


def data(target: str | None = "a *kind*") -> TableData:
    return TableData(source=Upload(digest=table().digest(), name=FILE), target=target)


def runs() -> Mapping[str, tuple[str, AnyRun, str]]:
    """By what is looked at: the page, what its address asks for, and the tab that is open."""
    kind, size = data(), data("a <i>size</i>")
    tabs = ("pictures", "explain", "predict", "folds", "code", "files", "labs")
    lda = Run(data=kind, method="lda")
    return {
        "data": ("data", Run(data=kind), "rows"),
        "preprocessing": ("preprocessing", Run(data=kind), "steps"),
        "reduction": ("dimensionality_reduction", Run(data=kind, method="pca"), "pictures"),
        "clustering": ("clustering", Run(data=kind, method="kmeans"), "pictures"),
        "count": ("clustering", Run(data=kind, method="kmeans"), "count"),
        "regression": ("regression", Run(data=size, method="ridge"), "pictures"),
        "kernels": ("kernels", Run(data=kind, method="svc"), "pictures"),
        "networks": ("neural_networks", Run(data=kind, method="mlp_classifier"), "how"),
        "sequences": ("sequences", Run(data=kind, method="markov_chain"), "pictures"),
        "compare": ("compare", Comparison(data=kind, methods=("lda", "constant")), "each_fold"),
        "sets": ("compare", Comparison(data="iris", more=(kind,), methods=("lda", "constant")),
                 "sets"),
    } | {f"classification, {tab}": ("classification", lda, tab) for tab in tabs}  # fmt: skip


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    yield
    results().clear()


def brought(opened: Any, page: str, run: AnyRun, tab: str) -> AppTest:
    """A session with the table at the address of a run."""
    at = opened("methods").switch_page(f"pages/{page}.py")
    at.session_state["session_tables"] = {table().digest(): table()}
    at.query_params["view.tab"] = tab
    for name, value in run.to_link().items():
        at.query_params[name] = value
    at.run()
    assert not at.exception, at.exception[0].stack_trace
    return at


def texts(at: AppTest) -> Iterator[tuple[str, str, bool]]:
    """Where each text stands that is taken for Markdown, the text, and whether it may be HTML."""
    for node in at._tree:
        proto = getattr(node, "proto", None)
        if proto is None:
            continue
        kind = type(proto).__name__
        if kind in ("Code", "Arrow", "BidiComponent", "DownloadButton", "Json"):
            continue
        allows = getattr(proto, "allow_html", False) or kind == "Html"
        for path, text in _strings(proto):
            if path[0] not in AS_WRITTEN.get(kind, ()) and path[-1] not in ("id", "form_id"):
                yield ".".join((kind, *path)), text, allows


def _strings(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(value, str):
        yield path, value
    elif hasattr(value, "ListFields"):  # a message of Streamlit
        for field, item in value.ListFields():
            yield from _strings(item, (*path, field.name))
    elif hasattr(value, "__iter__") and not isinstance(value, bytes):
        for item in value:
            yield from _strings(item, path)


def wrong_in(text: str, allows_html: bool) -> bool:
    """Whether what people wrote is markup in a text; a block of HTML holds no Markdown."""
    is_block = allows_html and text.lstrip().startswith("<")
    return bool((HTML if is_block else MARKDOWN).search(text))


@pytest.mark.parametrize("of", runs())
def test_nothing_that_people_wrote_is_markup(opened, of):
    seen = list(texts(brought(opened, *runs()[of])))
    assert any("evil" in text for _, text, _ in seen)
    assert markup(seen) == []


def markup(seen: list[tuple[str, str, bool]]) -> list[tuple[str, str]]:
    """What people wrote and is markup among these texts, with its place."""
    return [(where, text) for where, text, allows in seen if wrong_in(text, allows)]


# An address may say anything in the place of a setting, and name settings that there are not.
ADDRESS = {f"{key}{name}": f"{name}" for key in ("", "data.", "view.") for name in NAMES}
SAYS = ("method", "methods", "problem", "problem.layout", "preparation", "data.target", "view.tab",
        "search", "by", "kind", "lesson", "lab", "lab.which")  # fmt: skip
SEARCH = "<b>evil</b> **evil** $evil$ [evil](javascript:evil) :red[evil] `evil` | evil |"


def hostile(at: AppTest, page: str, **pairs: str) -> list[tuple[str, str, bool]]:
    """The texts of a page at an address of which every part is markup, and these pairs."""
    at.switch_page(f"pages/{page}.py")
    for key, value in (ADDRESS | pairs).items():
        at.query_params[key] = value
    at.run()
    assert not at.exception, at.exception[0].stack_trace
    return list(texts(at))


def test_nothing_that_an_address_or_a_session_says_is_markup_elsewhere(opened):
    """On pages that are about no method: after a run whose name and note are markup, too."""
    at = brought(opened, *runs()["classification, code"])
    run_list = at.session_state["mlscope"].runs
    for k, name in enumerate(NAMES):
        run_list.duplicate(run_list.entries[0].number)
        run_list.rename(run_list.entries[-1].number, name)
        run_list.annotate(run_list.entries[-1].number, NAMES[k - 1])
    for page in ("runs", "start", "methods", "sequential_decision_making", "data"):
        seen = hostile(at, page, **({} if page == "data" else dict.fromkeys(SAYS, SEARCH)))
        assert markup(seen) == [], page
        assert page == "start" or any("evil" in text for _, text, _ in seen)


def test_nothing_of_a_shared_table_is_markup_on_the_page_of_the_run(opened):
    run = Run(data=data(), method="lda")
    shared = Shared(run=run, page="classification", view={}, numbers=None, parts=None,
                    tables={table().digest(): table()})  # fmt: skip
    link = store().put(shared, "test")
    for pairs in ({"id": link.id}, {"delete": link.token}, {"id": NAMES[0]}, {"delete": NAMES[1]}):
        at = opened("shared", **pairs)
        assert not at.exception, at.exception[0].stack_trace
        assert markup(list(texts(at))) == []


def test_no_two_options_of_a_list_have_the_same_words():
    """Long names are cut, and a browser answers with what is left: the last would be taken."""
    names = [f"{'How satisfied are you with the service of '}{k}" for k in "abc"]
    words = distinct(names, lambda name: name[:20])
    assert list(words) == names and len(set(words.values())) == 3
    assert list(distinct(["a (2)", "a", "a "], str.strip).values()) == ["a (2)", "a", "a (3)"]
