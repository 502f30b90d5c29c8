"""Tables: import, roles, sources and generators."""

ENTRIES = {
    "data": {"table": "mlcore.data.dataset:TableData"},
    "source": {
        "bundled": "mlcore.data.sources:Bundled",
        "upload": "mlcore.data.upload:Upload",
    },
}
