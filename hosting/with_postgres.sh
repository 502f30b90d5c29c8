#!/usr/bin/env bash
# Run a command with DATABASE_URL set to a PostgreSQL of its own, which is gone afterwards:
#   hosting/with_postgres.sh python -m pytest tests/service/test_store*.py
# The programs of PostgreSQL must be installed (on Debian: apt-get install postgresql).
set -euo pipefail

initdb=$(command -v initdb || ls /usr/lib/postgresql/*/bin/initdb 2>/dev/null | sort -V | tail -n 1)
if [ -z "$initdb" ]; then
    echo "There is no PostgreSQL here: initdb was not found. Install the package postgresql." >&2
    exit 1
fi
programs=$(dirname "$(readlink -f "$initdb")")
folder=$(mktemp -d)

# PostgreSQL refuses to be run by root; Debian's package brings a user for it.
as_other=()
if [ "$(id -u)" = 0 ]; then
    chown postgres "$folder"
    as_other=(runuser -u postgres --)
fi

finish() {
    "${as_other[@]}" "$programs/pg_ctl" -D "$folder/data" -m immediate stop >"$folder/stop.log" 2>&1 || cat "$folder/stop.log" >&2
    rm -rf "$folder"
}
trap finish EXIT

cd / # the other user need not be able to read where we are
"${as_other[@]}" "$programs/initdb" -D "$folder/data" -U mlscope -A trust -E UTF8 --locale=C.UTF-8 >"$folder/initdb.log"
# A socket in our own folder and no port: it cannot meet another PostgreSQL.
"${as_other[@]}" "$programs/pg_ctl" -D "$folder/data" -w -l "$folder/server.log" \
    -o "-c listen_addresses= -c unix_socket_directories=$folder -c fsync=off" start >/dev/null
"${as_other[@]}" "$programs/createdb" -h "$folder" -U mlscope mlscope
cd "$OLDPWD"

chmod 711 "$folder"
DATABASE_URL="postgresql://mlscope@/mlscope?host=$folder" "$@"
