"""The report: what stands in it, and that nothing foreign becomes markup."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import pytest

from mlcore.data.dataset import Dataset, TableData
from mlcore.data.importing import read
from mlcore.data.upload import Upload
from mlcore.preparation.count_vectorizer import CountVectorizer
from mlcore.preparation.impute import Impute
from mlcore.preparation.one_hot import OneHot
from mlcore.preparation.selection.filters import UnivariateFilter
from mlcore.runs import carry_comparison, carry_trial
from mlcore.runs.carry import Outcome, carried_out
from mlcore.runs.carry_comparison import so_far
from mlcore.runs.run import Comparison, Pipeline, Run, Trial
from service import report, report_comparison, report_trial

HOSTILE = ("<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "a&b", "'\"")
LINK = "http://127.0.0.1:8501/classification?data=iris&method=lda&v=1"


class Page(HTMLParser):
    """Elements by name, with their attributes, and the text outside of scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.text = ""
        self._inside = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self._inside = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        self._inside = ""

    def handle_data(self, data):
        if self._inside == "script":
            self.scripts[-1] += data
        elif self._inside != "style":
            self.text += data + "\n"

    def named(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.elements if tag == name]


def outcome_of(**fields) -> tuple[Outcome, Dataset]:
    run = Run(**fields)
    return carried_out(run), run.data.dataset()


@pytest.fixture(scope="module")
def penguins() -> tuple[Outcome, Dataset, Page]:
    outcome, dataset = outcome_of(data="penguins", method="decision_tree", seed=5)
    return outcome, dataset, Page(report.of_run(outcome, dataset, LINK))


def test_it_says_what_it_is_and_leads_back(penguins):
    outcome, _, page = penguins
    assert "Decision tree on Palmer penguins" in page.text
    assert {"href": LINK} in page.named("a")
    assert outcome.run.digest() in page.text
    for name, version in outcome.versions:
        assert name in page.text
        assert version in page.text
    assert "Breiman, Friedman, Olshen and Stone (1984)" in page.text


def test_it_has_score_interval_baseline_data_card_folds_and_program(penguins):
    outcome, dataset, page = penguins
    assert f"{outcome.mean('accuracy'):.3f}" in page.text
    assert "Likely 0." in page.text
    assert f"largest class {outcome.mean('accuracy', 'baseline'):.3f}" in page.text
    assert "Licence: CC0" in page.text
    assert "344 rows used" in page.text
    assert all(column in page.text for column in dataset.table.names)
    assert "Biscoe, Dream, Torgersen" in page.text
    assert "5 folds, stratified." in page.text
    assert "from mlcore.trees.decision_tree import DecisionTree" in page.text
    for title in (
        "Confusion matrix",
        "Decision regions",
        "Tree diagram",
        "ROC curve",
        "Class balance",
    ):
        assert title in page.text


def test_every_picture_is_there_with_numbers_and_plotly_stands_in_it_once(penguins):
    _, _, page = penguins
    pictures = [a for a in page.named("div") if a.get("class") == "picture"]
    figures = [json.loads(text) for text in page.scripts[: len(pictures)]]
    assert len(pictures) >= 7
    assert all(figure["data"] for figure in figures)
    assert len([text for text in page.scripts if len(text) > 1_000_000]) == 1
    assert len(page.named("details")) >= len(pictures)


def test_it_asks_nothing_of_any_network(penguins):
    _, _, page = penguins
    assert not [a for tag, a in page.elements if tag != "a" and (a.get("src") or a.get("href"))]
    (policy,) = [a["content"] for a in page.named("meta") if "http-equiv" in a]
    assert policy is not None
    assert policy.startswith("default-src 'none'")
    assert "script-src 'nonce-" in policy
    runs = [a for a in page.named("script") if a.get("type") != "application/json"]
    assert len(runs) == 2
    assert all(f"'nonce-{a['nonce']}'" in policy for a in runs)


def hostile_table() -> bytes:
    head = ",".join('"' + name.replace('"', '""') + '"' for name in (*HOSTILE, "target"))
    rows = [
        f"{i}.5,{(i * 7) % 11},{(i * 5) % 13},{['<b>x</b>', '</td>'][i % 2]},"
        f"{['<i>one</i>', '</script>'][(i * 7) % 11 > 5]}"
        for i in range(60)
    ]
    return "\n".join([head, *rows]).encode()


