"""Kernels: how alike rows are, alone and composed, and functions of Gram matrices."""

ENTRIES: dict[str, dict[str, str]] = {
    "kernel": {
        "rbf": "mlcore.kernels.rbf:RBF",
        "linear": "mlcore.kernels.products:Linear",
        "polynomial": "mlcore.kernels.products:Polynomial",
        "sigmoid": "mlcore.kernels.products:Sigmoid",
        "laplacian": "mlcore.kernels.radial:Laplacian",
        "matern": "mlcore.kernels.radial:Matern",
        "rational_quadratic": "mlcore.kernels.radial:RationalQuadratic",
        "t_student": "mlcore.kernels.radial:TStudent",
        "multiquadric": "mlcore.kernels.radial:Multiquadric",
        "power": "mlcore.kernels.radial:Power",
        "log": "mlcore.kernels.radial:Log",
        "wave": "mlcore.kernels.radial:Wave",
        "compact": "mlcore.kernels.radial:Compact",
        "anova": "mlcore.kernels.columnwise:ANOVA",
        "wavelet": "mlcore.kernels.columnwise:Wavelet",
        "histogram_intersection": "mlcore.kernels.columnwise:HistogramIntersection",
        "chi_square": "mlcore.kernels.columnwise:ChiSquare",
        "sum": "mlcore.kernels.composed:Sum",
        "product": "mlcore.kernels.composed:Product",
        "scaled": "mlcore.kernels.composed:Scaled",
        "normalised": "mlcore.kernels.composed:Normalised",
        "exponential": "mlcore.kernels.composed:Exponential",
    },
}

FUNCTION_MODULES = (
    "mlcore.kernels.centring",
    "mlcore.kernels.evidence",
    "mlcore.kernels.gram",
    "mlcore.kernels.similarity",
    "mlcore.kernels.validity",
    "mlcore.kernels.widths",
)
