"""The members of an ensemble in the sidebar: added, set, moved, removed."""

from __future__ import annotations

import streamlit as st

from tests.pages.conftest import address, shown, unfold

PLACE = "method.voting.estimators"


def pressed(at, key):
    at = next(b for b in at.button if b.key == key).click().run()
    assert not at.exception
    return at


def members(at):
    return at.session_state["mlscope"].states["classification"].run.method.estimators


def voting(opened, **more):
    return opened("classification", data="iris", method="voting", **more)


def test_each_member_has_settings_of_its_own(opened):
    at = unfold(voting(opened, method__estimators="knn~lda~knn"), f"{PLACE}.2.box")
    slider = next(s for s in at.select_slider if "neighbours" in s.label.lower())
    at = slider.set_value(4).run()
    assert not at.exception
    assert [getattr(m, "n_neighbors", None) for m in members(at)] == [10, None, 4]
    assert address(at)["method.estimators.2.n_neighbors"] == "4"


def test_members_are_added_moved_copied_and_removed(opened):
    at = unfold(voting(opened, method__weights="3~2~1"), f"{PLACE}.add")
    at = pressed(at, f"{PLACE}.add.knn")
    assert address(at)["method.estimators"] == "logistic~naive_bayes~decision_tree~knn"
    assert address(at)["method.weights"] == "3.0~2.0~1.0~1.0"  # the new one counts once
    for name, left, weights in (
        ("earlier", "naive_bayes~logistic~decision_tree~knn", "2.0~3.0~1.0~1.0"),
        ("duplicate", "naive_bayes~logistic~logistic~decision_tree~knn", "2.0~3.0~3.0~1.0~1.0"),
        ("remove", "naive_bayes~logistic~decision_tree~knn", "2.0~3.0~1.0~1.0"),
    ):
        at = pressed(unfold(at, f"{PLACE}.1.box"), f"{PLACE}.1.{name}")
        assert address(at)["method.estimators"] == left
        assert address(at)["method.weights"] == weights


def test_what_contradicts_the_other_settings_is_refused_in_a_sentence(opened, monkeypatch):
    said: list[str] = []
    monkeypatch.setattr(st, "toast", said.append)
    at = unfold(voting(opened), f"{PLACE}.add")
    at = pressed(at, f"{PLACE}.add.perceptron")
    assert len(members(at)) == 3
    assert "which Perceptron does not give" in said[0]


def test_the_last_member_stays(opened):
    at = unfold(voting(opened, method__estimators="lda"), f"{PLACE}.0.box")
    assert next(b for b in at.button if b.key == f"{PLACE}.0.remove").disabled
    assert "**Classifiers** <small>1</small>" in shown(at)


def test_members_inside_members(opened):
    at = voting(opened, method__estimators="voting~lda")
    inner = f"{PLACE}.0.voting.estimators"
    at = unfold(at, f"{PLACE}.0.box", f"{inner}.1.box")
    at = pressed(at, f"{inner}.1.remove")
    assert [m.card.name for m in members(at)[0].estimators] == ["logistic", "decision_tree"]
