"""What the server holds of uploaded files, whether or not a page asked for them."""

from __future__ import annotations

import pytest
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from service import uploads
from service.limits import Limits

MB = 2**20


@pytest.fixture
def manager() -> MemoryUploadedFileManager:
    """Streamlit's own, with room for 2 MB of a session and 5 MB of all."""
    made = MemoryUploadedFileManager("/upload")
    uploads.bound(made, Limits(upload_mb=2, uploads_mb=5))
    return made


def put(manager: MemoryUploadedFileManager, session: str, file: str, size: int = MB) -> None:
    manager.add_file(session, UploadedFileRec(file, "a.csv", "text/csv", bytes(size)))


def held(manager: MemoryUploadedFileManager) -> dict[str, list[str]]:
    return {session: list(files) for session, files in manager.file_storage.items() if files}


def test_files_that_no_page_asked_for_do_not_pile_up(manager):
    for k in range(6):
        put(manager, "a", str(k))
    assert held(manager) == {"a": ["4", "5"]}


def test_the_oldest_files_of_all_sessions_are_let_go(manager):
    for session in "abcdefg":
        put(manager, session, "1")
    assert list(held(manager)) == list("cdefg")


def test_a_file_that_comes_again_counts_once(manager):
    for _ in range(4):
        put(manager, "a", "1")
    put(manager, "a", "2")
    assert held(manager) == {"a": ["1", "2"]}


def test_what_a_page_or_the_end_of_a_session_removed_takes_no_room(manager):
    for session in "abcde":
        put(manager, session, "1")
    manager.remove_file("b", "1")
    manager.remove_session_files("c")
    for session in "fg":
        put(manager, session, "1")
    assert list(held(manager)) == list("adefg")


def test_a_file_larger_than_all_the_room_stands_alone(manager):
    put(manager, "a", "1")
    put(manager, "b", "1", 6 * MB)
    assert held(manager) == {"b": ["1"]}


def test_bounds_are_set_once(manager):
    before = manager.add_file
    uploads.bound(manager, Limits())
    assert manager.add_file == before
