"""What all tests share: one thread, as the app and its workers have by default."""

import os

import pytest

from service.limits import thread_settings

# Before numpy is imported: the last bits of a result depend on the number of threads.
os.environ.update(thread_settings(1))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All browser tests on one worker: they share servers and a browser, the other has the rest."""
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.xdist_group("browser"))
