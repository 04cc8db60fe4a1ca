"""A PostgreSQL server of the tests' own: Debian's, on a private socket, gone when they are over."""

import math
import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from rulekit.explain.subject import value_at
from tests.waiting import until

REQUIRED = "RULEKIT_REQUIRE_POSTGRES"  # set by .ci/run: absent is then an error, not a skip
USER = "rulekit"


def programs():
    """Return the folder of the newest server's programs; skips where there is none."""
    result = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: float(p.parts[-3])
    )
    if not result:
        if os.environ.get(REQUIRED):
            pytest.fail(f"{REQUIRED} is set, and there is no PostgreSQL in /usr/lib/postgresql.")
        pytest.skip("needs PostgreSQL (Debian: apt-get install postgresql)")
    return result[-1].parent


@contextmanager
def served():
    """Serve an empty database; gives the folder of its socket."""
    binaries = programs()
    place = Path(tempfile.mkdtemp(prefix="pg"))  # short: a socket's path has 107 bytes
    rights = {}
    if os.getuid() == 0:  # a server refuses to run as root
        rights = {"user": "nobody", "group": "nogroup", "extra_groups": []}
        shutil.chown(place, "nobody", "nogroup")
    common = {"cwd": place, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, **rights}
    try:
        make = ["initdb", "-D", "data", "-U", USER, "-A", "trust", "-E", "UTF8", "--no-sync"]
        subprocess.run([binaries / make[0], *make[1:], "--locale=C.UTF-8"], check=True, **common)
        settings = {"listen_addresses": "", "unix_socket_directories": place, "fsync": "off"}
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        with (place / "log").open("wb") as log:
            server = subprocess.Popen(
                [binaries / "postgres", "-D", "data", *options], **common | {"stderr": log}
            )

        def ready():
            assert server.poll() is None, (place / "log").read_text()
            requested = [binaries / "pg_isready", "-q", "-h", place, "-U", USER]
            return subprocess.run(requested, check=False).returncode == 0

        try:
            until(ready, pause=0.05)
            yield place
        finally:
            server.terminate()  # waits for who is connected; `kill` would leave shared memory
            server.wait()
    finally:
        shutil.rmtree(place)


@contextmanager
def connected(place):
    """Connect to the database."""
    import psycopg

    requested = {"host": str(place), "user": USER, "dbname": "postgres", "autocommit": True}
    with psycopg.connect(**requested, prepare_threshold=None) as link:  # tables of one name differ
        yield link


def type_of(column):
    """The type a column of a rule's table has in the database."""
    if column.dtype != object:
        return "double precision"
    flags = any(isinstance(v, bool | np.bool_) for v in column)
    return "boolean" if flags else "text"


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def runner(link, types=None):
    """Make what runs an expression on rows; `types` names the types of columns that are others."""

    def run(text, rows, n):
        names = [*map(quoted, rows)]
        kinds = [(types or {}).get(f, type_of(c)) for f, c in rows.items()]
        declared = ", ".join(f"{a} {b}" for a, b in zip(names, kinds, strict=True))
        link.execute(f"CREATE TEMP TABLE t ({', '.join(filter(None, ['_n integer', declared]))})")
        try:
            into = f"COPY t ({', '.join(['_n', *names])}) FROM STDIN"
            with link.cursor() as cursor, cursor.copy(into) as copy:
                for i in range(n):
                    copy.write_row([i, *(cell(column, i) for column in rows.values())])
            return [row[0] for row in link.execute(f"SELECT {text} FROM t ORDER BY _n").fetchall()]
        finally:
            link.execute("DROP TABLE t")

    return run


def cell(column, row):
    """A cell; a missing number is NULL and NaN in turn."""
    value = value_at(column, row)
    return math.nan if value is None and column.dtype != object and row % 2 else value
