"""A fork server without the catalogue, for tests of how such a process begins, copies and ends."""

from service import fork_server, worker
from tests.service import probes  # noqa: F401  # what its copies are asked for

if __name__ == "__main__":
    worker.warm = lambda: None
    fork_server.main()
