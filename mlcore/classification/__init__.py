"""Rules that predict a class."""

ENTRIES: dict[str, dict[str, str]] = {
    "classification": {
        "constant": "mlcore.classification.constant:ConstantClassifier",
        "logistic": "mlcore.classification.logistic:LogisticRegression",
        "additive_logistic": "mlcore.classification.additive_logistic:AdditiveLogistic",
        "lda": "mlcore.classification.lda:LDA",
        "nearest_mean": "mlcore.classification.nearest_mean:NearestMean",
        "qda": "mlcore.classification.qda:QDA",
        "multiclass": "mlcore.classification.multiclass:Multiclass",
        "naive_bayes": "mlcore.classification.naive_bayes:NaiveBayes",
        "active_learning": "mlcore.classification.active_learning:ActiveLearning",
        "decision_rule": "mlcore.classification.decision_rule:DecisionRule",
        "fisher_rule": "mlcore.classification.fisher_rule:FisherRule",
        "cost_sensitive": "mlcore.classification.cost_sensitive:CostSensitive",
        "label_propagation": "mlcore.classification.label_propagation:LabelPropagation",
        "perceptron": "mlcore.classification.perceptron:Perceptron",
    },
    "code": {
        "one_vs_rest": "mlcore.classification.multiclass_codes:OneVsRest",
        "one_vs_one": "mlcore.classification.multiclass_codes:OneVsOne",
        "rest_in_order": "mlcore.classification.multiclass_codes:RestInOrder",
        "nested_dichotomies": "mlcore.classification.multiclass_codes:NestedDichotomies",
        "error_correcting": "mlcore.classification.multiclass_codes:ErrorCorrecting",
    },
    "marginal": {
        "gaussian": "mlcore.classification.marginals:Gaussian",
    },
    "query": {
        "margin": "mlcore.classification.queries:Margin",
        "entropy": "mlcore.classification.queries:Entropy",
        "least_confident": "mlcore.classification.queries:LeastConfident",
        "random": "mlcore.classification.queries:AtRandom",
    },
    "clamp": {
        "hard": "mlcore.classification.clamps:Hard",
        "soft": "mlcore.classification.clamps:Soft",
    },
    "costs": {
        "zero_one": "mlcore.classification.costs:ZeroOne",
        "per_class": "mlcore.classification.costs:PerClass",
        "matrix": "mlcore.classification.costs:CostMatrix",
    },
    "cost_loss": {
        "cost_sum": "mlcore.classification.cost_losses:CostSum",
        "guess_averse": "mlcore.classification.cost_losses:GuessAverse",
    },
    "class_prior": {
        "empirical": "mlcore.classification.priors:Empirical",
        "equal": "mlcore.classification.priors:Equal",
        "given": "mlcore.classification.priors:GivenShares",
    },
    "singular_scatter": {
        "pseudo_inverse": "mlcore.classification.scatter:PseudoInverse",
        "shrinkage": "mlcore.classification.scatter:Shrinkage",
        "perturb": "mlcore.classification.scatter:Perturb",
        "refuse": "mlcore.classification.scatter:Refuse",
    },
}

FUNCTION_MODULES = (
    "mlcore.classification.active_learning",
    "mlcore.classification.base_rates",
    "mlcore.classification.costs",
    "mlcore.classification.logits",
    "mlcore.classification.multiclass_codes",
    "mlcore.classification.multiclass_coupling",
    "mlcore.classification.naive_bayes",
    "mlcore.classification.perceptron_bounds",
    "mlcore.classification.qda",
    "mlcore.classification.scatter",
    "mlcore.classification.separability",
)
