"""The command `app`: serve the dashboard on this machine."""

import importlib.util
import os
import signal
import subprocess
import sys
from pathlib import Path

import click

import rulekit


def dashboard() -> Path | None:
    """Return the folder of the dashboard, in this clone or in the installed wheel."""
    clone = Path(rulekit.__file__).parents[1]
    wheel = clone / "rulekit_dashboard"
    folders = (folder for folder in (clone, wheel) if (folder / "ui" / "server.py").is_file())
    return next(folders, None)


@click.command()
@click.option("--port", type=click.IntRange(1, 65535), default=8501, show_default=True)
@click.option("--address", default="127.0.0.1", show_default=True, help="Where it listens.")
@click.pass_context
def app(ctx: click.Context, port: int, address: str) -> None:
    """Serve the dashboard until Ctrl-C.

    It listens on this machine only by default, and needs no password unless
    RULEKIT_LOGIN=on: visitors then log in, at a provider named in .streamlit/secrets.toml.
    """
    for needed in ("streamlit", "plotly"):
        if importlib.util.find_spec(needed) is None:
            raise click.ClickException(
                f"The dashboard needs {needed}, which is not installed: "
                'pip install "rulekit-dashboard[app]".'
            )
    folder = dashboard()
    if folder is None:
        raise click.ClickException(
            "The dashboard's pages are gone. Install rulekit-dashboard anew."
        )
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
    # -P: ignore a folder "ui" in the current directory
    command = [sys.executable, "-P", "-m", "ui.server"]
    options = [f"--server.port={port}", f"--server.address={address}"]
    process = subprocess.Popen([*command, *options], env=os.environ | {"PYTHONPATH": path})
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # the server ends with the command
    try:
        ctx.exit(process.wait())
    except KeyboardInterrupt:
        process.terminate()
        process.wait()
