"""Trees, and what is built of them."""

ENTRIES: dict[str, dict[str, str]] = {
    "classification": {
        "decision_tree": "mlcore.ensembles.decision_tree:DecisionTree",
    },
    "regression": {
        "regression_tree": "mlcore.ensembles.regression_tree:RegressionTree",
    },
    "impurity": {
        "gini": "mlcore.ensembles.criteria:Gini",
        "entropy": "mlcore.ensembles.criteria:Entropy",
        "misclassification": "mlcore.ensembles.criteria:Misclassification",
        "gain_ratio": "mlcore.ensembles.criteria:GainRatio",
    },
    "impurity_of_numbers": {
        "squared": "mlcore.ensembles.criteria:SquaredError",
    },
    "pruning": {
        "none": "mlcore.ensembles.pruning:NoPruning",
        "cost_penalty": "mlcore.ensembles.pruning:CostPenalty",
        "cost_complexity": "mlcore.ensembles.pruning:CostComplexity",
        "cost_complexity_cv": "mlcore.ensembles.pruning:CostComplexityCV",
        "reduced_error": "mlcore.ensembles.pruning:ReducedError",
        "pessimistic": "mlcore.ensembles.pruning:Pessimistic",
    },
}

FUNCTION_MODULES = (
    "mlcore.ensembles.criteria",
    "mlcore.ensembles.pruning",
    "mlcore.ensembles.tree",
)
