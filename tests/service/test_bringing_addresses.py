"""Tables by their address: what is refused before anything is sent, and what a server may do."""

from __future__ import annotations

import gzip
import socket
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from mlcore.spine.errors import FileError, ParamError
from service.bringing import addresses, allowed, fetching, networks
from service.bringing.allowed import Asking
from service.bringing.fetching import Bounds, fetch

CSV = b"a,b\n" + b"".join(b"%d,%d\n" % (k, k * k) for k in range(50))
HERE = "127.0.0.1"

PRIVATE = (
    "127.0.0.1", "127.9.9.9", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254",
    "0.0.0.0", "100.64.1.1", "192.0.0.8", "198.18.0.1", "192.88.99.1", "224.0.0.1", "240.0.0.1",
    "255.255.255.255", "203.0.113.7", "::1", "::", "fe80::1", "fc00::1", "fd12::1", "ff02::1",
    "fec0::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1",
    "64:ff9b::a00:1", "64:ff9b:1::1", "2002:7f00:1::", "2002:a00:1::1", "2001:0:1::1",
    "2001:db8::1", "100::1",
)  # fmt: skip
FILE = "file:" + "///etc/passwd"
PUBLIC = ("93.184.216.34", "8.8.8.8", "2606:4700::1111", "64:ff9b::808:808", "2002:808:808::1")


@pytest.mark.parametrize("text", PRIVATE)
def test_a_machine_that_is_not_of_the_public_internet_is_refused(text):
    assert not networks.is_public(networks.ip_address(text))


@pytest.mark.parametrize("text", PUBLIC)
def test_a_public_machine_is_not(text):
    assert networks.is_public(networks.ip_address(text))


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "127.1", "localhost",
        "localhost.", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]",
        "[::]", "0", "169.254.169.254", "１２７.0.0.1", "①②⑦.0.0.1", "[fe80::1%25lo]",
    ],
)  # fmt: skip
def test_no_way_to_write_this_machine_leads_to_it(host):
    with pytest.raises(FileError, match=r"public internet|known by the name|no name of a machine"):
        fetch(f"http://{host}/latest/meta-data", Bounds(1000))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no address yet"),
        (FILE, "http:// and https://"),
        ("ftp://example.org/a.csv", "http:// and https://"),
        ("gopher://example.org/_GET", "http:// and https://"),
        ("data:text/csv,a", "http:// and https://"),
        ("//example.org/a.csv", "http:// and https://"),
        ("/etc/passwd", "http:// and https://"),
        ("http://user:pass@example.org/a.csv", "no name and no password"),
        ("http://example.org@127.0.0.1/", "no name and no password"),
        ("http://@127.0.0.1/", "no name and no password"),
        ("http:///a.csv", "names no machine"),
        ("http://example.org:22/", "Port 22"),
        ("http://example.org:6379/", "Port 6379"),
        ("http://example.org:0/", "Port 0"),
        ("http://example.org:99999/", "no address"),
        ("http://[::1/", "no address"),
        ("http://example.org/a\r\nX: y", "no spaces"),
        ("http://example.org\\@127.0.0.1/", "backslashes"),
        ("http://example.org/" + "a" * 3000, "at most"),
        ("http://" + "a" * 70 + ".org/", "no name of a machine"),
    ],
)
def test_what_is_no_address_of_a_page_is_a_sentence(text, says):
    with pytest.raises(FileError, match=says):
        addresses.read(text)


def test_a_name_that_leads_to_a_private_machine_is_refused_whatever_else_it_leads_to(monkeypatch):
    def both(host, port, **how):
        return [(2, 1, 6, "", ("93.184.216.34", port)), (2, 1, 6, "", ("10.0.0.1", port))]

    monkeypatch.setattr(networks.socket, "getaddrinfo", both)
    with pytest.raises(FileError, match="public internet"):
        networks.resolved("example.org", 80)


