"""Rows of one SELECT: what comes, and what a statement may not do."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest

from mlcore.data.importing import read
from mlcore.spine.errors import FileError
from service.bringing import sql
from service.bringing.sql import Bounds, answer

BOUNDS = Bounds(rows=1000, seconds=10.0)
# Of a server that tests may ask, before fixtures take it away: hosting/with_postgres.sh.
POSTGRES = os.environ.get("DATABASE_URL", "")


@pytest.fixture
def shop(tmp_path) -> Path:
    path = tmp_path / "my shop #1.db"
    with closing(sqlite3.connect(path)) as made:
        made.execute(
            "CREATE TABLE sales (id INTEGER, town TEXT, price REAL, code TEXT, photo BLOB)"
        )
        rows = [(k, f"town {k % 3}", k / 2 if k else None, f"00{k}", b"x") for k in range(20)]
        made.executemany("INSERT INTO sales VALUES (?, ?, ?, ?, ?)", rows)
        made.commit()
    return path


def asked(path: Path, statement: str, bounds: Bounds = BOUNDS):
    return answer(str(path), statement, bounds)


def test_rows_become_a_table_with_the_types_of_the_database(shop):
    got = asked(shop, "SELECT id, town, price, code FROM sales WHERE id < 10 ORDER BY id; ")
    assert (got.name, got.database) == ("SELECT from my shop #1.db", "my shop #1.db")
    table = read(got.content, got.name).table
    assert table.names == ("id", "town", "price", "code") and table.n_rows == 10
    assert [table.column(name).kind for name in ("id", "price")] == ["identifier", "number"]
    assert table.column("price").missing == 1
    assert table.column("code").kind != "number"  # 007 is no seven


def test_with_and_joins_and_columns_of_one_name_are_read(shop):
    statement = "WITH s AS (SELECT * FROM sales) SELECT a.id, b.id FROM s a JOIN s b USING (id)"
    assert read(asked(shop, statement).content).table.names == ("id", "id (2)")
    values = asked(shop, "VALUES (1, 'a'), (2, 'b')")
    assert read(values.content).table.n_rows == 2


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("", "no statement yet"),
        ("DROP TABLE sales", "must begin with SELECT"),
        ("PRAGMA table_info(sales)", "must begin with SELECT"),
        ("ATTACH DATABASE '/etc/passwd' AS p", "must begin with SELECT"),
        ("DELETE FROM sales", "must begin with SELECT"),
        ("WITH a AS (SELECT 1) DELETE FROM sales", "may only read"),
        ("WITH a AS (SELECT 1) INSERT INTO sales SELECT 1,2,3,4,5", "may only read"),
        ("SELECT 1; DROP TABLE sales", "database says"),
        ("SELECT * FROM pragma_table_info('sales')", "may only read"),
        ("SELECT * FROM pragma_journal_mode('delete')", "may only read"),
        ("SELECT load_extension('x')", "may only read|no such function"),
        ("SELECT readfile('/etc/passwd')", "may only read|no such function"),
        ("SELECT fts3_tokenizer('simple')", "may only read|no such function"),
        ("SELECT * FROM sale", "no such table: sale. There are sales"),
        ("SELECT photo FROM sales", "'photo' holds bytes"),
        ("SELECT id FROM sales WHERE id > 99", "gives no rows"),
        ("SELECT 1 /* \0 */", "no zero byte"),
        ("SELECT " + "1," * 20_000 + "1", "at most"),
        ("SELECT randomblob(900000000)", "database says"),
    ],
)
def test_a_statement_that_does_anything_else_is_refused(shop, statement, says):
    before = shop.read_bytes()
    with pytest.raises(FileError, match=says):
        asked(shop, statement)
    assert shop.read_bytes() == before
    assert [f.name for f in shop.parent.iterdir()] == [shop.name]


ENDLESS = "WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n) SELECT {} FROM n"


def test_a_statement_without_end_is_ended(shop):
    begun = time.monotonic()
    with pytest.raises(FileError, match="longer than the time allowed"):
        asked(shop, ENDLESS.format("max(k)"), BOUNDS._replace(seconds=0.3))
    assert time.monotonic() - begun < 2.0


def test_rows_and_bytes_are_counted_as_they_come(shop):
    with pytest.raises(FileError, match="more than the 1,000 rows"):
        asked(shop, ENDLESS.format("k"))
    with pytest.raises(FileError, match="more than 1 MB"):
        asked(shop, ENDLESS.format("hex(zeroblob(100000))"), BOUNDS._replace(size=2**20))


def test_changes_that_are_in_a_journal_are_read_too(shop):
    with closing(sqlite3.connect(shop)) as other:
        other.execute("PRAGMA journal_mode = WAL")
        other.execute("UPDATE sales SET town = 'Bern'")
        other.commit()
        got = asked(shop, "SELECT id, town FROM sales")
        assert set(read(got.content).table.column("town").levels) == {"Bern"}


def test_what_is_no_database_is_a_sentence(tmp_path, shop):
    (text := tmp_path / "a.csv").write_text("a,b\n1,2\n")
    (broken := tmp_path / "b.db").write_bytes(sql.SQLITE + b"x" * 500)
    for path, says in (
        (text, "no database of SQLite"),
        (tmp_path / "none.db", "no file"),
        (tmp_path, "no file"),
        (Path("/dev/zero"), "no file"),
        (broken, "database says"),
    ):
        with pytest.raises(FileError, match=says):
            asked(path, "SELECT 1")
    with pytest.raises(FileError, match="no database yet"):
        answer(" ", "SELECT 1", BOUNDS)


@pytest.mark.parametrize("module", ["duckdb", "psycopg"])
def test_without_its_driver_a_database_says_what_to_install(tmp_path, monkeypatch, module):
    monkeypatch.setattr(sql, "find_spec", lambda name: None)
    (duck := tmp_path / "a.duckdb").write_bytes(bytes(8) + b"DUCK" + bytes(100))
    database = str(duck) if module == "duckdb" else "postgresql://localhost/x"
    with pytest.raises(FileError, match=f"not installed: pip install .*{module}"):
        answer(database, "SELECT 1", BOUNDS)


@pytest.mark.skipif(find_spec("duckdb") is None, reason="LOUD: no duckdb; its SELECT is not tested")
class TestDuckDB:
    """The same in DuckDB."""

    @pytest.fixture
    def duck(self, tmp_path) -> Path:
        import duckdb  # type: ignore[import-not-found]  # where it is installed

        path = tmp_path / "a.duckdb"
        with duckdb.connect(str(path)) as made:
            made.execute(
                "CREATE TABLE t AS SELECT k, DATE '2024-01-02' + k::INT AS d FROM range(20) t(k)"
            )
        return path

    def test_rows_become_a_table(self, duck):
        table = read(asked(duck, "SELECT * FROM t ORDER BY k").content).table
        assert table.names == ("k", "d") and table.column("d").kind == "datetime"

    @pytest.mark.parametrize(
        "statement",
        [
            "SELECT * FROM read_csv('/etc/passwd')",
            "SELECT * FROM '/etc/passwd'",
            "SELECT * FROM glob('/etc/*')",
            "SELECT * FROM read_text('/etc/passwd')",
            "SELECT * FROM query('SELECT * FROM read_text(''/etc/passwd'')')",
            "SELECT * FROM sniff_csv('/etc/passwd')",
            "SELECT * FROM read_blob('/etc/passwd')",
            "SELECT * FROM 'http://127.0.0.1:1/x.csv'",
            "SELECT * FROM duckdb_secrets()",
            "SELECT * FROM enable_logging('QueryLog', storage='file', storage_path='evil')",
            "SELECT 1; ATTACH 'other.duckdb'",
            "SELECT 1; INSTALL httpfs",
            "WITH a AS (SELECT 1) COPY t TO 'evil.csv'",
            "SELECT 1; DROP TABLE t",
            "WITH a AS (SELECT 1) INSERT INTO t SELECT 1, NULL",
        ],
    )
    def test_a_statement_that_does_anything_else_is_refused(self, duck, statement):
        with pytest.raises(FileError, match=r"may only read|database says"):
            asked(duck, statement)

    def test_times_with_a_zone_are_read_or_say_what_they_need(self, duck):
        statement = "SELECT d::TIMESTAMPTZ AS t, k FROM t"
        if find_spec("pytz") is None:
            with pytest.raises(FileError, match="needs the package pytz"):
                asked(duck, statement)
        else:
            assert read(asked(duck, statement).content).table.column("t").kind == "datetime"

    def test_what_it_writes_to_the_disk_has_a_bound(self, duck):
        """Of 16 bytes a row, 64 MB fit into memory; the rest is laid beside the file."""
        rows = "(SELECT hash(range) AS h, range FROM range({}) ORDER BY h LIMIT 9999999 OFFSET 9)"
        small = BOUNDS._replace(memory_mb=16)
        assert asked(duck, f"SELECT max(h) FROM {rows.format(1000)}", small).content
        with pytest.raises(FileError, match="more memory and disk than is allowed"):
            asked(duck, f"SELECT max(h), max(range) FROM {rows.format(8_000_000)}", small)
        assert not list(duck.parent.glob("*.tmp/*"))

    def test_time_and_rows_have_bounds(self, duck):
        with pytest.raises(FileError, match="longer than the time allowed"):
            asked(
                duck,
                "SELECT sum(a.range * b.range) FROM range(1000000) a, range(1000000) b",
                BOUNDS._replace(seconds=0.3),
            )
        with pytest.raises(FileError, match="more than the 1,000 rows"):
            asked(duck, "SELECT * FROM range(5000)")


@pytest.mark.skipif(
    not POSTGRES or find_spec("psycopg") is None,
    reason="LOUD: DATABASE_URL names no server (or no psycopg); PostgreSQL is not tested",
)
class TestPostgreSQL:
    """The same in PostgreSQL: `hosting/with_postgres.sh` starts one and names it."""

    @pytest.fixture
    def reader(self) -> Iterator[str]:
        """The address with a user who may read tables, and nothing beyond."""
        import psycopg  # type: ignore[import-not-found]  # where it is installed

        with psycopg.connect(POSTGRES, autocommit=True) as owner:
            owner.execute("CREATE ROLE reader LOGIN")
            owner.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")
            parts = urlsplit(POSTGRES)
            place = parts.netloc.rpartition("@")[2]
            yield urlunsplit(parts._replace(netloc=f"reader@{place}"))
            left = owner.execute("SELECT count(*) FROM pg_largeobject_metadata").fetchone()
            assert left == (0,)
            owner.execute("DROP OWNED BY reader")
            owner.execute("DROP ROLE reader")

    def test_a_user_who_may_do_more_than_read_is_not_asked(self):
        """A transaction that reads does not keep one from `pg_read_file`, `lo_export`, `dblink`."""
        with pytest.raises(FileError, match="may do more than read tables"):
            answer(POSTGRES, "SELECT pg_read_file('/etc/hostname')", BOUNDS)

    def test_rows_become_a_table(self, reader):
        statement = (
            "SELECT k, k::numeric / 2 AS half, 'x' || k AS word, now() + k * interval '1 day' AS t "
            "FROM generate_series(1, 20) k -- all"
        )
        got = answer(reader, statement, BOUNDS)
        table = read(got.content).table
        assert table.n_rows == 20 and table.column("half").values[0] == 0.5
        assert table.column("t").kind == "datetime"
        assert "@" not in got.name

    @pytest.mark.parametrize(
        "statement",
        [
            "SELECT 1; DROP TABLE x",
            "SELECT 1) AS a; COMMIT; CREATE TABLE evil (a int); SELECT * FROM (SELECT 1",
            "WITH a AS (INSERT INTO x VALUES (1) RETURNING 1) SELECT * FROM a",
            "SELECT set_config('transaction_read_only', 'off', false), nextval('x')",
            "SELECT 1 FROM no_such_table",
            "SELECT pg_read_file('/etc/hostname')",
            "SELECT pg_ls_dir('/')",
            "SELECT lo_import('/etc/hostname')",
            "SELECT query_to_xml('SELECT pg_read_file(''/etc/hostname'')', true, true, '')::text",
            "SELECT set_config('role', 'none', true), pg_reload_conf()",
            "SELECT rolpassword FROM pg_authid",
        ],
    )
    def test_a_statement_that_does_anything_else_is_refused(self, reader, statement):
        with pytest.raises(FileError, match="database says"):
            answer(reader, statement, BOUNDS)

    def test_what_a_transaction_that_reads_lets_through_is_undone(self, reader):
        answer(reader, "SELECT lo_from_bytea(0, 'abc')", BOUNDS)  # the fixture counts what is left

    def test_time_and_rows_have_bounds(self, reader):
        with pytest.raises(FileError, match="longer than the time allowed"):
            answer(reader, "SELECT pg_sleep(20)::text", BOUNDS._replace(seconds=0.3))
        with pytest.raises(FileError, match="more than the 1,000 rows"):
            answer(reader, "SELECT * FROM generate_series(1, 5000)", BOUNDS)


def test_a_password_is_in_no_name():
    from service.bringing import postgres

    assert postgres.told("postgresql://me:secret@db.example.org:5432/shop") == (
        "shop on db.example.org"
    )
    assert postgres.told("postgresql:///shop?password=secret") == "shop on this machine"


def test_a_path_that_is_too_long_is_a_sentence():
    with pytest.raises(FileError, match="There is no file"):
        sql.answer("a" * 5000, "SELECT 1", sql.Bounds(10))
