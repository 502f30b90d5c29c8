"""Two pools for all tests, because starting workers takes seconds of a busy computer; one fork
server for all pools; stores."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import sqlalchemy as sql

from service import database, layout, starting
from service.limits import Limits
from service.pool import Pool
from service.starting import ForkServer
from service.store import Store
from tests.service.asking import LIMITS, ask, bare_fork_servers, exists, is_running, until
from tests.service.stores import POSTGRES, Clock

__all__ = ["LIMITS", "ask", "exists", "is_running", "until"]


class Lent:
    """A fork server that several pools copy their workers from; none of them ends it."""

    def __init__(self, server: ForkServer) -> None:
        self.is_alive, self.copy = server.is_alive, server.copy

    def close(self) -> None:
        """Others may want it."""


class Lender:
    """Fork servers by their environment: each imports all there is, for three seconds."""

    def __init__(self) -> None:
        self._servers: dict[tuple, ForkServer] = {}

    def __call__(self, env: dict[str, str]) -> Lent:
        plain = tuple(sorted(item for item in env.items() if item[0] != "PYTEST_CURRENT_TEST"))
        if plain not in self._servers or not self._servers[plain].is_alive():
            self._servers[plain] = ForkServer(env)
        return Lent(self._servers[plain])

    def close(self) -> None:
        """End them."""
        for server in self._servers.values():
            server.close()


@pytest.fixture(scope="session")
def lender() -> Iterator[Lender]:
    made = Lender()
    yield made
    made.close()


@pytest.fixture(scope="session", autouse=True)
def _lent(lender) -> Iterator[None]:
    """A pool need not have a fork server of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(starting, "ForkServer", lender)
        yield


@pytest.fixture(scope="module")
def own_fork_servers(_lent) -> Iterator[None]:
    """Unless how these begin and end is what is looked at; what they import is not."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(starting, "ForkServer", ForkServer)
        bare_fork_servers(patch)
        yield


@pytest.fixture(scope="session")
def pool() -> Iterator[Pool]:
    made = Pool(limits=LIMITS, allowed=("tests.",))
    yield made
    made.close()


@pytest.fixture(scope="session")
def one_worker() -> Iterator[Pool]:
    made = Pool(1, limits=LIMITS, allowed=("tests.",))
    yield made
    made.close()


@pytest.fixture
def single(one_worker) -> Iterator[Pool]:
    """A pool that carries out one job at a time; what a test leaves running is stopped."""
    assert until(lambda: one_worker.ready() == 2, 60)
    yield one_worker
    one_worker.cancel()


@pytest.fixture
def address(tmp_path) -> Iterator[str]:
    where = POSTGRES or f"sqlite:///{tmp_path / 'deep' / 'shared.sqlite'}"
    engine = database.opened(where)
    assert not sql.inspect(engine).has_table("shares"), "this database is in use"
    yield where
    layout.SCHEMA.drop_all(engine)
    engine.dispose()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def made(address, clock) -> Iterator[Callable[..., Store]]:
    """`made(shares=3)`: a store with these limits; several share one database."""
    opened = []

    def make(**limits: int) -> Store:
        opened.append(Store(address, Limits(**limits), clock))
        return opened[-1]

    yield make
    for each in opened:
        each.close()
