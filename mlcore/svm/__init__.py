"""Support vector machines: one quadratic programme, one solver."""

ENTRIES: dict[str, dict[str, str]] = {
    "svm": {"svc": "mlcore.svm.svc:SVC"},
    "classification": {"svc": "mlcore.svm.svc:SVC"},
    "svm_solver": {"smo": "mlcore.svm.smo:SMO"},
}
