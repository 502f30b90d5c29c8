"""Maps to fewer dimensions."""

ENTRIES: dict[str, dict[str, str]] = {
    "reduction": {
        "pca": "mlcore.reduction.pca:PCA",
        "lda": "mlcore.classification.lda:LDA",  # its axes are a map as well
    },
    "pca_solver": {
        "auto": "mlcore.reduction.solvers:Auto",
        "eigh": "mlcore.reduction.solvers:Covariance",
        "svd": "mlcore.reduction.solvers:SingularValues",
        "gram": "mlcore.reduction.solvers:Gram",
        "power": "mlcore.reduction.solvers:Power",
    },
}
