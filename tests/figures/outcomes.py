"""Small outcomes of kinds of run other than one method, to draw their views of."""

from __future__ import annotations

from functools import cache
from typing import Any

from figures.view import views
from mlcore.data.dataset import TableData
from mlcore.data.generators.classes.blobs import Blobs
from mlcore.decisions.continuous.actor_critic import ActorCritic
from mlcore.decisions.continuous.policies import GaussianPolicy
from mlcore.runs import carry_comparison, carry_count, carry_redrawing, carry_trial, carry_tuning
from mlcore.runs.counting.cluster_count import ClusterCount
from mlcore.runs.counting.counted import Counted
from mlcore.runs.redrawing.map_stability import MapStability
from mlcore.runs.redrawing.redrawn import Redrawn
from mlcore.runs.run import Comparison, Run, Trial
from mlcore.runs.tuning.search import GridSearch
from mlcore.runs.tuning.tuned import Tuned
from mlcore.runs.tuning.tuning import Tuning
from mlcore.spine.iterate import returned


@cache
def tuned() -> Tuned:
    """A small search over two settings."""
    search = GridSearch(over={"method.alpha": "0.1,1,10", "method.l1_ratio": "0.1,0.9"})
    run = Run(data=TableData(source="diabetes"), method="elastic_net")
    return returned(carry_tuning.carry_out(Tuning.of(run, search)))


@cache
def grouped():
    """Two clusterings of a table with a target."""
    run = Comparison(data=TableData(source="penguins"), methods=("kmeans", "agglomerative"))
    return carry_comparison.carried_out(run)


@cache
def counted() -> Counted:
    """A small count of clusters, with a likelihood, so that every criterion is there."""
    run = Run(data=TableData(source="iris"), method="gaussian_mixture")
    return carry_count.carried_out(
        ClusterCount.of(run, highest=4, resamples=3, splits=2, references=3)
    )


@cache
def redrawn() -> Redrawn:
    """A small map that is drawn again, of rows with numbers that every table has."""
    run = Run(data=TableData(source=Blobs(n_samples=10)), method="pca")
    return carry_redrawing.carried_out(MapStability.of(run, refits=4))


def of_a_kind(names: tuple[str, ...]) -> dict[str, Any] | None:
    """What there is for a view of a count of clusters or of a map drawn again; else None."""
    if "counted" in names:
        return {"counted": counted(), "here": 3}
    if "redrawn" in names:
        return {"redrawn": redrawn(), "dataset": redrawn().run.data.dataset()}
    return None


WHERE = {
    "bandit": "bandit_arms", "contexts": "contextual_arms", "mdp": "grid_world",
    "solved_mdp": "grid_world", "continuous_states": "pendulum",
}  # fmt: skip


@cache
def trial_outcome(problem: str):
    """A small trial on a bandit, or on a grid."""
    methods = {
        "bandit_arms": ("exp3", "ucb", "thompson_sampling"),
        "grid_world": (
            "finite_horizon_dp",
            "td_control",
            "td_prediction",
            "model_based_rl",
            "policy_gradient",
            "value_iteration",
        ),
        "pendulum": (
            "semi_gradient_control",
            ActorCritic(policy=GaussianPolicy()),
            "semi_gradient_prediction",
        ),
    } | {"contextual_arms": ("linucb",), "taxi": ("model_based_rl", "policy_gradient")}
    return carry_trial.carried_out(
        Trial(problem=problem, methods=methods[problem], budget=60, replicates=12)
    )


def able(view: str, trial) -> int:
    """The first method of a trial of which a view can be drawn."""
    asks = views()[view].asks
    return next(k for k, row in enumerate(trial.results) if row.can(*asks))


@cache
def compared(n_sets: int = 1):
    """A small comparison of three classifiers, one that learns nothing among them."""
    more = ("iris", "wine", "crabs", Blobs(n_samples=60), Blobs(n_samples=80, seed=3))
    run = Comparison(
        data="penguins",
        methods=("lda", "decision_tree", "constant"),
        more=tuple(TableData(source=each) for each in more[: n_sets - 1]),
    )
    return carry_comparison.carried_out(run)
