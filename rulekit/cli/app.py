"""The verb `app`: the dashboard, served on this machine."""

import importlib.util
import signal
import subprocess
import sys

import click


@click.command()
@click.option("--port", type=click.IntRange(1, 65535), default=8501, show_default=True)
@click.option("--address", default="127.0.0.1", show_default=True, help="Where it listens.")
@click.pass_context
def app(ctx: click.Context, port: int, address: str) -> None:
    """Serve the dashboard until Ctrl-C.

    It asks for no password, so it listens on this machine only unless it is told otherwise.
    """
    for needed in ("streamlit", "plotly", "ui"):
        if importlib.util.find_spec(needed) is None:
            raise click.ClickException(
                f"The dashboard needs {needed}, which is not installed: "
                'pip install "rulekit-dashboard[app]".'
            )
    # -P: a folder "ui" where the command is typed is not the dashboard
    command = [sys.executable, "-P", "-m", "ui.server"]
    options = [f"--server.port={port}", f"--server.address={address}"]
    process = subprocess.Popen([*command, *options])
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # the server ends with the command
    try:
        ctx.exit(process.wait())
    except KeyboardInterrupt:
        process.terminate()
        process.wait()
