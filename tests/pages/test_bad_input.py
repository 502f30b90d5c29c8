"""Links that ask for too much or the impossible, and tables that are large or odd."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.spine.registry import entries
from tests.pages.conftest import address, shown, unfold


def whole(at) -> str:
    """The words of a page that has no exception on it."""
    assert not at.exception, at.exception[0].message
    return shown(at)


@pytest.mark.parametrize(
    ("page", "pairs", "says"),
    [
        (
            "clustering",
            {"data": "blobs", "data__source__n_samples": "1000000000"},
            "at most 200000",
        ),
        ("clustering", {"evaluation__n_repeats": "1000000000"}, "n_repeats must be at most"),
        (
            "clustering",
            {"evaluation": "k_fold", "evaluation__n_splits": "1000000000"},
            "folds need",
        ),
        ("clustering", {"evaluation": "k_fold", "evaluation__n_splits": "151"}, "Take at most 150"),
        ("clustering", {"method__n_clusters": "151"}, "151 clusters need at least 151 rows"),
        ("clustering", {"method__n_init": "1000000000"}, "n_init must be at most"),
        ("clustering", {"method__tol": "nan"}, "tol must be finite"),
        ("clustering", {"seed": "-1"}, "seed must be at least 0"),
        ("clustering", {"seed": "9" * 30}, "seed must be at most"),
        ("clustering", {"preparation": "~".join(["standardise"] * 400)}, "0 to 10 parts"),
        ("clustering", {"preparation": "impute~nope"}, "no preparation entry called 'nope'"),
        ("clustering", {"data__drop": "everything"}, "incomplete, duplicates"),
        ("clustering", {"data__roles": "species:king"}, "data.roles must give"),
        ("clustering", {"data__kinds": "species:number"}, "cannot become number"),
        (
            "clustering",
            {"data__roles": "sepal_length_cm:group~sepal_width_cm:group"},
            "Only one column",
        ),
        ("clustering", {"view__step": "-3"}, "step must be at least -1"),
        ("clustering", {"view__nothing": "1"}, "belongs to nothing"),
        ("clustering", {"x": "y" * 70_000}, "at most 64 KB"),
        ("clustering", {"data": "upload", "data__source__digest": "zz"}, "64 hexadecimal digits"),
        ("regression", {"data": "diabetes", "method__alpha": "-inf"}, "alpha must be finite"),
        ("regression", {"data": "diabetes", "method": "kmeans"}, "belongs to another page"),
        ("classification", {"data__target": "sepal_length_cm"}, "predicts classes"),
        ("classification", {"data__target": "none"}, "learns from a target"),
        ("data", {"data": "irsi"}, "Did you mean 'iris'?"),
        ("data", {"data": "moons", "data__source__noise": "1e9"}, "noise must be at most"),
        ("preprocessing", {"preparation__0__strategy": "guess"}, "strategy must be one of"),
    ],
)
def test_a_link_that_cannot_be_followed_says_so_and_the_rest_is_shown(opened, page, pairs, says):
    at = opened(page, **({"data": "iris"} | pairs))
    assert says in whole(at)
    asked = pairs.get("data", "iris")
    assert address(at)["data"] == ("penguins" if asked == "irsi" or "x" in pairs else asked)


@pytest.mark.parametrize("page", ["classification", "preprocessing", "data", "compare"])
def test_a_damaged_name_of_a_table_is_told_once(opened, page):
    at = opened(page, data="upload", data__source__digest="f00")
    assert not at.exception and not at.warning
    (error,) = at.error
    assert error.value == (
        "Uploaded table: digest must be 64 hexadecimal digits.\n\n"
        "So there is no table to look for: bring it again."
    )


def test_a_link_is_shown_letter_by_letter(opened):
    at = opened("clustering", data="iris", method="[click](http://a.bc) <b>x</b> $y$")
    (warning,) = at.warning
    assert r"\[click\](" in warning.value
    assert r"\<b\>x\</b\> \$y\$" in warning.value
    assert "http://a.bc" not in warning.value, "an address by itself would become a link"


def test_too_many_folds_typed_in_are_refused_and_can_be_taken_back(opened):
    at = unfold(opened("clustering", data="iris"), "left-out")
    folds = next(box for box in at.sidebar.number_input if box.label.startswith("Folds"))
    folds.set_value(400).run()
    assert "Take at most 150" in whole(at)
    folds = next(box for box in at.sidebar.number_input if box.label.startswith("Folds"))
    folds.set_value(4).run()
    assert "Take at most" not in whole(at)
    assert len(at.session_state["last.clustering"].folds) == 4


def test_a_number_beyond_its_limits_is_answered_and_the_value_stays(opened):
    at = opened("clustering", data="iris", method="kmeans")
    box = at.sidebar.number_input[0]
    box.set_value(-5).run()
    (error,) = at.sidebar.error
    assert error.value == "Number of clusters $K$ must be at least 1, not -5. It stays 3."
    assert at.session_state["mlscope"].states["clustering"].run.method.n_clusters == 3
    assert at.sidebar.number_input[0].value == -5, "what was typed is there to be mended"
    at.sidebar.number_input[0].set_value(4).run()
    assert not at.sidebar.error
    assert at.session_state["mlscope"].states["clustering"].run.method.n_clusters == 4


def test_a_number_just_beyond_its_limit_is_told_with_all_its_digits(opened):
    at = opened("kernels", data="iris", method="nu_svc")
    box = next(b for b in at.sidebar.number_input if "method.nu" in str(b.key))
    box.set_value(1.00001).run()
    (error,) = at.sidebar.error
    assert "must be at most 1, not 1.00001. It stays 0." in error.value


def test_what_was_refused_is_forgotten_with_the_box_that_showed_it(opened):
    """The box comes back with the value: an answer to a number that is no longer there is none."""
    at = opened("kernels", data="iris", method="svc", method__kernel="polynomial")

    def degree():
        return next(b for b in at.sidebar.number_input if ".polynomial.degree." in str(b.key))

    degree().set_value(-1).run()
    assert len(at.sidebar.error) == 1
    for other in ("Linear", "Polynomial"):
        next(b for b in at.sidebar.selectbox if b.label == "Kernel").select(other).run()
    assert degree().value > 0
    assert not at.sidebar.error


def test_former_results_are_not_shown_for_other_data(opened, monkeypatch):
    """What waits for Run shows the results of earlier settings, but only on the same rows."""
    at = opened("clustering", data="wine")
    assert "last.clustering" in at.session_state
    at.query_params["data"] = "blobs"
    at.query_params["data.source.n_samples"] = "100000"
    at.query_params["method.n_init"] = "200"
    at.run()
    assert "Not started yet" in whole(at)
    assert not at.tabs, "no picture and no score of the wine"


@pytest.mark.slow
def test_every_method_shows_its_score_and_pictures(opened):
    slots = {
        "reduction": ("dimensionality_reduction", "wine"),
        "clustering": ("clustering", "wine"),
        "classification": ("classification", "wine"),
        "regression": ("regression", "diabetes"),
    }
    for slot, (page, data) in slots.items():
        for name in entries(slot):
            # One fold shows all there is to draw of a method; pages of five are opened elsewhere.
            at = opened(page, data=data, method=name, evaluation="hold_out")
            assert "could not be drawn" not in whole(at), name
            assert at.session_state[f"last.{page}"].run.method.card.name == name
            assert not at.error, name


def table(n: int, columns: dict[str, np.ndarray]) -> bytes:
    """A CSV file of n rows."""
    names = ",".join(columns)
    rows = zip(*(column[:n] for column in columns.values()), strict=True)
    return "\n".join([names, *(",".join(map(str, row)) for row in rows)]).encode()


def uploaded(opened, content: bytes):
    """The Data page with this table."""
    at = opened("data", data="iris")
    at.session_state["door"] = "Upload"
    at.run()
    at.file_uploader[0].set_value(("big.csv", content, "text/csv")).run()
    whole(at)
    return at


def followed(at, page: str) -> str:
    """The words of another page with the same data, started by hand where it waits for that."""
    at.query_params.clear()
    at.switch_page(f"pages/{page}.py").run(timeout=120)
    for button in [item for item in at.button if item.label == "Run"]:
        button.click().run(timeout=120)
    said = whole(at)
    assert "could not be drawn" not in said
    assert not at.error, [error.value for error in at.error]
    return said


@pytest.mark.slow
def test_a_hundred_thousand_rows(opened):
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(3, 9)) * 4
    label = rng.integers(0, 3, 100_000)
    X = (centers[label] + rng.normal(size=(100_000, 9))).round(3)
    columns = {f"x{j}": X[:, j] for j in range(9)} | {"label": np.array(list("abc"))[label]}
    at = uploaded(opened, table(100_000, columns))
    assert "100,000 rows" in shown(at)
    for page in ("dimensionality_reduction", "classification", "clustering", "preprocessing"):
        followed(at, page)
    for page in ("dimensionality_reduction", "classification", "clustering"):
        assert len(at.session_state[f"last.{page}"].done) == 5


@pytest.mark.slow
def test_three_hundred_columns(opened):
    rng = np.random.default_rng(0)
    columns = {f"x{j}": rng.normal(size=150).round(3) for j in range(299)}
    columns["label"] = np.array(["a", "b"])[rng.integers(0, 2, 150)]
    at = uploaded(opened, table(150, columns))
    for page in ("data", "dimensionality_reduction", "classification", "clustering"):
        followed(at, page)
    for tab in ("column_profiles", "correlation_map", "scatter_pairs", "parallel_coordinates"):
        at.switch_page("pages/data.py")
        at.session_state["data.tab"] = tab
        at.run(timeout=120)
        assert "could not be drawn" not in whole(at)


@pytest.mark.slow
def test_fifty_thousand_rows_with_texts_and_dates(opened):
    n = 50_000
    rng = np.random.default_rng(0)
    columns = {
        "when": np.datetime64("1990-01-01") + np.arange(n) % 9000,
        "comment": np.array([f"note {i} of {i % 89} words" for i in range(n)]),
        "kind": np.array(["red", "green", "blue"])[rng.integers(0, 3, n)],
        "value": rng.normal(size=n).round(3),
        "label": np.array(["a", "b"])[rng.integers(0, 2, n)],
    }
    at = uploaded(opened, table(n, columns))
    assert "50,000 rows" in shown(at)
    for page in ("classification", "clustering", "preprocessing"):
        said = followed(at, page)
        assert "comment" not in said.split("The method gets")[-1][:200]


def test_a_target_of_thousands_of_texts_is_explained(opened):
    n = 5000
    rng = np.random.default_rng(0)
    columns = {
        "name": np.array([f"name {i * 7919 % n}" for i in range(n)]),
        "a": rng.normal(size=n).round(3),
        "b": rng.normal(size=n).round(3),
    }
    at = uploaded(opened, table(n, columns))
    at.query_params["data.target"] = "name"
    at.run()
    whole(at)
    at.query_params.clear()
    at.switch_page("pages/classification.py").run()
    assert "Column name cannot be predicted" in whole(at)
