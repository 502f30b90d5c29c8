"""What all tests share: one thread, as the app and its workers have by default; their own store."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from mlcore.spine.threads import thread_settings
from tests import sampling

# Before numpy is imported: the last bits of a result depend on the number of threads.
os.environ.update(thread_settings(1))

# How long an example takes says more of the machine than of the code.
settings.register_profile("ours", deadline=None)
settings.load_profile("ours")


TESTS = Path(__file__).parent
# What these start (servers, a browser, workers) is started once for all of the folder.
IN_ONE_PIECE = ("browser", "service")
# The tests of these files go together by the entry that ends their name.
BY_ENTRY = {
    *(("contract", f"test_{name}") for name in
      ("components", "fingerprints", "interop", "labs", "methods", "saved", "verbs")),
    ("figures", "test_every_view"),
}  # fmt: skip


@pytest.fixture(scope="session", autouse=True)
def _own_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Whatever is shared in a test is kept in a folder of the tests, by servers too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MLSCOPE_STORE", str(tmp_path_factory.mktemp("store")))
        patch.delenv("DATABASE_URL", raising=False)
        yield


def pytest_report_header() -> str:
    """How much is tried."""
    return sampling.told()


def pytest_collection_finish() -> None:
    """One thread again: the benchmarks, which some tests import, ask for two."""
    os.environ.update(thread_settings(1))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what a sample leaves out, keep together what shares its preparation, and begin
    with what takes long in one piece, so that no process is left with it at the end."""
    left_out = set(items) - set(kept := sampling.taken(items))
    items[:] = sorted(kept, key=lambda item: _folder(item) not in IN_ONE_PIECE)
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
    for item in items:
        if group := group_of(item):
            item.add_marker(pytest.mark.xdist_group(group))


def group_of(item: pytest.Item) -> str:
    """Whoever takes the first test of a group takes them all, and what they share is made once.

    Browser tests share a server and a browser, those of the service its workers; those of a page
    share results; those of an entry its fits, numbers or pictures.
    """
    folder, file = _folder(item), item.path.stem
    if folder in IN_ONE_PIECE:
        return folder
    if folder in ("architecture", "pages") and file != "test_every_page":
        return f"{folder}/{file}"
    of = getattr(item, "callspec", None)
    if of is None or (folder, file) not in BY_ENTRY:
        return ""
    return f"{folder}/{of.id.rpartition(':')[2].rpartition('.')[2]}"


def _folder(item: pytest.Item) -> str:
    return item.path.relative_to(TESTS).parts[0]
