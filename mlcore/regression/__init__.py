"""Rules that predict a number."""

ENTRIES: dict[str, dict[str, str]] = {
    "regression": {
        "constant_regression": "mlcore.regression.constant:ConstantRegressor",
        "linear_regression": "mlcore.regression.linear_regression:LinearRegression",
        "non_negative_regression": "mlcore.regression.non_negative:NonNegativeRegression",
        "ridge": "mlcore.regression.ridge:Ridge",
        "multi_output_regressor": "mlcore.regression.multi_output:MultiOutputRegressor",
        "scaled_target": "mlcore.regression.scaled_target:ScaledTarget",
        "elastic_net": "mlcore.regression.elastic_net:ElasticNet",
        "lars": "mlcore.regression.lars:Lars",
        "bayesian_linear": "mlcore.regression.bayesian_linear:BayesianLinearRegression",
        "pcr": "mlcore.regression.pcr:PrincipalComponentRegression",
        "pls_regression": "mlcore.regression.pls:PLSRegression",
        "local_regression": "mlcore.regression.local_regression:LocalRegression",
        "robust_regression": "mlcore.regression.robust_regression:RobustRegression",
        "quantile_regression": "mlcore.regression.quantile_regression:QuantileRegression",
        "generalised_linear": "mlcore.regression.generalised_linear:GeneralisedLinear",
        "generalised_additive": ("mlcore.regression.generalised_additive:GeneralisedAdditive"),
    },
    "response_family": {
        "gaussian": "mlcore.regression.families:GaussianFamily",
        "poisson": "mlcore.regression.families:PoissonFamily",
        "gamma": "mlcore.regression.families:GammaFamily",
        "inverse_gaussian": "mlcore.regression.families:InverseGaussianFamily",
        "tweedie": "mlcore.regression.families:TweedieFamily",
        "binomial": "mlcore.regression.families:BinomialFamily",
    },
    "baseline": {
        "family_mean": "mlcore.regression.family_mean:FamilyMean",
        "target_quantiles": "mlcore.regression.target_quantiles:TargetQuantiles",
    },
    "robust_loss": {
        "huber": "mlcore.regression.robust_losses:HuberErrors",
        "tukey": "mlcore.regression.robust_losses:TukeyErrors",
        "absolute": "mlcore.regression.robust_losses:AbsoluteErrors",
        "quantile": "mlcore.regression.robust_losses:QuantileErrors",
    },
}

FUNCTION_MODULES = (
    "mlcore.regression.inference",
    "mlcore.regression.lasso_path",
    "mlcore.regression.leave_one_out",
)
