"""Tables in databases: named connections, listed in a file by the operator of the server.

The environment variable ``RULEKIT_TABLES`` names the file, in TOML::

    [sales]
    url = "postgres://reader:${SALES_PASSWORD}@db.example/sales"
    tables = ["orders", "archive.customers"]

``${NAME}`` is replaced by an environment variable, so that no secret is in the file; a secret in it
raises an error. Addresses and drivers' messages are not shown: they go to the server's log, with
secrets masked. Only the listed tables can be read.
"""

import logging
import os
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

from rulekit._engine import quiet
from rulekit.exceptions import DataError

VARIABLE = "RULEKIT_TABLES"
GIVEN = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
SECRET = re.compile("pass|pwd|secret|token|key|credential", re.IGNORECASE)
BLOT = "***"
log = logging.getLogger("rulekit.dashboard")


@dataclass(frozen=True)
class Connection:
    """One named connection; its address is not shown."""

    name: str
    tables: tuple[str, ...]
    url: str = field(repr=False)

    def link(self, table: str) -> "TableLink":
        """Return a link to one of its tables, without opening it."""
        if table not in self.tables:
            raise DataError(
                f"The connection {self.name[:60]!r} has no table {table[:120]!r}. Choose one of "
                "the list."
            )
        secrets = []
        for name in GIVEN.findall(self.url):
            value = os.environ.get(name, "")
            if not value:
                raise DataError(
                    f"The connection {self.name[:60]!r} needs the environment variable {name}, "
                    "which is not set where this server runs. Its operator can set it."
                )
            secrets += [value, quote(value, safe="")]
        address = GIVEN.sub(lambda match: quote(os.environ[match[1]], safe=""), self.url)
        return TableLink(self.name, table, address, (*secrets, address))


@dataclass(frozen=True)
class TableLink:
    """A table of a connection and its address, which is not shown."""

    name: str
    table: str
    address: str = field(repr=False)
    secrets: tuple[str, ...] = field(repr=False)

    def opened(self) -> Any:
        """Open the table; DataError if the database does not answer, or has no such table."""
        schema, _, table_name = self.table.rpartition(".")
        try:
            import ibis

            quiet()
            return ibis.connect(self.address).table(table_name, database=schema or None)
        except Exception as error:  # every driver has its own errors, and may include the address
            message = without(f"{type(error).__name__}: {error}", self.secrets)
            log.warning("connection %r, table %r: %s", self.name, self.table, message)
            raise DataError(
                f"The table {self.table[:120]!r} of the connection {self.name[:60]!r} cannot be "
                f"opened ({type(error).__name__}). The reason is in the server's log."
            ) from None


def without(words: str, secrets: tuple[str, ...]) -> str:
    """Replace secrets in a text."""
    for secret in sorted(secrets, key=len, reverse=True):
        words = words.replace(secret, BLOT)
    return words


def connections() -> dict[str, Connection]:
    """Read the file of connections; without one there are none."""
    named = os.environ.get(VARIABLE, "")
    if not named:
        return {}
    try:
        listed = tomllib.loads(Path(named).read_text(encoding="utf-8"))
    except (OSError, UnicodeError) as error:
        raise DataError(
            f"The file that {VARIABLE} names cannot be read ({type(error).__name__}); its operator "
            "can name another, or unset the variable."
        ) from error
    except tomllib.TOMLDecodeError as error:
        where = re.search(r"\(at [^()]*\)$", str(error))
        raise DataError(
            f"The file that {VARIABLE} names must be TOML{' ' + where[0] if where else ''}; see "
            "the guide for what it holds."
        ) from None
    return {name: _connection(name, given) for name, given in listed.items()}


def _connection(name: str, given: Any) -> Connection:
    """Check the entry of one connection in the file; messages contain none of its values."""
    head = f"The connection {name[:60]!r} in the file that {VARIABLE} names"
    if not isinstance(given, dict) or set(given) != {"url", "tables"}:
        held = ", ".join(sorted(map(str, given)))[:120] if isinstance(given, dict) else "a value"
        raise DataError(f"{head} must hold `url` and `tables`, and nothing else; it holds {held}.")
    url, tables = given["url"], given["tables"]
    if not isinstance(url, str) or "://" not in url:
        raise DataError(f"{head} must give its `url` as text such as 'postgres://host/database'.")
    if not isinstance(tables, list) or not tables or not all(isinstance(t, str) for t in tables):
        raise DataError(f"{head} must list in `tables` the names of the tables that may be read.")
    if any(value and not GIVEN.fullmatch(value) for value in _secrets_in(url)):
        raise DataError(
            f"{head} holds a secret; write ${{NAME}} in its place, and set the environment "
            "variable NAME where this server runs."
        )
    return Connection(name, tuple(tables), url)


def _secrets_in(url: str) -> list[str]:
    """List the secret parts of an address: the password and parameters named like one."""
    try:
        parts = urlsplit(url)
        secrets = [parts.password or ""]
    except ValueError:  # an address that cannot be parsed is rejected when it is opened
        return []
    return secrets + [v for k, v in parse_qsl(parts.query) if SECRET.search(k)]
