"""What this package adds to MLScope."""

ENTRIES = {
    "classification": {
        "nearest_medoid": "nearest_medoid.method:NearestMedoid",
    },
}
VIEWS = ("nearest_medoid.views",)
EXAMPLES = ("examples.toml",)
