"""Support vector machines: one quadratic programme, one solver."""

ENTRIES: dict[str, dict[str, str]] = {
    "svm": {"svc": "mlcore.svm.svc:SVC", "svr": "mlcore.svm.svr:SVR"},
    "classification": {"svc": "mlcore.svm.svc:SVC"},
    "regression": {"svr": "mlcore.svm.svr:SVR"},
    "svm_solver": {"smo": "mlcore.svm.smo:SMO"},
}
