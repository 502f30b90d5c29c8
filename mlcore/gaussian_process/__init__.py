"""Gaussian processes: a normal distribution of functions, conditioned on rows."""

ENTRIES: dict[str, dict[str, str]] = {
    "gaussian_process": {"gp_regression": "mlcore.gaussian_process.gp_regression:GPRegressor"},
    "regression": {"gp_regression": "mlcore.gaussian_process.gp_regression:GPRegressor"},
}
