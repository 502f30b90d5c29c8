"""Maps to fewer dimensions."""

ENTRIES: dict[str, dict[str, str]] = {
    "reduction": {
        "pca": "mlcore.reduction.pca:PCA",
        "metric_learning": "mlcore.reduction.metric_learning:MetricLearning",
        "lda": "mlcore.classification.lda:LDA",  # its axes are a map as well
    },
    "pair_constraint": {
        "similar": "mlcore.reduction.metric_learning:Similar",
        "orthonormal": "mlcore.reduction.metric_learning:Orthonormal",
    },
    "pca_solver": {
        "auto": "mlcore.reduction.solvers:Auto",
        "eigh": "mlcore.reduction.solvers:Covariance",
        "svd": "mlcore.reduction.solvers:SingularValues",
        "gram": "mlcore.reduction.solvers:Gram",
        "power": "mlcore.reduction.solvers:Power",
    },
}
