"""Methods that ask many members and join what they say."""

ENTRIES: dict[str, dict[str, str]] = {
    "classification": {
        "random_forest": "mlcore.ensembles.random_forest:RandomForest",
        "extra_trees": "mlcore.ensembles.extra_trees:ExtraTrees",
        "adaboost": "mlcore.ensembles.adaboost:AdaBoost",
        "bagging": "mlcore.ensembles.bagging:Bagging",
        "voting": "mlcore.ensembles.voting:Voting",
        "stacking": "mlcore.ensembles.stacking:Stacking",
        "gradient_boosting": "mlcore.ensembles.gradient_boosting:GradientBoosting",
        "calibrated_classifier": "mlcore.ensembles.calibrated:Calibrated",
    },
    "novelty": {
        "isolation_forest": "mlcore.ensembles.isolation_forest:IsolationForest",
    },
    "regression": {
        "random_forest_regression": "mlcore.ensembles.random_forest:RandomForestRegression",
        "extra_trees_regression": "mlcore.ensembles.extra_trees:ExtraTreesRegression",
        "gradient_boosting_regression": (
            "mlcore.ensembles.gradient_boosting_regression:GradientBoostingRegression"
        ),
        "bagging_regression": "mlcore.ensembles.bagging:BaggingRegression",
        "voting_regression": "mlcore.ensembles.voting:VotingRegression",
        "stacking_regression": "mlcore.ensembles.stacking:StackingRegression",
    },
    "weak_learner": {
        "stump": "mlcore.ensembles.weak_learners:Stump",
        "classifier": "mlcore.ensembles.weak_learners:Classifier",
    },
    "boosted_loss": {
        "squared": "mlcore.ensembles.boosted_losses:SquaredLoss",
        "absolute": "mlcore.ensembles.boosted_losses:AbsoluteLoss",
        "huber": "mlcore.ensembles.boosted_losses:HuberLoss",
        "quantile": "mlcore.ensembles.boosted_losses:QuantileLoss",
    },
}

FUNCTION_MODULES = ("mlcore.ensembles.boosting_theory", "mlcore.ensembles.probability_maps")
