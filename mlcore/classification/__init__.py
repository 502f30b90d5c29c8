"""Rules that predict a class."""

ENTRIES: dict[str, dict[str, str]] = {
    "classification": {
        "constant": "mlcore.classification.constant:ConstantClassifier",
        "logistic": "mlcore.classification.logistic:LogisticRegression",
        "lda": "mlcore.classification.lda:LDA",
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
    "mlcore.classification.logits",
    "mlcore.classification.scatter",
    "mlcore.classification.separability",
)
