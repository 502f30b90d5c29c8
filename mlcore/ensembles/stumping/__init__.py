"""The stump that parts two classes best."""
