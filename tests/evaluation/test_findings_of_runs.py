"""What is worth a look after a run: each rule where it must speak, and where it must not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from mlcore.data.dataset import TableData
from mlcore.data.table import Table, coded, numeric
from mlcore.data.upload import Upload
from mlcore.evaluation.splits import KFold
from mlcore.evaluation.time_series_split import TimeSeriesSplit
from mlcore.runs import carry_tuning
from mlcore.runs.carry import carried_out
from mlcore.runs.findings import RULES, Finding, findings, findings_of_search
from mlcore.runs.findings.columns import inflation
from mlcore.runs.findings.leaking import autocorrelation
from mlcore.runs.findings.residuals import curve_of, fan_of
from mlcore.runs.run import Run
from mlcore.runs.tuning.search import GridSearch, RandomizedSearch
from mlcore.runs.tuning.tuning import Tuning
from mlcore.spine.iterate import returned
from mlcore.spine.registry import lookup

RNG = np.random.default_rng


def a_run(columns: dict[str, Any], method: Any, target: str | None = "y", **more: Any) -> Any:
    """A run on a table of these columns, and the table: texts are names, numbers numbers."""
    made = [
        coded(name, list(values)) if np.asarray(values).dtype.kind == "U" else numeric(name, values)
        for name, values in columns.items()
    ]
    table = Table.of(*made)
    roles = more.pop("roles", ())
    data = TableData(source=Upload.of(table.digest(), "made.csv"), target=target, roles=roles)
    return Run(data=data, method=method, **more), {table.digest(): table}


def found(columns: dict[str, Any], method: Any, **more: Any) -> dict[str, Finding]:
    """The findings of a run on such a table, by name."""
    return found_in(*a_run(columns, method, **more))


def found_in(run: Run, uploads: Any = None) -> dict[str, Finding]:
    outcome = carried_out(run, uploads)
    return {finding.name: finding for finding in findings(outcome, run.data.dataset(uploads))}


def after(finding: Finding, columns: dict[str, Any], **more: Any) -> dict[str, Finding]:
    """The findings of the run that its press leads to."""
    _, uploads = a_run(columns, finding.press.run.method, **more)
    return found_in(finding.press.run, uploads)


def knn(k: int) -> Any:
    return lookup("classification", "knn")(n_neighbors=k)


def line(n: int = 200, noise: float = 1.0, seed: int = 0) -> dict[str, np.ndarray]:
    """Two columns and a line with even noise: nothing is amiss."""
    rng = RNG(seed)
    a, b = rng.normal(size=(2, n))
    return {"a": a, "b": b, "y": 3 * a - 2 * b + noise * rng.normal(size=n)}


def classes(n: int = 200, apart: float = 1.5, seed: int = 0) -> dict[str, np.ndarray]:
    """Two normal classes with two columns."""
    rng = RNG(seed)
    k = np.arange(n) % 2
    X = rng.normal(size=(n, 2)) + apart * k[:, None]
    return {"a": X[:, 0], "b": X[:, 1], "y": np.where(k == 1, "yes", "no")}


# --- calm ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["linear_regression", "ridge"])
def test_nothing_is_said_of_a_line_with_even_noise(method):
    assert found(line(), method) == {}


@pytest.mark.parametrize("method", ["lda", "logistic", "qda"])
def test_nothing_is_said_of_two_normal_classes(method):
    assert found(classes(), method) == {}


@pytest.mark.parametrize(
    "link",
    ["iris:qda", "iris:lda", "wine:naive_bayes", "breast_cancer:knn", "iris:kmeans"],
)
def test_nothing_is_said_of_methods_that_suit_their_data(link):
    data, _, method = link.partition(":")
    assert found_in(Run(data=TableData(source=data), method=method)) == {}


def test_chance_alone_seldom_makes_a_rule_speak():
    """Of forty even lines hardly one is said to bend or to fan: the tests keep their level."""
    said = [found(line(n=80, seed=seed), "linear_regression") for seed in range(40)]
    spoken = [name for names in said for name in names]
    assert len(spoken) <= 2, spoken


def test_every_finding_names_its_source_and_is_tested_here():
    files = Path(__file__).parent.glob("test_findings_of_*.py")
    text = "".join(file.read_text(encoding="utf-8") for file in files)
    for rule in RULES:
        assert any(c.isdigit() for c in rule.source), rule.name
        assert text.count(f'"{rule.name}"') >= 2, f"{rule.name} must be said once, and once not"


# --- scores -------------------------------------------------------------------------------------


def noise_classes(n: int = 120) -> dict[str, np.ndarray]:
    rng = RNG(3)
    return {"a": rng.normal(size=n), "b": rng.normal(size=n), "y": rng.choice(["x", "z"], n)}


def test_noise_is_no_better_than_the_baseline_and_a_signal_is():
    finding = found(noise_classes(), "lda")["no_better_than_baseline"]
    assert finding.evidence["gain_low"] < 0
    assert finding.press.tab == "curves"
    assert "largest class" in finding.sentence
    assert "no_better_than_baseline" not in found(classes(), "lda")


def test_the_baseline_itself_is_not_told_that_it_is_no_better():
    assert "no_better_than_baseline" not in found(classes(), "constant")


def test_one_neighbour_overfits_noisy_classes_and_many_do_not():
    rows = classes(apart=0.7)
    finding = found(rows, knn(1))["overfitting"]
    assert finding.evidence["fitted"] == 1.0
    assert finding.evidence["gap_low"] > 0
    assert finding.evidence["lost"] == pytest.approx(
        (1 - finding.evidence["score"]) / (1 - 0.5), abs=1e-12
    )  # of the gain of a half that the training rows promise
    assert finding.press.run.method.n_neighbors == 2
    assert "overfitting" not in found(rows, knn(41))


def test_a_tree_is_made_smaller_and_a_penalty_stronger():
    rng = RNG(5)
    rows = {f"x{j}": rng.normal(size=60) for j in range(12)}
    rows["y"] = rows["x0"] + rng.normal(size=60)
    tree = found(rows, "regression_tree")["overfitting"]
    assert tree.press.run.method.max_leaf_nodes == 8
    net = lookup("regression", "kernel_ridge")(kernel="rbf", alpha=1e-4)
    ridge = found(rows, net)["overfitting"]
    assert ridge.press.run.method.alpha == pytest.approx(1e-3)


def test_a_forest_is_not_blamed_for_knowing_its_own_rows():
    assert "overfitting" not in found(classes(apart=0.7), "random_forest")


def weak_line(n: int = 6000) -> dict[str, np.ndarray]:
    rng = RNG(1)
    a = rng.normal(size=n)
    return {"a": a, "b": rng.normal(size=n), "y": 0.3 * a + rng.normal(size=n)}


def test_little_gained_on_the_training_rows_is_underfitting():
    finding = found(weak_line(), lookup("regression", "ridge")(alpha=100.0))["underfitting"]
    assert 0 < finding.evidence["gained"] < 0.1
    assert finding.press.run.method.alpha == pytest.approx(10.0)
    assert "underfitting" not in found(line(), "ridge")


def test_no_error_on_any_row_is_worth_a_look_and_one_error_is_not():
    rng = RNG(2)
    k = np.arange(200) % 2
    apart = {f"x{j}": rng.normal(size=200) + 2.6 * k for j in range(8)}
    apart["y"] = np.where(k == 1, "yes", "no")
    finding = found(apart, "lda")["perfect_scores"]
    assert finding.evidence == {"rows": 200}
    assert finding.press.tab == "explain"
    assert "perfect_scores" not in found(classes(), "lda")


# --- leaks --------------------------------------------------------------------------------------


def test_a_column_that_gives_the_target_away_is_left_out_at_one_press():
    rows = classes() | {"code": np.where(np.arange(200) % 2 == 1, 1.0, 0.0)}
    finding = found(rows, "decision_tree")["gives_away"]
    assert finding.evidence == {"accuracy": 1.0}
    assert finding.press.label == "Leave code out"
    assert dict(finding.press.run.data.roles)["code"] == "ignore"
    assert "gives_away" not in after(finding, rows)
    assert "perfect_scores" not in found(rows, "decision_tree")  # it is explained


def test_a_function_of_the_target_is_found_for_numbers():
    rows = line() | {"tax": 0.2 * line()["y"] + 1}
    assert found(rows, "linear_regression")["gives_away"].press.label == "Leave tax out"
    assert "gives_away" not in found(line(noise=0.1), "linear_regression")


def walk(n: int = 200) -> dict[str, np.ndarray]:
    rng = RNG(4)
    day = 20000.0 + np.arange(n)
    return {"a": rng.normal(size=n), "day": day, "y": np.cumsum(rng.normal(size=n))}


def test_rows_in_time_are_split_by_time_at_one_press():
    roles = (("day", "order"),)
    finding = found(walk(), "knn_regression", roles=roles)["time_overlap"]
    y = walk()["y"]
    assert finding.evidence["lag_1"] == pytest.approx(autocorrelation(y[:, None]))
    assert finding.evidence["share"] > 0.95
    assert isinstance(finding.press.run.evaluation, TimeSeriesSplit)
    assert "time_overlap" not in after(finding, walk(), roles=roles)


def test_rows_in_time_that_do_not_depend_on_each_other_may_be_shuffled():
    rows = line() | {"day": 20000.0 + np.arange(200)}
    assert "time_overlap" not in found(rows, "linear_regression", roles=(("day", "order"),))


def test_the_autocorrelation_is_that_of_the_textbook():
    assert autocorrelation(np.array([[1.0], [2.0], [3.0], [4.0]])) == pytest.approx(0.25)
    assert autocorrelation(np.ones((5, 1))) == 0.0


# --- classes ------------------------------------------------------------------------------------


def rare(n_rare: int = 8) -> dict[str, np.ndarray]:
    rng = RNG(6)
    names = np.array(["a"] * 90 + ["b"] * 90 + ["rare"] * n_rare)
    at = np.concatenate([np.zeros(90), np.full(90, 4.0), np.full(n_rare, 4.0)])
    return {"x": at + rng.normal(size=len(at)), "z": rng.normal(size=len(at)), "y": names}


def test_a_class_that_is_never_predicted_gets_equal_weight():
    svc = lookup("classification", "svc")(C=0.1)
    finding = found(rare(), svc)["never_predicted"]
    assert finding.evidence == {"classes": 1, "rows": 8}
    assert finding.press.run.method.class_weight == "balanced"
    balanced = found(rare(), "lda")["never_predicted"].press.run.preparation[-1]
    assert (balanced.card.name, balanced.method) == ("balancer", "oversample")
    assert "never_predicted" not in after(finding, rare())
    assert "never_predicted" not in found(classes(), "lda")


def test_a_class_of_two_rows_may_be_missed_by_chance():
    assert "never_predicted" not in found(rare(2), "lda")


def test_a_class_with_fewer_rows_than_folds_takes_fewer_folds():
    finding = found(rare(3), "lda")["rare_class"]
    assert finding.evidence == {"rows": 3, "folds": 5}
    assert finding.press.run.evaluation == KFold(n_splits=3)
    assert "rare_class" not in after(finding, rare(3))
    assert found(rare(1), "lda")["rare_class"].press.tab == "folds"
    assert "rare_class" not in found(rare(5), "lda")


def test_probabilities_that_are_too_sure_are_measured_and_shown():
    rng = RNG(8)
    rows = classes(n=400, apart=0.8)
    copies = {f"copy{j}": rows["a"] + 0.01 * rng.normal(size=400) for j in range(8)}
    finding = found(rows | copies, "naive_bayes")["calibration"]
    off = finding.evidence["confidence"] - finding.evidence["accuracy"]
    assert off > 0.03
    assert finding.evidence["z"] < -2.58
    assert "too sure" in finding.sentence
    assert finding.press.view == "reliability"
    assert "calibration" not in found(rows, "naive_bayes")


# --- residuals ----------------------------------------------------------------------------------


def bent(n: int = 200) -> dict[str, np.ndarray]:
    rng = RNG(9)
    a = rng.uniform(0, 3, size=n)
    return {"a": a, "b": rng.normal(size=n), "y": a**2 + 0.3 * rng.normal(size=n) - 2}


def fanned(n: int = 300) -> dict[str, np.ndarray]:
    rng = RNG(10)
    a = rng.uniform(1, 10, size=n)
    return {"a": a, "b": rng.normal(size=n), "y": 20 + 3 * a + a * rng.normal(size=n)}


def test_a_bend_is_seen_in_the_residuals_and_a_fan_is_not_taken_for_one():
    finding = found(bent(), "linear_regression")["curved_residuals"]
    assert finding.evidence["share"] > 0.3
    assert finding.press.view == "residuals"
    assert "curved_residuals" not in found(bent(), "knn_regression")
    assert "curved_residuals" not in found(fanned(), "linear_regression")


def test_a_fan_is_seen_and_a_bend_is_not_taken_for_one():
    finding = found(fanned(), "linear_regression")["fanning_residuals"]
    assert finding.evidence["ratio"] > 1.5 and "largest predictions" in finding.sentence
    assert "fanning_residuals" not in found(line(), "linear_regression")


def test_no_fan_is_told_of_a_method_that_expects_one():
    rows = fanned() | {"y": fanned()["y"] + 20.0}
    scaled = lookup("regression", "scaled_target")
    assert "fanning_residuals" in found(rows, scaled())
    for method in (scaled(logarithm=True), "quantile_regression"):
        assert "fanning_residuals" not in found(rows, method)


def test_the_tests_of_residuals_are_those_of_the_papers():
    rng = RNG(0)
    f, e = rng.normal(size=(2, 50))
    r = np.corrcoef(f, (e - e.mean()) ** 2)[0, 1]
    assert fan_of(f, e)[1] == pytest.approx(stats.chi2.sf(50 * r**2, 1))
    # Of an exact parabola the bend explains everything.
    share, p = curve_of(np.linspace(-1, 1, 21), np.linspace(-1, 1, 21) ** 2)
    assert share == pytest.approx(1.0)
    assert p < 1e-10
    assert curve_of(np.tile([0.0, 1.0], 10), rng.normal(size=20)) == (0.0, 1.0)


def test_negative_counts_lead_to_poisson_regression():
    rng = RNG(11)
    a = rng.normal(size=300)
    rows = {"a": a, "b": rng.normal(size=300), "y": rng.poisson(np.exp(0.2 + 1.1 * a)) * 1.0}
    finding = found(rows, "linear_regression")["impossible_predictions"]
    assert finding.evidence["rows"] >= 3
    assert finding.evidence["lowest"] < 0
    assert finding.press.run.method.card.name == "generalised_linear"
    said = after(finding, rows)
    assert "impossible_predictions" not in said
    assert "fanning_residuals" not in said  # its family expects a fan
    assert "impossible_predictions" not in found(line(), "linear_regression")


# --- columns ------------------------------------------------------------------------------------


def test_columns_that_follow_from_others_make_coefficients_unreadable():
    rows = line()
    rows = {"c": rows["a"] + 0.05 * RNG(2).normal(size=200)} | rows
    finding = found(rows, "linear_regression")["correlated_columns"]
    X = np.column_stack([rows[name] for name in ("c", "a", "b")])
    plain = np.diag(np.linalg.inv(np.corrcoef(X.T)))
    assert finding.evidence["factor"] == pytest.approx(plain.max() * (200 - 3) / 199, rel=1e-6)
    assert finding.evidence["columns"] == 2
    assert "correlated_columns" not in after(finding, rows)
    assert "correlated_columns" not in found(line(), "linear_regression")


def test_levels_beside_them_do_not_hide_columns_that_follow_from_others():
    """All levels of a column beside an intercept have infinite standard errors."""
    rows = {"c": line()["a"] + 0.05 * RNG(2).normal(size=200), "d": np.array(["u", "v"] * 100)}
    finding = found(rows | line(), "linear_regression", preparation=("one_hot",))[
        "correlated_columns"
    ]
    assert finding.evidence["columns"] == 2


def test_a_penalty_holds_correlated_columns_together():
    rows = line()
    rows = {"c": rows["a"] + 0.05 * RNG(2).normal(size=200)} | rows
    assert "correlated_columns" not in found(rows, "ridge")


def test_chance_inflates_nothing():
    """Adjusted, the factors of independent columns stay near 1 whatever their number."""
    factors, _ = inflation(RNG(0).normal(size=(60, 25)))
    assert factors.mean() < 1.2


def test_columns_that_add_nothing_are_left_out_at_one_press():
    rng = RNG(12)
    rows = line() | {"n1": rng.normal(size=200), "n2": rng.normal(size=200)}
    lasso = lookup("regression", "elastic_net")(alpha=0.5, l1_ratio=1.0)
    finding = found(rows, lasso)["useless_columns"]
    assert finding.press.label == "Leave 2 columns out"
    assert {name for name, role in finding.press.run.data.roles if role == "ignore"} == {"n1", "n2"}
    assert "useless_columns" not in after(finding, rows)
    assert "useless_columns" not in found(line(), lasso)


def test_shuffling_tells_which_columns_a_forest_does_not_need():
    rows = classes() | {"n1": RNG(0).normal(size=200)}
    forest = lookup("classification", "random_forest")(permutation=True)
    assert found(rows, forest)["useless_columns"].press.label == "Leave n1 out"


# --- groups -------------------------------------------------------------------------------------


def blobs(seed: int = 0) -> dict[str, np.ndarray]:
    rng = RNG(seed)
    at = np.repeat([0.0, 8.0, 16.0], 40)
    return {"a": at + rng.normal(size=120), "b": at % 16 + rng.normal(size=120)}


def groups(columns: dict[str, np.ndarray], method: Any) -> dict[str, Finding]:
    return found(columns, method, target=None)


def test_a_chain_that_holds_nearly_all_rows_is_told():
    rng = RNG(1)
    cloud = {"a": np.append(rng.normal(size=100), 30.0), "b": np.append(rng.normal(size=100), 30.0)}
    method = lookup("clustering", "agglomerative")(linkage="single")
    finding = groups(cloud, method)["one_cluster"]
    assert finding.evidence["share"] >= 0.95
    assert finding.press.run.method.linkage.card.name == "ward"
    assert "one_cluster" not in groups(blobs(), "kmeans")


def test_one_cluster_that_was_asked_for_is_no_news():
    assert "one_cluster" not in groups(blobs(), lookup("clustering", "kmeans")(n_clusters=1))


def test_mostly_noise_widens_the_neighbourhood():
    method = lookup("clustering", "dbscan")(eps=0.03)
    finding = groups(blobs(), method)["much_noise"]
    assert finding.evidence["noise"] > 0.5
    assert "much_noise" not in after(finding, blobs())
    assert "much_noise" not in groups(blobs(), lookup("clustering", "dbscan")(eps=0.5))


def test_one_press_reaches_the_rows_in_many_columns():
    """Distances grow with the columns: half as much again as the radius may reach nobody."""
    cloud = {f"x{j}": RNG(j).normal(size=200) for j in range(40)}
    finding = groups(cloud, lookup("clustering", "dbscan")())["much_noise"]
    assert finding.press.run.method.eps > 3
    assert "much_noise" not in after(finding, cloud)


def test_groups_in_one_cloud_are_hardly_apart():
    rng = RNG(2)
    cloud = {f"x{j}": rng.normal(size=300) for j in range(8)}
    finding = groups(cloud, lookup("clustering", "kmeans")(n_clusters=3))["no_structure"]
    assert finding.evidence["high"] < 0.25
    assert finding.press.tab == "count"
    assert "no_structure" not in groups(blobs(), lookup("clustering", "kmeans")(n_clusters=3))


# --- iterations ---------------------------------------------------------------------------------


def test_an_iteration_that_was_cut_off_gets_ten_times_as_many():
    method = lookup("classification", "logistic")(max_iter=2)
    finding = found(classes(), method)["not_converged"]
    assert finding.press.run.method.max_iter == 20
    assert finding.press.label == "Allow 20 iterations"
    assert "not_converged" not in after(finding, classes())


# --- searches -----------------------------------------------------------------------------------


def searched(values: str, search: Any = None) -> tuple[Finding, ...]:
    rng = RNG(0)
    X = rng.normal(size=(80, 30))
    rows = {f"x{j}": X[:, j] for j in range(30)}
    rows["y"] = X[:, :3].sum(axis=1) + 6 * rng.normal(size=80)
    run, uploads = a_run(rows, "ridge")
    search = search or GridSearch(over=(("method.alpha", values),))
    tuned = returned(carry_tuning.carry_out(Tuning.of(run, search), uploads))
    return findings_of_search(tuned, run.data.dataset(uploads))


def test_a_choice_at_the_edge_of_its_range_is_widened_beyond():
    (finding,) = searched("1, 10, 100")
    assert finding.name == "edge_of_range"
    assert finding.press.values == (("method.alpha", "1, 10, 100, 1000, 10000, 100000"),)
    assert finding.evidence["gain of alpha"] > 0


def test_a_choice_inside_its_range_or_on_a_plateau_is_left_alone():
    assert searched("0.1, 100, 1e6") == ()
    assert searched("1e-9, 1e-8, 1e-7") == ()  # all the same: at an edge by chance
    assert searched("", RandomizedSearch(n_candidates=5)) == ()


def test_repeats_of_the_same_folds_do_not_make_a_gain_sure():
    """Ten repeats know little more than one: of 80 rows each fold still leaves out 16, not 2."""
    over = (("method.alpha", "60, 80, 100"),)
    for repeats in (1, 10):
        inner = KFold(n_splits=5, n_repeats=repeats)
        assert searched("", GridSearch(over=over, inner=inner)) == ()


def test_warnings_stand_before_notes_and_the_gravest_first():
    rows = classes() | {"code": np.where(np.arange(200) % 2 == 1, 1.0, 0.0)}
    run, uploads = a_run(rows, lookup("classification", "logistic")(max_iter=1))
    outcome = carried_out(run, uploads)
    names = [finding.name for finding in findings(outcome, run.data.dataset(uploads))]
    assert names[0] == "gives_away"
    assert findings(replace(outcome, folds=()), run.data.dataset(uploads)) == ()