def test_foreign_text_is_text():
    table = read(hostile_table(), "<script>alert(0)</script>.csv").table
    held = {table.digest(): table}
    source = Upload(digest=table.digest(), name="<script>alert(0)</script>.csv")
    run = Run(data=TableData(source=source, target="target"), method="lda")
    outcome, dataset = carried_out(run, held), run.data.dataset(held)
    page = Page(report.of_run(outcome, dataset, "javascript:alert(3)"))
    assert not page.named("img")
    assert not page.named("i")
    assert not page.named("a")
    assert len([a for a in page.named("script") if a.get("type") != "application/json"]) == 2
    for name in (*HOSTILE, "<script>alert(0)</script>.csv", "<i>one</i>"):
        assert name in page.text


@pytest.mark.parametrize(
    ("data", "method", "title"),
    [
        ("diabetes", "ridge", "Predicted against true"),
        ("iris", "kmeans", "Silhouette plot"),
        ("iris", "pca", "Scree plot"),
        ("iris", "svc", "Margin and support vectors"),
    ],
)
def test_every_task_has_its_pictures(data, method, title):
    outcome, dataset = outcome_of(data=data, method=method, evaluation="hold_out")
    assert title in Page(report.of_run(outcome, dataset)).text


def test_texts_are_counted_and_not_written_out():
    data = TableData(source="documents", roles=(("sentence", "feature"),))
    steps = (Impute(), OneHot(), CountVectorizer())
    outcome, dataset = outcome_of(data=data, method="naive_bayes", preparation=steps)
    written = report.of_run(outcome, dataset)
    assert "10 different texts" in Page(written).text
    assert "let the bread rise for an hour" not in written


def test_a_choice_of_variables_is_shown():
    steps = (Impute(), OneHot(), UnivariateFilter(n_features=2))
    outcome, dataset = outcome_of(data="iris", method="lda", preparation=steps)
    text = Page(report.of_run(outcome, dataset)).text
    assert "Stability of the selection" in text
    assert "Kept 2 of 4 variables" in text


def test_a_comparison_gives_its_verdict_and_the_reason_of_a_failure():
    run = Comparison(data="iris", methods=("lda", "knn", "ridge"))
    outcome, dataset = carry_comparison.carried_out(run), run.data.dataset()
    page = Page(report_comparison.of_comparison(outcome, dataset, LINK))
    assert "Linear discriminant analysis has the best mean" in page.text
    assert "Scores by fold" in page.text
    assert "Ridge regression predicts a quantity" in page.text
    assert "Fisher (1936)" in page.text
    assert "Prepared by: Imputation (strategy median" in page.text
    assert len(page.named("li")) == 2  # the one pair that has scores, and the best beside nobody
    assert run.digest() in page.text


@pytest.mark.parametrize(
    ("problem", "methods", "titles"),
    [
        ("bandit_arms", ("ucb", "thompson_sampling"), ("Regret", "Arms")),
        (
            "grid_world",
            ("value_iteration", "td_control"),
            ("Optimal values and policy", "Learning curve"),
        ),
    ],
)
def test_a_trial_has_its_scores_pictures_world_and_methods(problem, methods, titles):
    run = Trial(problem=problem, methods=methods, budget=200, replicates=3, seed=2)
    outcome = carry_trial.carried_out(run)
    page = Page(report_trial.of_trial(outcome, LINK))
    for text in (*titles, outcome.world.name, run.digest(), *(row.label for row in outcome.rows)):
        assert text in page.text
    assert {"href": LINK} in page.named("a")
    assert run.problem.title() in page.text


def test_a_preparation_of_its_own_stands_with_its_method():
    own = Pipeline(preparation=(Impute(), OneHot()), method="lda")
    run = Comparison(data="iris", methods=(own, "knn"), evaluation="hold_out")
    outcome = carry_comparison.carried_out(run)
    text = Page(report_comparison.of_comparison(outcome, run.data.dataset())).text
    assert text.count("Prepared by: Imputation") == 2
    assert "Standardisation" in text


def test_a_comparison_that_was_stopped_before_any_score_is_still_a_report():
    run = Comparison(data="iris", methods=("lda", "knn"))
    begun = [next(carry_comparison.carry_out(run))]
    outcome = so_far(run, begun)
    assert outcome is not None
    assert (
        "No method has a score."
        in Page(report_comparison.of_comparison(outcome, run.data.dataset())).text
    )


def test_the_report_says_what_is_worth_a_look_and_is_silent_where_nothing_is():
    outcome, dataset = outcome_of(data="diabetes", method="linear_regression")
    said = Page(report.of_run(outcome, dataset)).text
    assert "Worth a look" in said
    assert "variance inflation factor of 's1' is 58" in said
    assert "Marquardt (1970)" in said
    calm, dataset = outcome_of(data="iris", method="qda")
    assert "Worth a look" not in Page(report.of_run(calm, dataset)).text
