"""The pictures of labs, one module a lab, found by the name of the lab."""
