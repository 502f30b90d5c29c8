"""Files that are taken away are made by workers: a stranger says how large they are."""

from __future__ import annotations

import os
import pickle
from functools import partial

import pytest

from mlcore.runs.carry import carried_out
from mlcore.runs.run import Run
from mlcore.spine.errors import DataError
from service.files import File, made
from service.kinds import files_of

RUN = Run(data="iris", method="lda", evaluation="hold_out")


def test_every_file_of_a_run_can_be_made_by_a_worker():
    outcome, dataset = carried_out(RUN), RUN.data.dataset()
    offered = [file for file in files_of(RUN, outcome, dataset) if not file.why_not]
    assert len(offered) >= 8
    for file in offered:
        make = pickle.loads(pickle.dumps(file.make))  # of our own
        again, known = make(), file.make()
        assert type(again) is type(known)
        if isinstance(known, str) and not file.name.endswith(".html"):
            assert again == known


def test_a_long_file_is_made_elsewhere_and_a_short_one_here():
    long = File("g", "l", "n", partial(str, os.getpid()), "a")
    assert made(long) == str(os.getpid())
    where = File("g", "l", "n", _pid, "a")
    assert made(where) != _pid()
    assert made(where._replace(is_long=False)) == _pid()


def test_what_cannot_be_made_is_a_sentence():
    with pytest.raises(DataError, match="No such table"):
        made(File("g", "l", "n", _failing, "a"))


def _pid() -> str:
    return str(os.getpid())


def _failing() -> str:
    raise DataError("No such table. Bring it again.")
