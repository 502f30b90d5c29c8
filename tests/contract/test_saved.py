"""Every fit as a file: read back it says the same to the last bit, and no bytes do any harm."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given as tried
from hypothesis import settings
from hypothesis import strategies as st

from mlcore.__main__ import main
from mlcore.data.dataset import TableData
from mlcore.data.importing import read as imported
from mlcore.data.upload import Upload
from mlcore.distances.metrics import Frame
from mlcore.preparation.chain import prepare
from mlcore.runs import saved
from mlcore.runs.carry import carried_out
from mlcore.runs.run import Run
from mlcore.spine.errors import FileError, MlcoreError
from mlcore.spine.fit import Fit
from mlcore.spine.method import Method
from mlcore.spine.packing import Packing, Unpacking, field_names
from mlcore.spine.registry import entries, lookup
from tests.contract.subjects import arrays, fitted, given_to, is_sentence, methods, same, verbs
from tests.preparation.stands import takes_any_table
from tests.preparation.test_contract import COLUMNS, mixed


def model(fit: Fit, preparation: tuple[Fit, ...] = ()) -> saved.Model:
    """A fit as it would be taken away."""
    method = fit.made_by if "method" in getattr(fit.made_by.card, "kind", "") else "pca"
    run = Run(method=method if preparation == () else "pca")
    columns = preparation[0].columns if preparation else fit.columns
    return saved.Model(
        run=run, columns=columns, target="", classes=("a", "b", "c"), preparation=preparation,
        fit=fit, versions=(),
    )  # fmt: skip


def has_frame(method: Method) -> bool:
    """Whether what it is fitted to keeps the space of a distance."""
    return "frame" in field_names(method.fit_class())


def there_and_back(it: saved.Model) -> saved.Model:
    return saved.read(saved.written(it))


@pytest.mark.parametrize("subject", methods(), ids=str)
def test_a_fit_read_back_says_the_same_to_the_last_bit(subject):
    fit, new = fitted(subject.cls()), given_to(subject.cls).new
    back = there_and_back(model(fit)).fit
    assert type(back) is type(fit)
    assert back.made_by == fit.made_by
    assert (back.columns, back.n_iter, back.stop) == (fit.columns, fit.n_iter, fit.stop)
    same(fit, back)
    assert all(not values.flags.writeable for _, values in arrays(back))
    for verb in verbs(fit):
        np.testing.assert_array_equal(getattr(back, verb)(new), getattr(fit, verb)(new), verb)


@pytest.mark.parametrize("subject", [m for m in methods() if has_frame(m.cls())], ids=str)
def test_a_space_of_other_columns_does_not_hold_together(subject):
    fit = fitted(subject.cls())
    other = Frame(axes=np.eye(fit.n_columns + 1))
    assert fit.holds_together() and not replace(fit, frame=other).holds_together()


@pytest.mark.parametrize("name", entries("preparation"))
def test_a_preparation_read_back_prepares_the_same(name):
    step = entries("preparation")[name]()
    X, y = mixed(), np.arange(60) % 3
    before = () if takes_any_table(step) else ("impute", "one_hot", "standardise")
    steps = (*(entries("preparation")[other]() for other in before), step)
    prepared = prepare(steps, X, y, COLUMNS, 1)
    fit = fitted(next(iter(entries("reduction").values()))())
    back = there_and_back(model(fit, prepared.fits))
    np.testing.assert_array_equal(back.rows(mixed(seed=1)), prepared.transform(mixed(seed=1)))
    assert back.preparation[-1].out_columns == prepared.columns  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def penguins(tmp_path_factory) -> tuple[saved.Model, bytes, Path]:
    """A model of a mixed table with missing values, its bytes, and the table as a file."""
    run = Run(data="penguins", method="logistic", evaluation="hold_out")
    outcome, dataset = carried_out(run), run.data.dataset()
    table = tmp_path_factory.mktemp("penguins") / "penguins.csv"
    table.write_text(dataset.table.to_csv())
    it = saved.model_of(outcome, dataset)
    return it, saved.written(it), table


def test_raw_rows_are_predicted_from_a_file(penguins, tmp_path, capsys):
    it, content, table = penguins
    path = tmp_path / "model.zip"
    path.write_bytes(content)
    assert main(["predict", str(path), str(table)]) == 0
    printed = capsys.readouterr()
    lines, dataset = printed.out.splitlines(), it.run.data.dataset()
    assert printed.err.startswith(f"run {it.run.digest()}, seed 0, mlcore ")
    assert lines[0].startswith("row,predicted species,probability of Adelie")
    P = it.fit.probabilities(it.rows(dataset.X))  # type: ignore[attr-defined]
    rows = [line.split(",") for line in lines[1:]]
    assert len(rows) == dataset.table.n_rows
    said = np.array([[float(v) for v in row[2:]] for row in rows])[dataset.rows]
    np.testing.assert_array_equal(said, P)
    names = [dataset.classes[int(k)] for k in it.predict(dataset.X)]
    assert [rows[i][1] for i in dataset.rows] == names


def test_columns_are_found_by_name_and_strange_levels_are_named(penguins, tmp_path, capsys):
    _, content, table = penguins
    model_path, path = tmp_path / "model.zip", tmp_path / "new.csv"
    model_path.write_bytes(content)
    head, *lines = table.read_text().splitlines()
    names = head.split(",")
    at = names.index("island")
    path.write_text("\n".join([head, *lines]).replace("island", "isle"))
    assert main(["predict", str(model_path), str(path)]) == 1
    assert "has no column 'island'" in capsys.readouterr().err
    row = lines[0].split(",")
    row[at] = "Atlantis"
    path.write_text("\n".join([head, ",".join(row), *lines[1:]]))
    assert main(["predict", str(model_path), str(path)]) == 1
    assert "Row 1 has 'Atlantis' in column island" in capsys.readouterr().err


def test_a_model_of_a_brought_table_needs_no_table(tmp_path):
    text = "a,b,c\n" + "\n".join(f"{i}.5,{(i * 7) % 11}.25,{'xy'[i % 2]}" for i in range(40))
    table = imported(text.encode(), "mine.csv").table
    held = {table.digest(): table}
    run = Run(data=TableData(source=Upload(digest=table.digest()), target="c"), method="lda")
    outcome, dataset = carried_out(run, held), run.data.dataset(held)
    back = there_and_back(saved.model_of(outcome, dataset))
    said = back.outputs_of(table)
    whole = outcome.whole
    P = whole.fit.probabilities(whole.prepared.transform(dataset.X))
    np.testing.assert_array_equal(said["probability of x"], P[:, 0])


def test_groups_and_coordinates_are_said_too():
    for name, column in (("kmeans", "group"), ("pca", "PC1")):
        run = Run(data="iris", method=name, evaluation="hold_out")
        outcome, dataset = carried_out(run), run.data.dataset()
        said = there_and_back(saved.model_of(outcome, dataset)).outputs_of(dataset.table)
        assert column in said, list(said)


def changed(content: bytes, **members: bytes) -> bytes:
    """The archive with some of its files replaced."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            new.writestr(name, members.get(name.replace(".", "_"), old.read(name)))
    return out.getvalue()


