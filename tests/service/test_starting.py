"""Workers begin as copies of a process that is ready, and end like any other process."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest

from service import starting
from service.limits import Limits
from service.process import WorkerProcess
from service.starting import CAN_COPY, Starter
from service.tasks import pack
from tests.service.asking import STARTED, ask, exists, until

pytestmark = [
    pytest.mark.skipif(not CAN_COPY, reason="this system starts each worker from nothing"),
    pytest.mark.usefixtures("own_fork_servers"),
]
ALLOWED = ("tests.",)


@pytest.fixture(scope="module")
def starter(own_fork_servers):
    made = Starter(1)
    yield made
    made.close()


@pytest.fixture
def workers(starter):
    """Two copies of one fork server."""
    made = [WorkerProcess(Limits(), ALLOWED, starter) for _ in range(2)]
    for worker in made:
        worker.connect()
    yield made
    for worker in made:
        worker.close()


def answered(worker, name, *args):
    """What a worker answers to a task."""
    worker.give(pack(ask(name, *args)))
    return worker.receive()[:2]


def fork_server(worker):
    """The process of which a worker is a copy."""
    with open(f"/proc/{worker.pid}/stat") as file:
        return int(file.read().rpartition(")")[2].split()[1])


def test_workers_are_copies_of_one_process_and_no_children_of_ours(workers):
    assert len({fork_server(worker) for worker in workers}) == 1
    assert fork_server(workers[0]) != os.getpid()
    assert workers[0].close() == -signal.SIGKILL


def test_a_copy_says_how_it_ended(workers):
    first, second = workers
    first.give(pack(ask("leave", 7)))
    with pytest.raises(EOFError):
        first.receive()
    assert first.close() == 7
    assert answered(second, "add", 1, 2) == ("done", 3)


def test_waiting_for_a_copy_has_an_end(starter):
    process = starter.start()
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.01)
    process.kill()
    assert process.wait(10) == -signal.SIGKILL
    process.kill()  # nothing happens any more
    process.stdin.close()
    process.stdout.close()


def test_where_the_fork_server_is_gone_workers_go_on_and_the_next_one_begins(starter, workers):
    gone = fork_server(workers[0])
    os.kill(gone, signal.SIGKILL)
    assert until(lambda: not exists(gone))
    assert answered(workers[0], "add", 1, 2) == ("done", 3)
    third = WorkerProcess(Limits(), ALLOWED, starter)
    third.connect()
    assert answered(third, "add", 1, 2) == ("done", 3)
    assert fork_server(third) != gone
    third.close()


def test_a_fork_server_that_is_ending_costs_no_worker(starter, workers, monkeypatch):
    """For a moment it still takes a message, and then ends without an answer."""
    server = starter._ready_server()
    os.kill(server._process.pid, signal.SIGKILL)
    monkeypatch.setattr(server._process, "poll", lambda: None)
    worker = WorkerProcess(Limits(), ALLOWED, starter)
    worker.connect()
    assert answered(worker, "add", 1, 2) == ("done", 3)
    worker.close()


def test_a_worker_whose_fork_server_is_gone_can_still_be_ended(workers):
    """No copy keeps open what would tell of the end of another."""
    os.kill(fork_server(workers[0]), signal.SIGKILL)
    assert workers[0].close() == -signal.SIGKILL
    assert workers[1].is_alive()


def test_a_copy_of_a_process_with_threads_computes(monkeypatch):
    """The libraries' own threads are not copied; they have to begin anew."""
    monkeypatch.setattr(starting, "_module", STARTED)  # with all libraries
    starter = Starter(2)
    worker = WorkerProcess(Limits(threads=2), ALLOWED, starter)
    worker.connect()
    assert answered(worker, "product", 600) == ("done", 600.0)
    worker.close()
    starter.close()


def test_nothing_is_started_once_it_is_closed():
    starter = Starter(1)
    starter.close()
    with pytest.raises(OSError, match="no worker is started any more"):
        starter.start()
