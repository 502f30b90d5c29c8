"""Steps that change rows, as a person meets them: beside the score, and refused in a sentence."""

from __future__ import annotations

from tests.pages.conftest import shown, unfold

STEPS = "impute~one_hot~standardise~"
TRAINED = (
    "Trained without the most remote rows and on balanced classes; scored on rows as they came."
)


def test_the_score_says_what_was_learned_from(opened):
    at = opened("classification", data="penguins", preparation=f"{STEPS}outlier_remover~balancer")
    assert not at.exception
    assert TRAINED in shown(at)


def test_clusters_of_resampled_rows_are_drawn(opened):
    at = opened("clustering", data="penguins", preparation=f"{STEPS}augmenter")
    assert not at.exception
    assert "fault in MLScope" not in shown(at)


def test_a_quantity_cannot_be_balanced_and_the_page_says_so(opened):
    at = opened("regression", data="diabetes", preparation=f"{STEPS}balancer")
    assert not at.exception
    assert "Class balancing needs classes; the target is a quantity." in shown(at)


def test_a_step_is_added_behind_the_others(opened):
    at = opened("preprocessing", data="penguins")
    assert not [b for b in at.button if str(b.key).startswith("add.")]
    at = unfold(at, "add")
    next(b for b in at.button if b.key == "add.balancer").click().run()
    steps = at.session_state["mlscope"].shared["preparation"]
    assert [step.card.name for step in steps] == [*STEPS.strip("~").split("~"), "balancer"]
