"""Tables: import, roles, sources and generators."""

ENTRIES = {
    "data": {"table": "mlcore.data.dataset:TableData"},
    "source": {
        "bundled": "mlcore.data.sources:Bundled",
        "upload": "mlcore.data.upload:Upload",
        "drawn": "mlcore.data.drawn:Drawn",
        "blobs": "mlcore.data.generators.blobs:Blobs",
        "moons": "mlcore.data.generators.moons:Moons",
        "rings": "mlcore.data.generators.rings:Rings",
        "spirals": "mlcore.data.generators.spirals:Spirals",
        "xor": "mlcore.data.generators.xor:Xor",
        "curve": "mlcore.data.generators.curve:Curve",
        "gaussians": "mlcore.data.generators.gaussians:Gaussians",
        "students": "mlcore.data.generators.students:Students",
        "two_bars": "mlcore.data.generators.two_bars:TwoBars",
        "checkerboard": "mlcore.data.generators.checkerboard:Checkerboard",
        "regions": "mlcore.data.generators.regions:Regions",
    },
}
