"""What all tests share: one thread, as the app and its workers have by default; their own store."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from mlcore.spine.threads import thread_settings

# Before numpy is imported: the last bits of a result depend on the number of threads.
os.environ.update(thread_settings(1))

# How long an example takes says more of the machine than of the code.
settings.register_profile("ours", deadline=None)
settings.load_profile("ours")


@pytest.fixture(scope="session", autouse=True)
def _own_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Whatever is shared in a test is kept in a folder of the tests, by servers too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MLSCOPE_STORE", str(tmp_path_factory.mktemp("store")))
        patch.delenv("DATABASE_URL", raising=False)
        yield


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All browser tests on one worker: they share servers and a browser, the other has the rest."""
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.xdist_group("browser"))
