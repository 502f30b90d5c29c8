"""Pictures of kernels."""
