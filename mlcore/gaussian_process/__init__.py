"""Gaussian processes, and the regression that is their mean."""

ENTRIES: dict[str, dict[str, str]] = {
    "gaussian_process": {
        "gp_regression": "mlcore.gaussian_process.gp_regression:GPRegressor",
        "kernel_ridge": "mlcore.gaussian_process.kernel_ridge:KernelRidge",
    },
    "regression": {
        "gp_regression": "mlcore.gaussian_process.gp_regression:GPRegressor",
        "kernel_ridge": "mlcore.gaussian_process.kernel_ridge:KernelRidge",
    },
}
