"""Preparation in the fold: encode, impute, scale, whiten, select variables, resample."""

ENTRIES = {
    "preparation": {
        "impute": "mlcore.preparation.impute:Impute",
        "one_hot": "mlcore.preparation.one_hot:OneHot",
        "ordinal": "mlcore.preparation.ordinal:Ordinal",
        "standardise": "mlcore.preparation.standardise:Standardise",
        "min_max": "mlcore.preparation.min_max:MinMax",
    },
}
