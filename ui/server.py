"""The server of the pages; it contacts no other machine."""

# Streamlit rejects a websocket opened by a page of another site; but to find its own address, it
# requests a web service and waits for the answer.

import importlib
import logging
import os
import pkgutil
import socket
import sys
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from ui import login, streamlit_private
from ui.runs import preparing

APP = Path(__file__).parents[1] / "app.py"

LOCAL = ("localhost", "127.0.0.1", "::1")
ANY = ("", "0.0.0.0", "::")  # all network interfaces of the machine


def list_hosts(address: str) -> list[str]:
    """Return the host names for visitors, from the address the server listens on."""
    # any other name may belong to a foreign page that resolves to this machine (DNS rebinding)
    if address not in ANY:
        return list(dict.fromkeys([*LOCAL, address]))
    names = [socket.gethostname(), streamlit_private.internal_ip()]
    return list(dict.fromkeys([*LOCAL, *filter(None, names)]))


def host_options(arguments: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """Return the options that limit host names; none if they are given already."""
    if "STREAMLIT_SERVER_ALLOWED_HOSTS" in environment or _get_option(arguments, "allowedHosts"):
        return []
    address = _get_option(arguments, "address") or environment.get(
        "STREAMLIT_SERVER_ADDRESS", LOCAL[1]
    )
    others = [name.strip() for name in environment.get("RULEKIT_HOSTS", "").split(",")]
    names = [*list_hosts(address), *filter(None, others)]
    return [f"--server.allowedHosts={name}" for name in names]


def _get_option(arguments: Sequence[str], option: str) -> str | None:
    """Return the value of a server option on the command line, or None."""
    for word, following in pairwise([*arguments, ""]):
        name, equals, value = word.partition("=")
        if name == f"--server.{option}":
            return value if equals else following
    return None


def warm_up() -> None:
    """Start the workers and import what pages need, so that no visitor waits for it."""
    # outside a running server, Streamlit warns about caching
    logging.getLogger("streamlit.runtime.caching.cache_data_api").disabled = True
    importlib.import_module("ui.runs.jobs").registry()
    for module in pkgutil.walk_packages([str(APP.parent / "ui")], "ui."):
        if module.name != "ui.runs.preload":  # it changes the process that imports it
            importlib.import_module(module.name)


def main() -> None:
    """Run the dashboard; arguments of the command line are passed to Streamlit."""
    streamlit_private.prepare()
    elsewhere = "STREAMLIT_SECRETS_FILES" in os.environ or "--secrets.files" in " ".join(sys.argv)
    try:
        wrong = login.trouble() if login.is_on() and not elsewhere else None
    except ValueError as error:
        wrong = str(error)
    if wrong is not None:
        sys.exit(wrong)
    compiling = preparing.begin()
    try:
        warm_up()
        arguments = [*sys.argv[1:], *host_options(sys.argv[1:], os.environ)]
        streamlit_private.run(["run", str(APP), *arguments])
    finally:
        preparing.end(compiling)


if __name__ == "__main__":
    main()
