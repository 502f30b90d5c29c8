"""Methods that ask many members and join what they say."""

ENTRIES: dict[str, dict[str, str]] = {
    "classification": {
        "gradient_boosting": "mlcore.ensembles.gradient_boosting:GradientBoosting",
    },
    "regression": {
        "gradient_boosting_regression": (
            "mlcore.ensembles.gradient_boosting_regression:GradientBoostingRegression"
        ),
    },
    "boosted_loss": {
        "squared": "mlcore.ensembles.boosted_losses:SquaredLoss",
        "absolute": "mlcore.ensembles.boosted_losses:AbsoluteLoss",
        "huber": "mlcore.ensembles.boosted_losses:HuberLoss",
        "quantile": "mlcore.ensembles.boosted_losses:QuantileLoss",
    },
}
