"""Rules that predict a number."""

ENTRIES: dict[str, dict[str, str]] = {
    "regression": {
        "constant_regression": "mlcore.regression.constant:ConstantRegressor",
        "ridge": "mlcore.regression.ridge:Ridge",
        "elastic_net": "mlcore.regression.elastic_net:ElasticNet",
    },
}
