"""The tests, a package so that worker processes can be asked for functions of it."""
