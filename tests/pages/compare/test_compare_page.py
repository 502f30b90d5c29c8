"""The page that compares: methods come and go, verdicts stand first, failures have reasons."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import streamlit as st

from mlcore.data import bundled
from mlcore.runs.presets import comparison_presets
from mlcore.runs.run import Comparison
from mlcore.spine.registry import entries
from service import limits
from tests.figures.made import dataset
from tests.pages.conftest import ROOT, address, shown, unfold
from ui.compare import looks as compare_looks
from ui.compare import methods as compare_methods

PAGE = "compare"
QUICK = {"data": "iris", "methods": "lda~decision_tree", "evaluation": "k_fold"}
STEPS = "methods.0.pipeline.preparation"  # of a method with its own
PIPELINE = {"methods": "lda~pipeline", "methods__1__preparation": "impute"}


def no_faults(at):
    """Fail where the page broke, or a picture could not be drawn."""
    assert not at.exception, at.exception[0].stack_trace
    assert not at.error, [error.value for error in at.error]


def html(at):
    """The verdict and the tables, which are HTML."""
    return "\n".join(item.proto.body for item in at.get("html"))


def methods(at):
    return address(at)["methods"].split("~")


def pressed(at, key):
    """The page after a press of the button with this key."""
    return next(button for button in at.button if button.key == key).click().run()


def tab(at, title):
    """The page with this tab open."""
    at.session_state["tabs"] = title
    return at.run()


def box(at, k):
    """The page with the settings of method k unfolded."""
    return unfold(at, f"methods.{k}.box")


def test_it_greets_with_a_verdict_and_a_table_and_nothing_to_press(opened):
    at = opened(PAGE)
    no_faults(at)
    said = html(at)
    assert "<b>Logistic regression has the best mean: Accuracy 0.953 on 30 folds.</b>" in said
    assert "t-test, 30 folds, intervals and p adjusted for 6 comparisons." in said
    rows = said.split("<tr class=")[1:]
    assert "Baseline, largest class" in rows[0]
    assert "Logistic regression" in rows[1]
    assert [row.count("<i class=") for row in rows] == [30] * 7
    assert "3 times 10 folds, stratified, seed 0, n = 200" in shown(at)


@pytest.mark.slow
@pytest.mark.parametrize("name", bundled.names())
def test_it_opens_for_every_bundled_set_with_methods_that_suit(opened, name):
    at = opened(PAGE, data=name)
    no_faults(at)
    run, problems = Comparison.from_link(address(at))
    assert problems == ()
    assert len(run.methods) >= 2
    said = shown(at)
    does_not_run = "Not with this data yet" in said or "Not started yet" in said
    assert does_not_run or "has the best mean" in html(at)


@pytest.mark.parametrize("preset", comparison_presets(), ids=lambda preset: preset.name)
def test_an_example_opens(opened, preset):
    at = unfold(opened(PAGE, **QUICK), "examples")
    at = pressed(at, f"preset.{preset.name}")
    no_faults(at)
    assert Comparison.from_link(address(at)) == (preset.run(), ())
    assert preset.view_pairs().items() <= address(at).items()
    assert "has the best mean" in html(at)


@pytest.mark.parametrize(
    ("title", "says"),
    [
        ("Differences", "**Posterior of the differences (ROPE)**"),
        ("Pictures", "**Decision tree**"),
        ("Several data sets", "Folds of one table"),
        ("Folds", "**Scores by fold**"),
        ("How it works", "(Bonferroni)"),
        ("Labs", "Try"),
        ("Code", "Repeats this comparison"),
    ],
)
def test_every_tab_opens(opened, title, says):
    at = tab(opened(PAGE, **QUICK), title)
    no_faults(at)
    assert says in shown(at)


@pytest.mark.parametrize("picture", ["confusion_heatmap", "roc", "pr"])
def test_a_picture_of_every_method_in_the_address(opened, picture):
    at = tab(opened(PAGE, **QUICK, view__picture=picture), "Pictures")
    no_faults(at)
    assert address(at)["view.picture"] == picture


def test_many_pictures_are_a_list_of_which_none_is_out_of_sight(opened):
    at = tab(opened(PAGE, **QUICK), "Pictures")
    pictures = next(box for box in at.selectbox if box.label == "Picture")
    assert len(pictures.options) > 4
    pictures.set_value("roc").run()
    no_faults(at)
    assert address(at)["view.picture"] == "roc"


@pytest.mark.parametrize("data", ["diabetes", "nile"])
def test_quantities_are_compared_by_their_error(opened, data):
    at = tab(opened(PAGE, data=data), "Pictures")
    no_faults(at)
    assert "RMSE" in html(at)
    assert methods(at)[0] == "linear_regression"


def test_without_a_target_groups_are_compared(opened):
    at = opened(PAGE, data="iris", data__target="none")
    no_faults(at)
    assert set(methods(at)) == {"kmeans"}
    assert "Distortion" in html(at)


def test_methods_are_added_copied_and_removed(opened):
    at = unfold(opened(PAGE, **QUICK), "add")
    at = pressed(at, "add.knn")
    no_faults(at)
    assert methods(at) == ["lda", "decision_tree", "knn"]
    at = pressed(box(at, 0), "copy.0")
    assert methods(at) == ["lda", "lda", "decision_tree", "knn"]
    no_faults(at)
    at = pressed(box(at, 3), "remove.3")
    assert methods(at) == ["lda", "lda", "decision_tree"]
    assert "make the same predictions on all folds" in shown(at)


def test_the_last_two_methods_stay(opened):
    at = box(opened(PAGE, **QUICK), 0)
    assert next(b for b in at.button if b.key == "remove.0").disabled


def test_settings_of_a_method_are_kept_when_another_is_copied(opened):
    at = box(opened(PAGE, **QUICK | {"methods": "lda~knn"}), 1)
    slider = next(s for s in at.select_slider if "neighbours" in s.label.lower())
    at = slider.set_value(slider.options[3] if isinstance(slider.options[0], int) else 4).run()
    found = {k: v for k, v in address(at).items() if k.startswith("methods.1.")}
    assert found
    at = pressed(box(at, 0), "copy.0")
    moved = {k: v for k, v in address(at).items() if k.startswith("methods.2.")}
    assert list(moved.values()) == list(found.values())


def test_a_method_may_have_its_own_preparation(opened):
    at = box(opened(PAGE, **QUICK), 0)
    own = next(t for t in at.toggle if t.label == "Own preparation")
    at = own.set_value(True).run()
    no_faults(at)
    assert methods(at)[0] == "pipeline"
    assert "3. Standardisation" in [each.label for each in at.expander]


def test_the_steps_of_a_method_are_a_list_of_its_own(opened):
    pairs = QUICK | {"methods": "pipeline~lda", "methods__0__preparation": "impute~standardise"}
    at = unfold(opened(PAGE, **pairs), "methods.0.box", f"{STEPS}.1.box")
    at = pressed(at, f"{STEPS}.1.remove")
    no_faults(at)
    assert "Linear discriminant analysis after imputation" in html(at)


def test_every_preparation_shows_its_folds(opened):
    at = tab(opened(PAGE, **QUICK | {"methods": "lda~knn~pipeline"}), "Folds")
    said = shown(at)
    assert "**Folds and preparation**" in said  # the pipeline prepares as the others do
    at = tab(opened(PAGE, **QUICK | PIPELINE), "Folds")
    assert "**Folds and preparation: Linear discriminant analysis after imputation**" in shown(at)
    assert "**Folds and preparation: Linear discriminant analysis**" in shown(at)


def test_a_failing_method_is_a_row_with_its_reason(opened):
    at = opened(PAGE, **QUICK | {"methods": "lda~ridge~knn", "methods__2__n_neighbors": "140"})
    no_faults(at)
    rows = html(at).split("<tr class=")[1:]
    failed = [row for row in rows if row.startswith('"failed"')]
    assert any("Ridge regression" in row and "predicts a quantity" in row for row in failed)
    assert any("k-nearest neighbours" in row and "140" in row for row in failed)
    assert "is the only method with scores" in html(at)


def test_none_of_the_methods_suits_another_target(opened):
    at = opened(PAGE, data="iris", methods="ridge~elastic_net")
    no_faults(at)
    assert methods(at) == list(compare_methods.FIRST["classification"])
    assert next(b for b in at.button if b.key == "strip.Undo").disabled


def test_the_table_is_sorted_by_another_score(opened):
    at = opened(PAGE, **QUICK)
    score = next(s for s in at.selectbox if s.label == "Sorted and tested by")
    at = score.set_value("log_loss").run()
    no_faults(at)
    assert address(at)["view.metric"] == "log_loss"
    assert "has the best mean: Log loss" in html(at)


@pytest.mark.parametrize("against", ["baseline", "one", "all"])
def test_differences_against_others(opened, against):
    at = opened(PAGE, **QUICK | {"methods": "lda~decision_tree~knn"}, view__against=against)
    no_faults(at)
    assert address(at)["view.against"] == against


def test_a_region_that_holds_everything_makes_all_equal(opened):
    at = opened(PAGE, **QUICK, view__rope="0.5")
    no_faults(at)
    assert "equal for practical purposes" in shown(at)


def test_further_data_sets_are_ticked_and_ranked(opened):
    at = tab(opened(PAGE, **QUICK | {"methods": "lda~decision_tree~knn"}), "Several data sets")
    more = next(m for m in at.multiselect if m.label == "Further data sets")
    assert "Diabetes progression" not in more.options and "Nested circles" in more.options
    at = more.set_value(["Wine", "Palmer penguins"]).run()
    no_faults(at)
    assert address(at)["more"] == "table~table"
    assert "Ranks only: with 3 tables" in html(at)
    assert "**Critical difference diagram**" in shown(at)
    at = pressed(at, "strip.Undo")
    assert "more" not in address(at)


def test_a_table_that_was_brought_before_can_be_ticked(opened):
    at = opened("data")
    rows = "\n".join(f"{k % 7},{k % 5},{'ab'[k % 2]}" for k in range(40))
    at.session_state["door"] = "Upload"
    at.run()
    at.file_uploader[0].set_value(
        ("mine.csv", f"width,height,class\n{rows}".encode(), "text/csv")
    ).run()
    at = gone_to_compare(at)
    for name, value in QUICK.items():
        at.query_params[name] = value
    at = tab(at.run(), "Several data sets")
    more = next(m for m in at.multiselect if m.label == "Further data sets")
    assert more.options[0] == "mine.csv"
    at = more.set_value(["mine.csv"]).run()
    no_faults(at)
    assert ">mine.csv<" in html(at)


def test_one_set_with_two_targets_stays_two_sets(opened):
    more = {"more": "crabs~crabs", "more__1__target": "sex"}
    at = tab(opened(PAGE, **QUICK, **more), "Several data sets")
    no_faults(at)
    chosen = next(m for m in at.multiselect if m.label == "Further data sets")
    assert chosen.value == ["Rock crabs", "Rock crabs (2)"]
    assert Comparison.from_link(address(at))[0].more[1].target == "sex"


def test_a_spoiled_link_gives_sentences_and_a_comparison(opened):
    at = opened(PAGE, data="iris", methods="lda~nothing", view__metric="rmse", x="1")
    assert not at.exception
    assert "There is no" in shown(at)


def test_a_long_comparison_waits_to_be_begun(opened):
    at = opened(
        PAGE, data="digits8", methods="svc~logistic~knn", evaluation="k_fold",
        evaluation__n_splits="10", evaluation__n_repeats="20",
    )  # fmt: skip
    assert "603 fits" in shown(at)


def test_more_folds_than_rows_are_refused_in_a_sentence(opened):
    at = opened(PAGE, data="longley", evaluation="k_fold", evaluation__n_splits="40")
    assert not at.exception
    assert "16" in shown(at)


def gone_to_compare(at):
    """The page of comparisons, opened from another page: by the navigation, without an address."""
    at.query_params.clear()
    at.switch_page(f"pages/{PAGE}.py").run()
    no_faults(at)
    return at


@pytest.fixture
def toasts(monkeypatch):
    """What was said of a press, in order."""
    said: list[str] = []
    monkeypatch.setattr(st, "toast", said.append)
    return said


def test_a_method_page_adds_what_is_on_the_screen(opened, toasts):
    at = opened("classification", data="iris", method="knn", method__n_neighbors="9")
    at = pressed(at, "compare.add")
    no_faults(at)
    assert not [b for b in at.button if b.key == "compare.add"]
    (link,) = (one for one in at.get("page_link") if "comparison" in one.proto.label)
    assert link.proto.label == "In the comparison of 2 methods"
    (toast,) = toasts
    assert "begins your comparison" in toast
    assert "compare?data=iris" in toast
    at = gone_to_compare(at)
    assert address(at)["data"] == "iris"
    assert methods(at)[0] == "knn"
    assert address(at)["methods.0.n_neighbors"] == "9"


@pytest.mark.parametrize("visited", [False, True])
def test_a_person_compares_what_was_added_and_nothing_else(opened, toasts, visited):
    """Not with the methods of the greeting, nor with the one that kept the first company."""
    at = opened(PAGE, data="iris") if visited else opened("classification", data="iris")
    for name in ("knn", "decision_tree"):
        at.query_params.clear()
        at.query_params |= {"data": "iris", "method": name}
        at = pressed(at.switch_page("pages/classification.py").run(), "compare.add")
    assert "is now compared with 1 other method." in toasts[-1]
    assert methods(gone_to_compare(at)) == ["knn", "decision_tree"]


def test_a_method_that_is_there_already_is_not_added_twice(opened):
    at = gone_to_compare(pressed(opened("classification", data="iris"), "compare.add"))
    at.query_params.clear()
    at.switch_page("pages/classification.py").run()
    assert not [b for b in at.button if b.key == "compare.add"]


def test_a_clustering_is_compared_with_itself_at_other_settings(opened):
    at = gone_to_compare(pressed(opened("clustering", data="iris"), "compare.add"))
    assert set(methods(at)) == {"kmeans"}
    assert len(methods(at)) == 2
    assert "Distortion" in html(at)


@pytest.mark.parametrize(
    ("rare", "name"), [(1, "balanced_accuracy"), (2, "accuracy"), (10, "accuracy")]
)
def test_where_a_class_is_rare_the_balanced_accuracy_goes_first(rare, name):
    y = np.repeat([0, 1], [10, rare])
    data = dataset(np.zeros((len(y), 1)), y, ("often", "seldom"))
    assert compare_looks.metric_name(compare_looks.ComparisonView(), Comparison(), data) == name


def test_while_one_waits_the_earlier_comparison_is_greyed_even_if_it_has_other_scores(
    opened, monkeypatch
):
    at = opened(PAGE, data="iris", data__target="none")
    nothing_unasked = replace(limits.read({}), autorun_seconds=0.0)
    monkeypatch.setattr(limits, "current_limits", lambda: nothing_unasked)
    at.query_params |= {"methods": "pca~pca", "methods.0.n_components": "1"}
    at.run()
    no_faults(at)
    assert "Not started yet" in shown(at)
    assert '<div class="scores stale' in html(at)
    assert "Distortion" in html(at)
    for title in ("Pictures", "Several data sets", "Folds"):
        no_faults(tab(at, title))


def test_a_method_opens_on_its_own_page_with_its_settings(opened):
    at = opened(PAGE, **QUICK | {"methods": "lda~knn", "methods__1__n_neighbors": "7"})
    at = pressed(box(at, 1), "open.1")
    no_faults(at)
    held = at.session_state["mlscope"]
    assert held.here == "classification"
    assert (address(at)["method"], address(at)["method.n_neighbors"]) == ("knn", "7")
    assert "compare" not in address(at)


def test_every_method_that_is_offered_has_a_page():
    for family in ("classification", "regression", "clustering", "reduction"):
        for cls in entries(family).values():
            assert (ROOT / "pages" / f"{compare_methods.page_of(cls())}.py").is_file()


def test_pictures_are_those_of_the_methods_whatever_the_target_of_the_data():
    clusterings = Comparison(data="iris", methods=("kmeans", "kmeans"))
    assert compare_looks.pictures_of(clusterings) == (
        "cluster_map",
        "silhouette_bars",
    )
    with_a_tree = Comparison(data="iris", methods=("kmeans", "agglomerative"))
    assert "dendrogram" in compare_looks.pictures_of(with_a_tree)
    assert compare_looks.pictures_of(Comparison(data="iris"))[0] == "decision_regions"


def test_the_picture_of_most_methods_greets_and_the_others_say_in_a_line_why_not(opened):
    at = tab(opened(PAGE, data="blobs", methods="kmeans~agglomerative"), "Pictures")
    no_faults(at)
    assert address(at)["view.tab"] == "pictures"
    assert len(at.get("bidi_component")) >= 2  # clusters of both, though one has a tree
    at.query_params["view.picture"] = "dendrogram"
    no_faults(at.run())
    (line,) = [item.value for item in at.markdown if "gives nothing from which" in item.value]
    assert line.startswith("- **k-means** <small>stability")
