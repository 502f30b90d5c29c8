"""The files of `hosting/` say what the service and the guide say."""

from __future__ import annotations

import re
import tomllib

import pytest

from mlcore.spine.threads import THREAD_VARIABLES
from service.bringing.allowed import ADDRESSES, SQL
from service.database import FOLDER
from service.executors import SCHEDULER
from service.limits import Limits, read
from tests.architecture.test_documents import ROOT, blocks

HOSTING = ROOT / "hosting"
# People who open a page at once behind one address, and what one page asks for beside /static/.
CLASS, PAGE_ASKS = 60, 30
CACHE = "NUMBA_CACHE_DIR"
GUIDE = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")


def settings(*, on: bool) -> dict[str, str]:
    """The variables that mlscope.env sets, or those that it only names."""
    text = (HOSTING / "mlscope.env").read_text(encoding="utf-8")
    return dict(re.findall(rf"^{'' if on else '#'}([A-Z_]+)=(.*)$", text, re.M))


def nginx() -> str:
    """The configuration of nginx without its comments."""
    text = (HOSTING / "nginx.conf").read_text(encoding="utf-8")
    return re.sub(r"^ *#.*\n| *#.*", "", text, flags=re.M)


def test_every_process_is_held_to_as_many_threads_as_the_app():
    given = settings(on=True)
    assert read(given).threads == 1
    assert {given[name] for name in THREAD_VARIABLES if name in given} == {"1"}
    numeric = {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"}
    assert numeric <= given.keys()


def test_the_settings_are_those_that_are_read():
    named = settings(on=True) | settings(on=False)
    ours = {f.metadata["variable"] for f in Limits.__dataclass_fields__.values()}
    others = {FOLDER, SCHEDULER, "DATABASE_URL", "STREAMLIT_SERVER_COOKIE_SECRET", CACHE}
    others |= {ADDRESSES, SQL}
    assert named.keys() <= ours | others | set(THREAD_VARIABLES)
    assert {SCHEDULER, "DATABASE_URL"} <= settings(on=False).keys()


def test_an_upload_passes_as_far_as_the_server_takes_it():
    streamlit = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    (uploads,) = re.findall(r"location ~ /_stcore/upload_file/ \{(.*?)\}", nginx(), re.S)
    # The body of a request says more than the file that it brings.
    assert f"client_max_body_size {Limits().upload_mb + 1}m;" in uploads
    assert streamlit["server"]["maxUploadSize"] == Limits().upload_mb


def test_nothing_else_that_is_sent_is_large():
    (elsewhere,) = re.findall(r"\n    client_max_body_size (\w+);", nginx())
    assert elsewhere == "1m"


def test_no_other_site_frames_a_page_and_no_file_is_taken_for_another_kind():
    headers = dict(re.findall(r"\n    add_header (\S+) (.+) always;", nginx()))
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Content-Security-Policy"] == "\"frame-ancestors 'self'\""
    assert headers["X-Frame-Options"] == "SAMEORIGIN"
    # A location that added one of its own would lose them all.
    assert "\n        add_header" not in nginx()


def test_an_address_is_limited_with_room_for_a_class_that_opens_a_page_at_once():
    text = nginx()
    bursts = dict(re.findall(r"\n    limit_req zone=(\w+) burst=(\d+) nodelay;", text))
    assert bursts.keys() == set(re.findall(r"limit_req_zone \S+ zone=(\w+):", text))
    assert int(bursts["mlscope_requests"]) >= CLASS * PAGE_ASKS
    assert int(bursts["mlscope_opened"]) >= CLASS
    assert '~^/static/ "";' in text  # what costs nothing is not counted
    (sessions,) = re.findall(r"\n    limit_conn mlscope_sessions (\d+);", text)
    assert int(sessions) >= 2 * CLASS
    assert re.findall(r"limit_(?:req|conn)_status (\d+);", text) == ["429", "429"]


def test_the_guide_shows_the_configuration_as_it_is():
    lines = [line.strip() for line in nginx().splitlines() if line.strip()]
    there = [line.strip() for shown in blocks("nginx", GUIDE) for line in shown.splitlines()]
    assert len(there) > 10
    assert [line for line in there if line not in lines] == []


def unit(name: str) -> dict[str, str]:
    """What a unit of systemd says; of several equal keys the last."""
    text = (HOSTING / name).read_text(encoding="utf-8")
    return dict(re.findall(r"^([A-Za-z]+)=(.*)$", text, re.M))


UNITS = ("mlscope@.service", "mlscope-worker@.service", "mlscope-scheduler.service")


@pytest.mark.parametrize("name", UNITS)
def test_no_service_can_write_to_its_code_and_each_is_started_again(name):
    said = unit(name)
    assert said["ProtectSystem"] == "strict" and "ReadWritePaths" not in said
    assert (said["User"], said["NoNewPrivileges"]) == ("mlscope", "true")
    assert (said["Restart"], said["RestartSec"]) == ("always", "2")


@pytest.mark.parametrize("name", UNITS[:2])
def test_who_compiles_loops_has_a_folder_for_them(name):
    assert settings(on=True)[CACHE] == f"/var/cache/{unit(name)['CacheDirectory']}"


def test_a_server_writes_where_shared_runs_are_kept_and_outlives_its_workers():
    said = unit("mlscope@.service")
    assert settings(on=True)[FOLDER] == f"/var/lib/{said['StateDirectory']}"
    assert said["OOMPolicy"] == "continue"


def test_the_code_belongs_to_root_in_the_guide_and_in_the_container():
    assert not re.findall(r"chown.*/srv/mlscope", GUIDE)
    container = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert container.index("COPY . .") < container.index("USER mlscope")
    (given,) = re.findall(r"chown mlscope (.*)", container)
    places = dict(re.findall(r"(\w+)=(/\S+)", container))
    assert set(given.split()) == {places[FOLDER], places[CACHE]}


def test_no_log_and_no_other_site_learns_the_link_to_a_shared_run():
    text = nginx()
    (log,) = re.findall(r"log_format mlscope (.*?);", text, re.S)
    secret = {"$request", "$request_uri", "$args", "$query_string", "$http_referer"}
    assert not secret & set(re.findall(r"\$\w+", log))
    assert "access_log /var/log/nginx/mlscope.log mlscope;" in text
    assert "Referrer-Policy same-origin" in text


def test_every_file_is_named_by_the_guide():
    files = {file.name for file in HOSTING.iterdir() if file.is_file()}
    told = {name for name in files if name in GUIDE}
    assert files - told == {"try_it.py", "with_postgres.sh"}  # `make try-hosting` calls them
