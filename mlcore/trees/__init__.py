"""Trees, and what is built of them."""

ENTRIES: dict[str, dict[str, str]] = {
    "classification": {
        "decision_tree": "mlcore.trees.decision_tree:DecisionTree",
    },
    "regression": {
        "regression_tree": "mlcore.trees.regression_tree:RegressionTree",
    },
    "impurity": {
        "gini": "mlcore.trees.criteria:Gini",
        "entropy": "mlcore.trees.criteria:Entropy",
        "misclassification": "mlcore.trees.criteria:Misclassification",
        "gain_ratio": "mlcore.trees.criteria:GainRatio",
    },
    "impurity_of_numbers": {
        "squared": "mlcore.trees.criteria:SquaredError",
    },
    "feature_draw": {
        "all": "mlcore.trees.feature_draws:AllFeatures",
        "root": "mlcore.trees.feature_draws:RootFeatures",
        "third": "mlcore.trees.feature_draws:ThirdOfFeatures",
        "log2": "mlcore.trees.feature_draws:LogFeatures",
        "share": "mlcore.trees.feature_draws:ShareOfFeatures",
        "count": "mlcore.trees.feature_draws:CountOfFeatures",
    },
    "pruning": {
        "none": "mlcore.trees.pruning:NoPruning",
        "cost_penalty": "mlcore.trees.pruning:CostPenalty",
        "cost_complexity": "mlcore.trees.pruning:CostComplexity",
        "cost_complexity_cv": "mlcore.trees.pruning:CostComplexityCV",
        "reduced_error": "mlcore.trees.pruning:ReducedError",
        "pessimistic": "mlcore.trees.pruning:Pessimistic",
    },
}

FUNCTION_MODULES = (
    "mlcore.trees.criteria",
    "mlcore.trees.guillotine",
    "mlcore.trees.pruning",
    "mlcore.trees.tree",
)
