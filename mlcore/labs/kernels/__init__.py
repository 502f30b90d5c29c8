"""Labs on kernels."""
