"""Normal distributions: the shapes that the covariances of several may have."""

ENTRIES: dict[str, dict[str, str]] = {
    "covariance": {
        "full": "mlcore.gaussians.covariances:Full",
        "tied": "mlcore.gaussians.covariances:Tied",
        "diag": "mlcore.gaussians.covariances:Diagonal",
        "spherical": "mlcore.gaussians.covariances:Spherical",
        "fixed": "mlcore.gaussians.covariances:Fixed",
    },
}
