"""Methods that ask many members and join what they say."""

ENTRIES: dict[str, dict[str, str]] = {
    "classification": {
        "random_forest": "mlcore.ensembles.random_forest:RandomForest",
        "extra_trees": "mlcore.ensembles.extra_trees:ExtraTrees",
    },
    "regression": {
        "random_forest_regression": "mlcore.ensembles.random_forest:RandomForestRegression",
        "extra_trees_regression": "mlcore.ensembles.extra_trees:ExtraTreesRegression",
    },
}
