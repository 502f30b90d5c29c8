"""Rules that predict a number."""

ENTRIES: dict[str, dict[str, str]] = {
    "regression": {
        "constant_regression": "mlcore.regression.constant:ConstantRegressor",
        "linear_regression": "mlcore.regression.linear_regression:LinearRegression",
        "ridge": "mlcore.regression.ridge:Ridge",
        "multi_output_regressor": "mlcore.regression.multi_output:MultiOutputRegressor",
        "scaled_target": "mlcore.regression.scaled_target:ScaledTarget",
        "elastic_net": "mlcore.regression.elastic_net:ElasticNet",
        "lars": "mlcore.regression.lars:Lars",
    },
}

FUNCTION_MODULES = (
    "mlcore.regression.inference",
    "mlcore.regression.lasso_path",
    "mlcore.regression.leave_one_out",
)
