"""Pages are drawn a few at a time: the others wait for their start, and are then whole."""

from __future__ import annotations

import threading

from service.admission import Admission
from service.fair_queue import Person
from tests.pages.conftest import shown
from tests.service.conftest import until
from ui import frame


def test_a_page_begins_when_another_is_drawn(opened, monkeypatch):
    room = Admission(1)
    monkeypatch.setattr(frame, "PAGES", room)
    pages = []
    visit = threading.Thread(target=lambda: pages.append(opened("start")), daemon=True)
    with room.inside(Person("another")):
        visit.start()
        assert until(lambda: len(room._queue) == 1, 60)
        assert not pages
    visit.join(60)
    [at] = pages
    assert not at.exception
    assert shown(at)


def test_a_page_that_fails_lets_the_next_one_in(opened, monkeypatch):
    room = Admission(1)
    monkeypatch.setattr(frame, "PAGES", room)
    monkeypatch.setattr(frame, "elsewhere", lambda page: 1 / 0)
    opened("start")
    assert not room.is_busy