def test_a_name_is_asked_for_once_and_the_connection_made_to_that_answer(monkeypatch):
    """An answer that changes between the look and the connection leads nowhere else."""
    answers = iter(["93.184.216.34", "127.0.0.1"])
    connected = []

    def refuse(place, timeout):
        connected.append(place)
        raise OSError("closed")

    monkeypatch.setattr(
        networks.socket, "getaddrinfo",
        lambda host, port, **how: [(2, 1, 6, "", (next(answers), port))],
    )  # fmt: skip
    monkeypatch.setattr(fetching.socket, "create_connection", refuse)
    with pytest.raises(FileError, match="does not answer"):
        fetch("http://example.org/a.csv", Bounds(1000))
    assert connected == [("93.184.216.34", 80)]


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        (
            "https://docs.google.com/spreadsheets/d/1AbCdEfGhIjKl/edit?usp=sharing#gid=42",
            "https://docs.google.com/spreadsheets/d/1AbCdEfGhIjKl/export?format=csv&gid=42",
        ),
        (
            "https://docs.google.com/spreadsheets/d/1AbCdEfGhIjKl/edit",
            "https://docs.google.com/spreadsheets/d/1AbCdEfGhIjKl/export?format=csv",
        ),
        (
            "https://docs.google.com/spreadsheets/u/0/d/1AbCdEfGhIjKl/edit?gid=7",
            "https://docs.google.com/spreadsheets/d/1AbCdEfGhIjKl/export?format=csv&gid=7",
        ),
        (
            "https://docs.google.com/spreadsheets/d/e/2PACX-1vAbCdEfGh/pubhtml?gid=3",
            "https://docs.google.com/spreadsheets/d/e/2PACX-1vAbCdEfGh/pub"
            "?output=csv&gid=3&single=true",
        ),
        (
            "https://docs.google.com/spreadsheets/d/1AbCdEfGhIjKl/edit#gid=1&x=http://a",
            "https://docs.google.com/spreadsheets/d/1AbCdEfGhIjKl/export?format=csv",
        ),
        ("https://example.org/spreadsheets/d/1AbCdEfGhIjKl/edit",) * 2,
    ],
)
def test_the_address_of_a_shared_sheet_becomes_that_of_its_csv(given, asked):
    assert str(addresses.read(given)) == asked


def test_a_query_may_hold_a_secret_and_is_in_no_record():
    at = addresses.read("https://example.org:8443/d/my%20table.csv?token=secret#x")
    assert (at.told, at.name) == ("https://example.org:8443/d/my%20table.csv", "my table.csv")
    assert str(at).endswith("?token=secret")