def document(content: bytes) -> dict:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return json.loads(archive.read("model.json"))


def refused(content: bytes) -> str:
    with pytest.raises(FileError) as error:
        saved.read(content)
    assert is_sentence(str(error.value)), str(error.value)
    return str(error.value)


def test_what_is_no_model_is_a_sentence(penguins):
    content = penguins[1]
    for wrong in (b"", b"nonsense", content[:-200], content[200:], b"PK\x03\x04" + content[4:90]):
        refused(wrong)
    assert "cannot be read as JSON" in refused(changed(content, model_json=b"{"))
    assert "format 2" in refused(changed(content, model_json=b'{"format": 2, "model": {}}'))
    refused(changed(content, arrays_npz=b"PK"))


def test_no_class_is_made_that_no_method_declares(penguins):
    """A file cannot name what is made: other names in it are refused, and nothing is imported."""
    content = penguins[1]
    said = document(content)
    said["model"]["fit"] = {"class": "os:system", "fields": {"command": "true"}}
    refused(changed(content, model_json=json.dumps(said).encode()))
    said["model"]["fit"] = {"fit": {"made_by": {"part": {"use": "k_fold"}, "slot": "splits"}}}
    assert "which method made it" in refused(changed(content, model_json=json.dumps(said).encode()))
    said["model"]["fit"] = {"fit": {"made_by": {"part": {"use": "lda"}, "slot": "method"}}}
    assert "has the fields" in refused(changed(content, model_json=json.dumps(said).encode()))


