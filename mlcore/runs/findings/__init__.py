"""What is worth a look after a run: a rule a finding, a few of one kind to a file, indexed here.

A rule is a pure function of what the run knows (`ran.py`); nothing is fitted anew for it. The order
of the index is that of harm: what makes scores wrong, then what makes predictions bad, then what
makes them hard to read.
"""

from __future__ import annotations

from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Outcome
from mlcore.runs.findings import (
    classes,
    clocks,
    columns,
    edges,
    groups,
    leaking,
    residuals,
    scores,
    stopping,
)
from mlcore.runs.findings.finding import NOTE, WARNING, Finding, Press, Rule
from mlcore.runs.findings.ran import Ran
from mlcore.runs.tuning.tuned import Tuned

__all__ = [
    "RULES", "RULES_OF_SEARCHES", "Finding", "Press", "by_harm", "findings", "findings_of_search",
    "known_of", "told",
]  # fmt: skip

RULES: tuple[Rule, ...] = (
    leaking.gives_away,
    scores.perfect_scores,
    leaking.time_overlap,
    clocks.only_counts,
    stopping.not_converged,
    scores.no_better_than_baseline,
    scores.overfitting,
    classes.rare_class,
    classes.never_predicted,
    groups.one_cluster,
    groups.much_noise,
    residuals.impossible_predictions,
    residuals.curved_residuals,
    residuals.fanning_residuals,
    classes.calibration,
    columns.correlated_columns,
    scores.underfitting,
    groups.no_structure,
    columns.useless_columns,
)
RULES_OF_SEARCHES: tuple[Rule, ...] = (edges.edge_of_range,)


def findings(outcome: Outcome, dataset: Dataset) -> tuple[Finding, ...]:
    """What is worth a look in a run whose folds are done, the most harmful first."""
    known = known_of(outcome, dataset)
    return () if known is None else by_harm(told(RULES, known))


def known_of(outcome: Outcome, dataset: Dataset) -> Ran | None:
    """What the rules are asked about; None before a fold is done."""
    return Ran(outcome, dataset) if outcome.done else None


def findings_of_search(tuned: Tuned, dataset: Dataset) -> tuple[Finding, ...]:
    """What is worth a look in a tuning on these rows."""
    return by_harm(told(RULES_OF_SEARCHES, edges.Searched(tuned, dataset)))


def told(rules: tuple[Rule, ...], known: object) -> list[Finding]:
    """What these rules say, in their order."""
    return [finding for rule in rules if (finding := rule(known)) is not None]


def by_harm(unordered: list[Finding]) -> tuple[Finding, ...]:
    """Warnings before notes."""
    return tuple(sorted(unordered, key=lambda finding: (WARNING, NOTE).index(finding.severity)))