class Site:
    """A server on this machine whose answers a test writes byte by byte."""

    def __init__(self) -> None:
        self.answers: dict[str, Callable[[BaseHTTPRequestHandler], None]] = {}
        self.heard: list[tuple[str, dict[str, str]]] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.heard.append((self.path, {k.lower(): v for k, v in self.headers.items()}))
                site.answers[self.path.partition("?")[0]](self)

            def log_message(self, *args: object) -> None:
                pass

            def handle_one_request(self) -> None:
                try:
                    super().handle_one_request()
                except OSError:
                    self.close_connection = True  # the reader went away, as it should

        self.server = ThreadingHTTPServer((HERE, 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(
            target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )
        self.thread.start()

    def at(self, path: str, host: str = HERE) -> str:
        return f"http://{host}:{self.port}{path}"

    def bounds(self, size: int = 10_000, seconds: float = 10.0) -> Bounds:
        ports = (*addresses.OPEN_PORTS, self.port)
        return Bounds(size, seconds, ports, ((HERE, self.port),))

    def says(self, path: str, body: bytes = b"", status: int = 200, **headers: str) -> None:
        def answer(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(status)
            for name, value in headers.items():
                handler.send_header(name.replace("_", "-"), value)
            handler.end_headers()
            handler.wfile.write(body)

        self.answers[path] = answer


@pytest.fixture
def site() -> Iterator[Site]:
    made = Site()
    yield made
    made.server.shutdown()
    made.server.server_close()


def test_a_file_is_fetched_with_no_more_said_than_needed(site):
    site.says("/t/a.csv", CSV, Content_Type="text/csv; charset=utf-8", Content_Length=str(len(CSV)))
    got = fetch(site.at("/t/a.csv?key=1"), site.bounds())
    assert got == (CSV, site.at("/t/a.csv"), "a.csv", "text/csv")
    ((path, headers),) = site.heard
    assert path == "/t/a.csv?key=1"
    assert not headers.keys() & {"cookie", "authorization", "referer", "proxy-authorization"}
    assert headers["host"] == f"{HERE}:{site.port}"


def test_without_the_allowance_of_the_test_it_is_not(site):
    site.says("/a.csv", CSV)
    with pytest.raises(FileError, match="public internet"):
        fetch(site.at("/a.csv"), site.bounds()._replace(open_to=()))
    assert site.heard == []


@pytest.mark.parametrize(
    ("there", "says"),
    [
        ("http://127.0.0.1/x", "public internet"),
        ("http://169.254.169.254/latest/", "public internet"),
        ("http://[::ffff:10.0.0.1]/", "public internet"),
        ("http://2130706433/", "public internet"),
        (FILE, "http:// and https://"),
        ("http://a:b@example.org/", "no name and no password"),
        ("http://example.org:22/", "Port 22"),
        ("//127.0.0.1/x", "public internet"),
        ("https://accounts.google.com/signin", "sign in"),
    ],
)
def test_a_redirection_is_looked_at_like_an_address(site, there, says):
    site.says("/a", status=302, Location=there)
    with pytest.raises(FileError, match=says):
        fetch(site.at("/a"), site.bounds())
    assert len(site.heard) == 1


def test_five_redirections_are_followed_and_no_more(site):
    for k in range(6):
        site.says(f"/{k}", status=(301, 302, 303, 307, 308)[k % 5], Location=f"/{k + 1}")
    site.says("/6", CSV)
    assert fetch(site.at("/1"), site.bounds()).content == CSV
    with pytest.raises(FileError, match="more than 5 times"):
        fetch(site.at("/0"), site.bounds())
    site.says("/loop", status=302, Location="/loop")
    with pytest.raises(FileError, match="more than 5 times"):
        fetch(site.at("/loop"), site.bounds())
    site.says("/none", status=302)
    with pytest.raises(FileError, match="does not say where"):
        fetch(site.at("/none"), site.bounds())


def test_what_is_too_large_is_left_where_it_is(site):
    site.says("/said", b"", Content_Length="999999999")
    with pytest.raises(FileError, match="may be fetched"):
        fetch(site.at("/said"), site.bounds())

    sent = []

    def endless(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        for _ in range(10_000):
            handler.wfile.write(b"1,2\n" * 4096)
            sent.append(1)

    site.answers["/endless"] = endless
    with pytest.raises(FileError, match="may be fetched"):
        fetch(site.at("/endless"), site.bounds())
    assert len(sent) < 5000


def test_a_bomb_is_not_unpacked(site):
    bomb = gzip.compress(bytes(20_000_000))
    site.says("/bomb", bomb, Content_Encoding="gzip", Content_Length=str(len(bomb)))
    with pytest.raises(FileError, match="may be fetched"):
        fetch(site.at("/bomb"), site.bounds(100_000))


def test_what_is_packed_in_several_pieces_comes_whole(site):
    """Each is a file of gzip by itself: the first alone would pass for the whole table."""
    many = [CSV, *(b"%d,%d\n" % (k, 2 * k) for k in range(5000))]
    pieces = [gzip.compress(rows) for rows in many]
    site.says("/pieces", b"".join(pieces), Content_Encoding="gzip")
    assert fetch(site.at("/pieces"), site.bounds(10**6)).content == b"".join(many)
    site.says("/cut", b"".join(pieces)[:-9], Content_Encoding="gzip")
    with pytest.raises(FileError, match="ended before all had come"):
        fetch(site.at("/cut"), site.bounds(10**6))
    site.says("/padded", pieces[0] + bytes(600), Content_Encoding="gzip")
    assert fetch(site.at("/padded"), site.bounds()).content == CSV
    bomb = b"".join(gzip.compress(bytes(60_000)) for _ in range(3))
    site.says("/bombs", bomb, Content_Encoding="gzip")
    with pytest.raises(FileError, match="may be fetched"):
        fetch(site.at("/bombs"), site.bounds(100_000))


def test_what_is_packed_for_the_way_is_unpacked_and_must_be_whole(site):
    packed = gzip.compress(CSV)
    site.says("/whole", packed, Content_Encoding="gzip")
    assert fetch(site.at("/whole"), site.bounds()).content == CSV
    site.says("/half", packed[:-9], Content_Encoding="gzip")
    with pytest.raises(FileError, match="ended before all had come"):
        fetch(site.at("/half"), site.bounds())
    site.says("/broken", b"no gzip", Content_Encoding="gzip")
    with pytest.raises(FileError, match="cannot be fetched"):
        fetch(site.at("/broken"), site.bounds())
    site.says("/br", packed, Content_Encoding="br")
    with pytest.raises(FileError, match="nobody asked for"):
        fetch(site.at("/br"), site.bounds())


@pytest.mark.parametrize("where", ["body", "unannounced", "headers", "status", "nothing"])
def test_a_slow_server_is_not_waited_for(site, where):
    def drip(handler: BaseHTTPRequestHandler) -> None:
        starts = {
            "body": b"HTTP/1.0 200 OK\r\nContent-Length: 999\r\n\r\n",
            "unannounced": b"HTTP/1.0 200 OK\r\n\r\n",
            "headers": b"HTTP/1.0 200 OK\r\nX-Y: ",
            "status": b"HTTP/1.0 2",
            "nothing": b"",
        }
        handler.wfile.write(starts[where])
        handler.wfile.flush()
        for _ in range(60 if where != "nothing" else 0):
            handler.wfile.write(b"1")
            handler.wfile.flush()
            time.sleep(0.1)
        time.sleep(2.0 if where == "nothing" else 0)

    site.answers["/slow"] = drip
    begun = time.monotonic()
    with pytest.raises(FileError, match="did not come within the time"):
        fetch(site.at("/slow"), site.bounds(seconds=0.6))
    assert time.monotonic() - begun < 2.0


def test_a_reader_whose_own_clock_ends_first_says_the_same(site, monkeypatch):
    monkeypatch.setattr(fetching, "PATIENCE", 0.2)
    site.answers["/silent"] = lambda handler: time.sleep(0.6)
    with pytest.raises(FileError, match="did not come within the time"):
        fetch(site.at("/silent"), site.bounds(seconds=20))


def test_a_handshake_that_never_ends_is_on_the_clock_too():
    with socket.create_server((HERE, 0)) as door:
        port = door.getsockname()[1]
        bounds = Bounds(1000, 0.6, (port,), ((HERE, port),))
        begun = time.monotonic()
        with pytest.raises(FileError, match="did not come within the time"):
            fetch(f"https://{HERE}:{port}/a.csv", bounds)
        assert time.monotonic() - begun < 2.0


@pytest.mark.parametrize(
    ("status", "headers", "says"),
    [
        (404, {}, "answers 404"),
        (401, {}, "answers 401"),
        (500, {}, "answers 500"),
        (200, {"Content_Type": "image/png"}, "no table"),
        (200, {"Content_Type": "video/mp4"}, "no table"),
        (200, {"Content_Length": "5000"}, "ended before all had come|IncompleteRead|cannot be"),
    ],
)
def test_what_is_no_table_is_a_sentence(site, status, headers, says):
    site.says("/a", CSV, status=status, **headers)
    with pytest.raises(FileError, match=says):
        fetch(site.at("/a"), site.bounds())


def test_a_proxy_of_the_machine_is_not_asked(site, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    site.says("/a.csv", CSV)
    assert fetch(site.at("/a.csv"), site.bounds()).content == CSV


OWN = Asking("localhost", "localhost:8501", frozenset({"host", "cookie"}))


@pytest.mark.parametrize(
    ("asking", "is_own"),
    [
        (OWN, True),
        (OWN._replace(listens="127.0.0.1", host="127.0.0.1:8501"), True),
        (OWN._replace(listens="::1", host="[::1]:8501"), True),
        (OWN._replace(listens=""), False),
        (OWN._replace(listens="0.0.0.0"), False),
        (OWN._replace(listens="192.168.1.5"), False),
        (OWN._replace(host="mlscope.example.org"), False),  # by a proxy, or a name that leads here
        (OWN._replace(host=""), False),
        (OWN._replace(headers=frozenset({"host", "x-forwarded-for"})), False),
        (OWN._replace(headers=frozenset({"via"})), False),
        (OWN._replace(origin="http://localhost:8501"), True),
        (OWN._replace(origin="http://[::1]:8501"), True),
        (OWN._replace(origin="https://mlscope.example.org"), False),  # a proxy that says nothing
        (OWN._replace(origin="null"), False),
    ],
)
def test_a_machine_of_ones_own_is_asked_from_there_and_through_no_proxy(asking, is_own):
    assert allowed.is_own(asking) is is_own
    assert (allowed.why_no_address(asking, {}) == "") is is_own
    assert (allowed.why_no_sql(asking, {}) == "") is is_own


def test_settings_switch_addresses_on_for_others_and_databases_never():
    hosted = OWN._replace(listens="0.0.0.0", host="mlscope.example.org")
    assert allowed.why_no_address(hosted, {allowed.ADDRESSES: "1"}) == ""
    assert allowed.why_no_address(OWN, {allowed.ADDRESSES: "0"}) == allowed.NO_ADDRESSES
    assert allowed.why_no_sql(OWN, {allowed.SQL: "0"}) == allowed.NO_SQL
    with pytest.raises(ParamError, match="MLSCOPE_SQL must be 0"):
        allowed.why_no_sql(hosted, {allowed.SQL: "1"})
    with pytest.raises(ParamError, match="MLSCOPE_ADDRESSES must be 0 or 1"):
        allowed.why_no_address(OWN, {allowed.ADDRESSES: "yes"})