def test_a_model_of_before_a_setting_or_a_field_is_read(penguins):
    """What came later has the default that it came with; what has none is asked for."""
    content = penguins[1]
    said = document(content)
    for record, name in ((said["model"], "new_rows"), (said["model"]["fit"]["fit"], "notes")):
        record.pop(name)
    said["model"]["fit"]["fit"]["made_by"]["part"].pop("max_iter")
    back = saved.read(changed(content, model_json=json.dumps(said).encode()))
    assert back.fit.made_by == penguins[0].fit.made_by
    rows = imported(penguins[2].read_bytes(), "penguins.csv").table
    told, wanted = back.outputs_of(rows), penguins[0].outputs_of(rows)
    assert all(np.array_equal(told[name], wanted[name]) for name in wanted)
    said["model"]["fit"]["fit"].pop("coefficients")
    assert "has the fields" in refused(changed(content, model_json=json.dumps(said).encode()))


def test_an_array_of_objects_is_refused(penguins):
    content = penguins[1]
    out = io.BytesIO()
    np.savez(out, a0=np.array([{"x": 1}], dtype=object))
    assert "an array in it" in refused(changed(content, arrays_npz=out.getvalue()))


def arrays_of(content: bytes) -> dict[str, np.ndarray]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return dict(np.load(io.BytesIO(archive.read("arrays.npz")), allow_pickle=False))


def with_array(content: bytes, name: str, array: np.ndarray) -> bytes:
    out = io.BytesIO()
    np.savez(out, **arrays_of(content) | {name: array})  # type: ignore[arg-type]
    return changed(content, arrays_npz=out.getvalue())


def place_of(content: bytes, *names: str) -> str:
    """The name of the array in a field of the fit."""
    said = document(content)["model"]["fit"]["fit"]
    for name in names:
        said = said[name].get("fields", said[name])
    return said["array"]


# Compiled loops have no bounds check: what would lead them out of their arrays is refused.
OUT_OF_BOUNDS = [
    ("decision_tree", ("tree", "left"), lambda left: np.where(left >= 0, 10**6, left)),
    ("decision_tree", ("tree", "left"), np.zeros_like),  # a walk without end
    ("decision_tree", ("tree", "feature"), lambda feature: feature + 1000),
    ("decision_tree", ("tree", "cut"), lambda cut: cut[:1]),
    ("regression_tree", ("tree", "n_levels"), lambda n: n + 5),
    ("gradient_boosting", ("trees", "left"), lambda left: np.where(left >= 0, 10**6, left)),
    ("gradient_boosting", ("trees", "feature"), lambda feature: feature + 1000),
    ("gradient_boosting", ("trees", "roots"), lambda roots: roots[:, :1]),
    ("gradient_boosting_regression", ("trees", "roots"), lambda roots: roots + 10**6),
    ("knn", ("stored",), lambda rows: rows[:, :1]),
    ("knn", ("stored",), lambda rows: rows[:3]),
    ("knn_regression", ("target",), lambda target: target[:2]),
    ("kmeans", ("centers",), lambda centers: centers[:, :2]),
    ("kmeans", ("centers",), lambda centers: centers[:0]),
    ("naive_bayes", ("numeric",), lambda at: at + 50),
    ("mlp_classifier", ("theta",), lambda theta: theta[:-1]),
    ("mlp_regressor", ("theta",), lambda theta: theta * np.inf),
    ("naive_bayes", ("distributions", "means"), lambda means: means[:1]),
]


