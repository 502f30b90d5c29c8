"""Gaussian processes of quantities and classes, and the regression that is their mean."""

ENTRIES: dict[str, dict[str, str]] = {
    "gaussian_process": {
        "gp_regression": "mlcore.gaussian_process.gp_regression:GPRegressor",
        "gp_classification": "mlcore.gaussian_process.gp_classification:GPClassifier",
        "kernel_ridge": "mlcore.gaussian_process.kernel_ridge:KernelRidge",
    },
    "classification": {
        "gp_classification": "mlcore.gaussian_process.gp_classification:GPClassifier",
    },
    "regression": {
        "gp_regression": "mlcore.gaussian_process.gp_regression:GPRegressor",
        "kernel_ridge": "mlcore.gaussian_process.kernel_ridge:KernelRidge",
    },
    "gp_approximation": {
        "exact": "mlcore.gaussian_process.approximations:Exact",
        "subset": "mlcore.gaussian_process.approximations:Subset",
        "fitc": "mlcore.gaussian_process.approximations:FITC",
    },
}
