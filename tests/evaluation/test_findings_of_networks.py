"""What is told of networks that learn nothing."""

from __future__ import annotations

from mlcore.spine.registry import lookup
from tests.evaluation.test_findings_of_runs import classes, found


def test_a_method_that_says_what_the_baseline_says_is_told_so():
    """A network whose weights all begin at 0 answers with the shares of the classes."""
    network = lookup("classification", "mlp_classifier")(init="zeros", max_epochs=2)
    finding = found(classes(n=60), network)["no_better_than_baseline"]
    assert "scores just as the baseline does, in 5 folds." in finding.sentence
