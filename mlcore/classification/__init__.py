"""Rules that predict a class."""

ENTRIES: dict[str, dict[str, str]] = {
    "classification": {
        "constant": "mlcore.classification.constant:ConstantClassifier",
        "lda": "mlcore.classification.lda:LDA",
    },
}
