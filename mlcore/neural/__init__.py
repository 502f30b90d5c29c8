"""Neural networks: layers of units that learn by the gradient of a loss."""

ENTRIES: dict[str, dict[str, str]] = {
    "neural": {
        "mlp_classifier": "mlcore.neural.mlp_classifier:MLPClassifier",
        "mlp_regressor": "mlcore.neural.mlp_regressor:MLPRegressor",
    },
    "classification": {"mlp_classifier": "mlcore.neural.mlp_classifier:MLPClassifier"},
    "regression": {"mlp_regressor": "mlcore.neural.mlp_regressor:MLPRegressor"},
    "activation": {
        "tanh": "mlcore.neural.activations:Tanh",
        "relu": "mlcore.neural.activations:Relu",
        "logistic": "mlcore.neural.activations:LogisticUnit",
        "linear": "mlcore.neural.activations:Linear",
        "scaled_tanh": "mlcore.neural.activations:ScaledTanh",
        "softplus": "mlcore.neural.activations:Softplus",
        "rbf": "mlcore.neural.activations:Bump",
    },
    "initializer": {
        "glorot": "mlcore.neural.initializers:Glorot",
        "he": "mlcore.neural.initializers:He",
        "uniform": "mlcore.neural.initializers:UniformWeights",
        "normal": "mlcore.neural.initializers:NormalWeights",
        "zeros": "mlcore.neural.initializers:Zeros",
    },
    "optimizer": {
        "adam": "mlcore.neural.optimizers:Adam",
        "sgd": "mlcore.neural.optimizers:SGD",
        "momentum": "mlcore.neural.optimizers:Momentum",
        "rmsprop": "mlcore.neural.optimizers:RMSProp",
        "lbfgs": "mlcore.neural.lbfgs:LBFGS",
        "steepest_descent": "mlcore.neural.along_lines:SteepestDescent",
        "conjugate_gradient": "mlcore.neural.along_lines:ConjugateGradient",
        "natural_gradient": "mlcore.neural.along_lines:NaturalGradient",
        "levenberg_marquardt": "mlcore.neural.second_order:LevenbergMarquardt",
        "hessian_free": "mlcore.neural.second_order:HessianFree",
        "saddle_free": "mlcore.neural.second_order:SaddleFree",
        "cma_es": "mlcore.neural.populations:CMAES",
        "particle_swarm": "mlcore.neural.populations:ParticleSwarm",
        "genetic_algorithm": "mlcore.neural.populations:GeneticAlgorithm",
    },
    "line_search": {
        "armijo": "mlcore.neural.line_searches:Armijo",
        "brent": "mlcore.neural.line_searches:Brent",
    },
    "rate_schedule": {
        "constant": "mlcore.neural.rates:ConstantRate",
        "exponential": "mlcore.neural.rates:ExponentialRate",
        "inverse_time": "mlcore.neural.rates:InverseTimeRate",
        "plateau": "mlcore.neural.rates:Plateau",
        "bold_driver": "mlcore.neural.rates:BoldDriver",
    },
    "pretraining": {
        "none": "mlcore.neural.pretraining:NoPretraining",
        "autoencoders": "mlcore.neural.pretraining:Autoencoders",
    },
    "weight_penalty": {
        "none": "mlcore.neural.penalties:NoWeightPenalty",
        "weight_decay": "mlcore.neural.penalties:WeightDecay",
        "l1": "mlcore.neural.penalties:L1Weights",
        "weight_elimination": "mlcore.neural.penalties:WeightElimination",
    },
    "training_noise": {
        "none": "mlcore.neural.noise:NoNoise",
        "dropout": "mlcore.neural.noise:Dropout",
        "input_noise": "mlcore.neural.noise:InputNoise",
        "weight_noise": "mlcore.neural.noise:WeightNoise",
    },
}
