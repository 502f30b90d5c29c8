"""Preparation in the fold: encode, impute, scale, whiten, select variables, resample."""

ENTRIES = {
    "preparation": {
        "impute": "mlcore.preparation.impute:Impute",
        "one_hot": "mlcore.preparation.encode:OneHot",
        "ordinal": "mlcore.preparation.encode:Ordinal",
        "standardise": "mlcore.preparation.scale:Standardise",
        "min_max": "mlcore.preparation.scale:MinMax",
    },
}
