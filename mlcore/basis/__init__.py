"""Bases: fixed functions of a row, whose values serve as its columns."""

ENTRIES: dict[str, dict[str, str]] = {
    "basis": {
        "polynomial": "mlcore.basis.monomials:Polynomial",
        "interactions": "mlcore.basis.monomials:Interactions",
        "elementwise": "mlcore.basis.elementwise:Elementwise",
        "radial_features": "mlcore.basis.radial:RadialFeatures",
        "polar": "mlcore.basis.coordinates:Polar",
        "paraboloid": "mlcore.basis.coordinates:Paraboloid",
    },
}
