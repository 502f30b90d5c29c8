"""An error about the rows of a class names the class as the data do, also from within."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

from mlcore.classification.logistic import LogisticRegression
from mlcore.classification.multiclass import Multiclass
from mlcore.classification.qda import QDA
from mlcore.data.dataset import Dataset, TableData
from mlcore.ensembles.bagging import Bagging
from mlcore.ensembles.stacking import Stacking
from mlcore.ensembles.voting import Voting
from mlcore.gaussian_process.gp_classification import GPClassifier
from mlcore.preparation.once import prepared_once
from mlcore.runs.carry import recording
from mlcore.runs.fitting import fit_prepared
from mlcore.runs.run import Run
from mlcore.spine.errors import CLASS, ClassError, ClassNote, DataError, naming
from mlcore.spine.wording import listed
from mlcore.svm.svc import SVC

NAMES = ("setosa", "versicolor", "virginica")
PLAIN = QDA(covariance="diagonal")


def flowers(weights: np.ndarray | None = None) -> Dataset:
    """The three species; no row of the second differs in its first column."""
    dataset = TableData(source="iris").dataset()
    X = dataset.X.copy()
    X[dataset.y == 1, 0] = 5.0
    return replace(dataset, X=X, classes=NAMES, weights=weights)


def refused(method, dataset: Dataset) -> str:
    """What a run says that fits the method to all rows."""
    rows = np.arange(dataset.n)
    prepared = prepared_once((), dataset, rows, 0)
    with pytest.raises(ClassError) as caught:
        fit_prepared(method, prepared, dataset, rows, 0)
    return str(caught.value)


@pytest.mark.parametrize(
    ("method", "begin"),
    [
        (PLAIN, "In class 'versicolor' a column"),
        (Bagging(estimator=PLAIN, bootstrap=False), "Member 1: In class 'versicolor' a column"),
        (Voting(estimators=(PLAIN, PLAIN)), "1 inside"),
        (
            Multiclass(estimator=PLAIN),
            "Rule 2, versicolor against setosa, virginica: In class 'versicolor' a column",
        ),
    ],
)
def test_a_column_that_does_not_vary_is_told_of_its_class(method, begin):
    told = refused(method, flowers())
    assert begin in told and "class 'versicolor' a column does not vary" in told


@pytest.mark.parametrize("method", [PLAIN, SVC(), Multiclass()])
def test_a_class_whose_rows_weigh_nothing_is_named(method):
    assert "class 'virginica'" in refused(method, flowers(np.repeat([1.0, 1.0, 0.0], 50)))


def test_the_side_of_a_rule_is_told_by_its_classes():
    """Within a rule the labels are its sides, which are no classes of the data."""
    X, y = flowers().X.copy(), np.repeat(["a", "b", "c"], 50)
    X[y != "a", 0] = 5.0
    with pytest.raises(ClassError, match="a against b, c: In classes 'b' and 'c' a column"):
        Multiclass(estimator=PLAIN).fit(X, y)


def test_labels_that_are_no_positions_stay_and_an_error_survives_another_process():
    for label in ("0", 7, 1.0):
        with pytest.raises(ClassError, match=f"class '{label}'"), naming(NAMES):
            raise ClassError("In ", [label], " nothing.")
    error = pickle.loads(pickle.dumps(ClassError("In ", [2], " nothing.").inside("Member 1")))
    assert str(error.named({2: ("virginica",)})) == "Member 1: In class 'virginica' nothing."


def test_a_place_among_classes_is_named_around_any_error():
    place = ClassNote(f"Rule 1, {CLASS} against {CLASS}", [0, 2])
    for error in (DataError("no room."), ClassError("in ", [2], ", no room.")):
        inside = pickle.loads(pickle.dumps(error.inside(place).inside("Member 3")))
        assert str(inside).startswith("Member 3: Rule 1, 0 against 2: ")
        with pytest.raises(ClassError) as caught, naming(NAMES):
            raise inside
        of = "no room." if type(error) is DataError else "in class 'virginica', no room."
        assert str(caught.value) == f"Member 3: Rule 1, setosa against virginica: {of}"


def test_notes_and_steps_name_classes_as_the_data_do():
    """Methods get codes, and a code is no word for a class in a sentence that somebody reads."""
    separable = LogisticRegression(penalty="none", max_iter=20)
    run = Run(data="iris", method=separable)
    (note,) = [n for n in recording(run)[0].fit.notes if "separated" in n]
    assert note.startswith("Of the classes, setosa exactly can be separated from all others")
    assert type(note) is str
    for method, begin in (
        (SVC(), "versicolor against setosa: "),
        (GPClassifier(learn="none"), "setosa against the rest: "),
        (Multiclass(estimator=PLAIN), "Rule 1, setosa against versicolor, virginica: "),
    ):
        assert recording(replace(run, method=method))[1][0].note.startswith(begin)


def test_labels_that_are_names_stay_in_a_note():
    note = ClassNote(f"{CLASS} against {CLASS}.", ["0", 1])
    assert note == "0 against 1." and note.named(NAMES) == "0 against versicolor."
    assert pickle.loads(pickle.dumps(note)).named(NAMES) == note.named(NAMES)
    many = ClassNote(f"Of {listed([CLASS] * 45)}.", range(45))
    assert many.named(NAMES) == "Of setosa, versicolor, virginica, 3 and 41 more."


def test_columns_that_end_with_a_class_are_told_by_its_name():
    before, after = "In ", ": Trees: 1, Trees: 10 and Trees: 1."
    places = {f"Trees: {k}": k for k in range(11)}
    names = [f"kind {chr(97 + k)}" for k in range(11)]
    told = "Trees: kind b, Trees: kind k and Trees: kind b."
    for error in (ClassError(before, (0,), after), DataError(f"No{after}")):
        with pytest.raises(ClassError) as caught, naming(names):
            raise error.telling(places).inside("Inside")
        assert str(caught.value).startswith("Inside: ") and str(caught.value).endswith(told)
    plain = DataError("Nothing of them.")
    assert plain.telling(places) is plain


def test_a_column_of_stacking_is_told_by_its_class():
    told = refused(Stacking(estimators=("naive_bayes", "decision_tree"), final=PLAIN), flowers())
    assert told.startswith("The final classifier of stacking: In class 'setosa' a column")
    assert "Decision tree: " in told and not any(f": {k}" in told for k in range(3))
