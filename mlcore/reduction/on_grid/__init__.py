"""Forces between many rows of a map by way of a regular grid."""
