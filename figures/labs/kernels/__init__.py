"""Pictures of the labs on kernels."""
