"""Rules about classes: never predicted, rarer than the folds, and what probabilities promise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import ndtr

from mlcore.runs.findings.finding import WARNING, Press, Statement, rule
from mlcore.runs.findings.flexibility import OPEN_CURVES
from mlcore.runs.findings.ran import Ran, small
from mlcore.runs.run import Run
from mlcore.spine.params import params_of
from mlcore.spine.registry import lookup
from mlcore.spine.wording import count, fixed, listed, percent, plural

# Of a class with m of n rows a rule that says it as often as it is there never says it with
# probability (1 - m/n)^n, about exp(-m): 5 % for 3 rows.
ROWS_OF_CLASS = 3
LEVEL = 0.01  # of the test of probabilities: it is asked after every run
# Mean confidence and accuracy that are nearer do not mislead; doubt where there need be none does
# less harm than trust where there should be none.
TOO_SURE, TOO_UNSURE = 0.03, 0.05
ROWS_OF_CALIBRATION = 50  # below, the normal approximation is rough


@rule(
    "never_predicted", WARNING, "Classes that are never predicted", "classification",
    source="He and Garcia (2009), IEEE Transactions on Knowledge and Data Engineering 21",
)  # fmt: skip
def never_predicted(ran: Ran) -> Statement | None:
    """Classes of three rows or more that no fold answers with."""
    test, y, classes = ran.test_rows, ran.dataset.y, ran.dataset.classes
    if test is None or y is None or len(np.unique(test.predictions)) < 2:
        return None  # one answer for all rows: what is said of the baseline says it
    there = np.bincount(y[test.rows].astype(int), minlength=len(classes))
    answers = np.bincount(test.predictions.astype(int), minlength=len(classes))
    silent = np.flatnonzero((there >= ROWS_OF_CLASS) & (answers[: len(classes)] == 0))
    if not len(silent):
        return None
    names = [f"{classes[k]} ({count(int(there[k]), 'row')})" for k in silent]
    sentence = (
        f"No test row is given the {plural(len(silent), 'class', 'classes')} {listed(names)}: "
        f"{plural(len(silent), 'all of its rows are', 'all of their rows are')} errors that "
        "accuracy hardly shows. Rows that weigh the same in every class make rare ones heard."
    )
    evidence = {"classes": len(silent), "rows": int(there[silent].sum())}
    return Statement(sentence, balanced(ran.run), evidence)


def balanced(run: Run) -> Press:
    """Weights of the method by class where it has them, else rows that are drawn evenly."""
    method = run.method
    if "class_weight" in params_of(type(method)) and method.class_weight == "none":
        weighted = replace(method, class_weight="balanced")
        return Press("Weight the classes evenly", run=replace(run, method=weighted))
    if any(step.card.name == "balancer" for step in run.preparation):
        return OPEN_CURVES
    step = lookup("preparation", "balancer")(method="oversample")
    return Press("Balance the classes", run=replace(run, preparation=(*run.preparation, step)))


@rule(
    "rare_class", WARNING, "A class with fewer rows than folds", "classification",
    source="Kohavi (1995), IJCAI 14",
)  # fmt: skip
def rare_class(ran: Ran) -> Statement | None:
    """Some folds leave out no row of a class, so their scores say nothing about it."""
    splitter, y = ran.run.evaluation, ran.dataset.y
    folds = splitter.n_splits if splitter.card.name == "k_fold" else 0
    if y is None or not folds:
        return None
    rows = np.bincount(y.astype(int), minlength=len(ran.dataset.classes))
    few = np.flatnonzero((rows > 0) & (rows < folds))
    if not len(few):
        return None
    names = [f"{ran.dataset.classes[k]} ({count(int(rows[k]), 'row')})" for k in few]
    least = int(rows[few].min())
    sentence = (
        f"{listed(names)} {plural(len(few), 'has', 'have')} fewer rows than the {folds} folds: "
        "some folds are scored without them, and a score by class rests on one row or none."
    )
    fewer = replace(ran.run, evaluation=replace(splitter, n_splits=max(least, 2)))
    press = (
        Press(f"Take {least} folds", run=fewer)
        if least >= 2
        else Press("Open Data and folds", tab="folds")
    )
    return Statement(sentence, press, {"rows": least, "folds": folds})


@rule(
    "calibration", WARNING, "Probabilities that promise too much or too little", "classification",
    source="Spiegelhalter (1986), Statistics in Medicine 5; Guo et al. (2017), ICML 34",
)  # fmt: skip
def calibration(ran: Ran) -> Statement | None:
    """Mean probability of the predicted class against the share that is right, on test rows.

    Were the probabilities right, the number of right rows would have the mean sum c and the
    variance sum c (1 - c): Z = (right - sum c) / sqrt(sum c (1 - c)).
    """
    test, y = ran.test_rows, ran.dataset.y
    if test is None or y is None or test.probabilities is None:
        return None
    if len(test.rows) < ROWS_OF_CALIBRATION:
        return None
    answers = test.predictions.astype(int)
    confidence = test.probabilities[np.arange(len(answers)), answers]
    right = answers == y[test.rows]
    # A probability of exactly 1 has no variance; half a row of doubt keeps the test defined.
    doubt = np.clip(confidence, 0.5 / len(answers), 1 - 0.5 / len(answers))
    z = float((right - confidence).sum() / np.sqrt((doubt * (1 - doubt)).sum()))
    p, off = float(2 * ndtr(-abs(z))), float(confidence.mean() - right.mean())
    if p >= LEVEL or -TOO_UNSURE < off < TOO_SURE:
        return None
    sentence = (
        f"The predicted class has a probability of {percent(float(confidence.mean()))} on "
        f"average, and {percent(float(right.mean()))} of the {count(len(answers), 'test row')} are "
        f"right (z = {fixed(z, 1)}, {small(p)}): the method is "
        + ("too sure. " if off > 0 else "not sure enough. ")
        + "Its decisions may be good all the same; costs and thresholds that are computed from its "
        "probabilities are off."
    )
    evidence = {"confidence": float(confidence.mean()), "accuracy": float(right.mean()), "z": z}
    return Statement(sentence, Press("Look at the calibration", view="reliability"), evidence)
