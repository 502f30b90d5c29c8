"""What all tests share: one thread, as the app and its workers have by default; their own store."""

import gc
import os
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

import benchmarks  # noqa: F401  # asks for two threads, and would later, when some have loaded
from mlcore.spine.threads import thread_settings
from tests import sampling

# What our tests have in common with those of packages of others is asserted there.
for _name in ("components", "methods", "subjects", "verbs"):
    pytest.register_assert_rewrite(f"mlscope.contract.{_name}")
# Before numpy is imported: the last bits of a result depend on the number of threads.
os.environ.update(thread_settings(1))
from numpy.random import Generator  # noqa: E402  # after the threads are set

DRAWS: dict[Any, list[tuple[Generator, Any]]] = {}  # of each module, as it was imported

# How long an example takes says more of the machine than of the code.
settings.register_profile("ours", deadline=None)
settings.load_profile("ours")


# The tests of these folders go together: they share a server and a browser, and all sources are
# parsed once.
BY_FOLDER = ("architecture", "browser")
# These start servers of their own, and stand beside the others: in one piece the tests of the
# browser took as long as all the rest.
OWN_SERVERS = tuple(f"tests/browser/test_{name}.py" for name in ("attacks", "gallery", "picture"))
# What these start (workers) or gather is shared by the tests of a file.
BY_FILE = ("pages", "service")
# The tests of these files go together by the entry that ends their name.
BY_ENTRY = {
    *(f"tests/contract/test_{name}.py" for name in
      ("components", "fingerprints", "interop", "labs", "methods", "saved", "verbs")),
}  # fmt: skip
# The tests of these files draw the same runs, which are carried out once.
WHOLE = (
    "tests/figures/test_every_view.py",
    "tests/figures/test_foreign_text.py",
    "tests/figures/preparation/test_resampled.py",
    "tests/figures/test_active_features.py",
    "tests/figures/test_continuous_views.py",
    "tests/figures/test_policy_density.py",
)
SINGLE = ("tests/pages/test_every_page.py",)
GARBAGE = 5_000  # objects made and not let go until the youngest are searched; Python's is 700
AHEAD = 24  # tests that a process knows of before it is given more
COMPILED = "tests/contract/test_warm.py::test_nothing_is_compiled_after_warming"


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


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is imported and gathered now stays till the end: a search for garbage would go through
    all of it, now and again after each page that a test draws. What tests share is kept too, so
    searches come seldom."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(GARBAGE)
        gc.enable()


def pytest_collection_finish(session: pytest.Session) -> None:
    """What the generators of modules draw next is noted."""
    for module in {getattr(item, "module", None) for item in session.items}:
        DRAWS[module] = [
            (each, each.bit_generator.state)
            for each in vars(module or object).values()
            if isinstance(each, Generator)
        ]


def pytest_runtest_setup(item: pytest.Item) -> None:
    """What a test draws does not follow from which tests came before it in its process."""
    for each, state in DRAWS.get(getattr(item, "module", None), ()):
        each.bit_generator.state = state


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what a sample leaves out, and begin with what takes long in one piece, so that no
    process is left with it at the end."""
    left_out = set(items) - set(kept := sampling.taken(items))
    items[:] = sorted(kept, key=lambda item: not _comes_first(item.nodeid))
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling:
    """Hand out groups of tests (`group_of`) where several processes share them."""
    return Groups(config, log)


class Groups(LoadScopeScheduling):
    """Whoever takes the first test of a group takes them all, and what they share is made once.

    xdist's own groups go by a mark, which it writes into the name of a test; pytest 9.2 gives out
    the name as it was, so that every test would be a group of its own.
    """

    def add_node_collection(self, node: Any, collection: list[str]) -> None:
        """What a process has collected: where each test stands in it is looked up, not searched."""
        super().add_node_collection(node, collection)
        if node in self.registered_collections:  # as a plain list
            self.registered_collections[node] = Places(collection)

    def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:
        """A test is over, and its group is forgotten when all of it is: what is left of all groups
        that a process ever had is counted after each test."""
        super().mark_test_complete(node, item_index, duration)
        groups, group = (
            self.assigned_work[node],
            group_of(self.registered_collections[node][item_index]),
        )
        if all(groups[group].values()):
            del groups[group]

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)

    def _assign_work_unit(self, node: Any) -> None:
        """Small groups by the dozen: a process that has the next two tests alone waits for each
        answer, which is late where all processors work. Towards the end there are fewer."""
        enough = min(AHEAD, len(self.workqueue) // (4 * self.numnodes))
        super()._assign_work_unit(node)
        while self._pending_of(self.assigned_work[node]) < enough:
            super()._assign_work_unit(node)


class Places(list[str]):
    """Names of tests, each of which is there once."""

    def __init__(self, names: list[str]) -> None:
        super().__init__(names)
        self._places = {name: k for k, name in enumerate(names)}

    def index(self, name: str, *_: Any) -> int:
        """Where it stands."""
        return self._places[name]


def group_of(nodeid: str) -> str:
    """What the tests that belong together have in common: their folder, their file, or their entry.

    Tests of the browser share a server and pages that it has compiled, those of the service its
    workers, those of a page results; those of an entry its fits, numbers or pictures.
    """
    file, _, case = nodeid.partition("::")
    if file in OWN_SERVERS:
        return "own servers"
    if (folder := _folder(nodeid)) in BY_FOLDER:
        return folder
    if file in BY_ENTRY and case.endswith("]"):
        entry = case.rstrip("]").rpartition("[")[2].rpartition(":")[2].rpartition(".")[2]
        return f"{folder}/{entry}"
    is_whole = file in WHOLE or (folder in BY_FILE and file not in SINGLE)
    return file if is_whole else nodeid


def _comes_first(nodeid: str) -> bool:
    """What takes long in one piece, and what finds all compiled as long as no other test has had
    loops compiled for types of its own."""
    return _folder(nodeid) in ("browser", "service") or nodeid.startswith(COMPILED)


def _folder(nodeid: str) -> str:
    return nodeid.split("/")[1]
