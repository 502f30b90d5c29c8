"""Extremely randomised trees: of drawn columns one cut each, drawn too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlcore.ensembles.forest import cost_of
from mlcore.ensembles.random_forest import ClassForest, NumberForest, bootstrap_of
from mlcore.spine.component import Card, enter

GEURTS = "Geurts, Ernst and Wehenkel (2006), Machine Learning 63"


@enter(
    Card(
        "extra_trees",
        "Extremely randomised trees",
        ("classification",),
        paper=GEURTS,
        task="classification",
        peer="sklearn.ensemble.ExtraTreesClassifier",
        sources=("cs2:extra_trees",),
        takes=("weights", "columns", "missing"),
        random=True,
        cost=cost_of,
        formula=r"c_j \sim U(\min_i x_{ij}, \max_i x_{ij})",
        synonyms=("ExtraTreesClassifier", "extra trees", "totally random trees"),
        line="averaged trees with cuts drawn at random",
    )
)
@dataclass(frozen=True, kw_only=True)
class ExtraTrees(ClassForest):
    r"""Averages trees that try one cut a column, drawn anywhere between its ends in the node.

    At every split m columns are drawn, and in each a cut $c_j \sim U(\min_i x_{ij}, \max_i x_{ij})$
    over the rows of the node; the best of these m cuts is made. Names are parted at random.
    Every tree learns from all rows, unless rows are drawn too.

    Use it where a random forest is too slow or its borders too jagged: no column is sorted, and
    cuts that differ from tree to tree average to smoother borders. O(B m n) for each level. Trees
    are larger and each is worse; with m = 1 they do not look at the classes at all and are lost
    among columns that tell nothing.
    """

    anywhere: ClassVar[bool] = True
    bootstrap: bool = bootstrap_of(False)


@enter(
    Card(
        "extra_trees_regression",
        "Extremely randomised trees regression",
        ("regression",),
        paper=GEURTS,
        task="regression",
        peer="sklearn.ensemble.ExtraTreesRegressor",
        sources=("cs2:extra_trees",),
        takes=("weights", "columns", "missing"),
        random=True,
        cost=cost_of,
        formula=r"c_j \sim U(\min_i x_{ij}, \max_i x_{ij})",
        synonyms=("ExtraTreesRegressor", "extra trees"),
        line="averaged trees with cuts drawn at random",
    )
)
@dataclass(frozen=True, kw_only=True)
class ExtraTreesRegression(NumberForest):
    r"""Averages trees that try one cut a column, drawn anywhere between its ends in the node.

    At every split m columns are drawn, and in each a cut $c_j \sim U(\min_i x_{ij}, \max_i x_{ij})$
    over the rows of the node; the best of these m cuts is made. Names are parted at random.
    Every tree learns from all rows, unless rows are drawn too.

    Use it where a random forest is too slow or its curve too jagged: no column is sorted, and cuts
    that differ from tree to tree average to a nearly continuous curve. O(B m n) for each level. It
    never predicts beyond the values it has seen, and is worse than a random forest where only a few
    columns tell something.
    """

    anywhere: ClassVar[bool] = True
    bootstrap: bool = bootstrap_of(False)