@pytest.mark.parametrize(("name", "place", "spoil"), OUT_OF_BOUNDS)
def test_numbers_that_would_lead_a_loop_out_of_its_arrays_are_refused(name, place, spoil):
    content = saved.written(model(fitted(entries("method")[name]())))
    at = place_of(content, *place)
    spoilt = with_array(content, at, spoil(arrays_of(content)[at]))
    assert "do not belong together" in refused(spoilt)


def test_an_array_that_claims_to_be_huge_takes_no_memory(penguins):
    content = penguins[1]
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        head, {"descr": "<f8", "fortran_order": False, "shape": (10**12,)}
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a0.npy", head.getvalue() + b"12345678")
    assert "not what it says it is" in refused(changed(content, arrays_npz=out.getvalue()))


def test_too_much_is_refused_before_it_is_unpacked(penguins, monkeypatch):
    monkeypatch.setattr(saved, "MAX_BYTES", 1000)
    assert "at most" in refused(penguins[1])


def problem(content: bytes) -> str:
    """What is wrong with a file, if anything is."""
    try:
        saved.read(content)
    except FileError as error:
        return str(error)
    return ""


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=3)
    | st.sampled_from([{"array": "a0"}, {"scalar": "a1"}, {"number": "nan"}]),
    lambda inner: st.lists(inner, max_size=3)
    | st.fixed_dictionaries({"fields": st.dictionaries(st.text(max_size=3), inner, max_size=2)})
    | st.fixed_dictionaries({"fit": st.dictionaries(st.text(max_size=3), inner, max_size=2)}),
    max_leaves=6,
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@tried(st.data())
def test_any_change_of_the_document_gives_a_model_or_a_sentence(penguins, data):
    content = penguins[1]
    said = document(content)
    place = said["model"]["fit"]["fit"] if data.draw(st.booleans()) else said["model"]
    place[data.draw(st.sampled_from(sorted(place)))] = data.draw(VALUES)
    if sentence := problem(changed(content, model_json=json.dumps(said).encode())):
        assert is_sentence(sentence), sentence


def test_a_fit_that_cannot_be_saved_says_so():
    X = np.random.default_rng(0).normal(size=(20, 2))
    fit = entries("classification")["lda"]().fit(X, np.array(["a", "b"] * 10, dtype=object))  # type: ignore[attr-defined]
    assert isinstance(fit.made_by, Method)
    with pytest.raises(MlcoreError, match="texts or whole numbers"):
        saved.written(model(fit))


BEFORE_DISTANCES = {
    "mds": {}, "mds metric": {"kind": "metric"}, "tsne": {"max_iter": 20}, "isomap": {}, "lle": {},
    "laplacian_eigenmaps": {}, "umap": {"n_epochs": 10},
}  # fmt: skip


@pytest.mark.parametrize("name", BEFORE_DISTANCES)
def test_a_map_of_before_it_had_a_distance_measured_in_straight_lines(name):
    method = lookup("reduction", name.split()[0])(**BEFORE_DISTANCES[name])
    fit = method.fit(np.random.default_rng(0).normal(size=(40, 3)))
    packing = Packing()
    said = packing.plain(fit)
    del said["fit"]["frame"]
    back = Unpacking(packing.arrays).value(said)
    assert (back.frame.power, back.frame.axes, back.frame.unit_rows) == (2.0, None, False)
    same(back, fit)
