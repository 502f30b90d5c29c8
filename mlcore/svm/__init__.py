"""Support vector machines: one quadratic programme, one solver."""

ENTRIES: dict[str, dict[str, str]] = {
    "svm": {
        "svc": "mlcore.svm.svc:SVC",
        "svr": "mlcore.svm.svr:SVR",
        "one_class_svm": "mlcore.svm.one_class_svm:OneClassSVM",
    },
    "novelty": {"one_class_svm": "mlcore.svm.one_class_svm:OneClassSVM"},
    "classification": {"svc": "mlcore.svm.svc:SVC"},
    "regression": {"svr": "mlcore.svm.svr:SVR"},
    "svm_solver": {"smo": "mlcore.svm.smo:SMO"},
}
