"""Methods that ask the nearest rows."""

ENTRIES: dict[str, dict[str, str]] = {
    "classification": {
        "knn": "mlcore.neighbours.knn:KNNClassifier",
        "membership": "mlcore.neighbours.membership:NeighbourMembership",
    },
    "regression": {
        "knn_regression": "mlcore.neighbours.knn:KNNRegression",
    },
    "vote_weight": {
        "uniform": "mlcore.neighbours.vote_weights:Uniform",
        "inverse_distance": "mlcore.neighbours.vote_weights:InverseDistance",
        "kernel": "mlcore.neighbours.vote_weights:KernelWeight",
    },
}

FUNCTION_MODULES = ("mlcore.neighbours.knn",)
