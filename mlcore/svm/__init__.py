"""Support vector machines: one quadratic programme, one solver."""

ENTRIES: dict[str, dict[str, str]] = {
    "svm": {
        "svc": "mlcore.svm.svc:SVC",
        "nu_svc": "mlcore.svm.nu_svc:NuSVC",
        "svr": "mlcore.svm.svr:SVR",
        "one_class_svm": "mlcore.svm.one_class_svm:OneClassSVM",
        "nu_svr": "mlcore.svm.nu_svr:NuSVR",
    },
    "novelty": {"one_class_svm": "mlcore.svm.one_class_svm:OneClassSVM"},
    "classification": {"svc": "mlcore.svm.svc:SVC", "nu_svc": "mlcore.svm.nu_svc:NuSVC"},
    "regression": {"svr": "mlcore.svm.svr:SVR", "nu_svr": "mlcore.svm.nu_svr:NuSVR"},
    "svm_solver": {
        "smo": "mlcore.svm.smo:SMO",
        "platt_smo": "mlcore.svm.teaching:PlattSMO",
        "keerthi_smo": "mlcore.svm.teaching:KeerthiSMO",
        "dual_qp": "mlcore.svm.teaching:DualQP",
    },
}
