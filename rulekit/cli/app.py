"""The verb `app`: the dashboard, served on this machine."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import click


def script() -> Path:
    """Return the dashboard's script: in a clone beside the packages, else inside `ui`."""
    found = importlib.util.find_spec("ui")
    if found is None or found.origin is None:
        raise click.ClickException(
            "The dashboard is not installed; install rulekit-dashboard anew."
        )
    inside = Path(found.origin).parent
    for place in (inside.parent / "app.py", inside / "served" / "app.py"):
        if place.is_file() and (place.parent / "pages").is_dir():
            return place
    raise click.ClickException("The dashboard's pages are missing; install rulekit-dashboard anew.")


@click.command()
@click.option("--port", type=click.IntRange(1, 65535), default=8501, show_default=True)
@click.option("--address", default="127.0.0.1", show_default=True, help="Where it listens.")
@click.pass_context
def app(ctx: click.Context, port: int, address: str) -> None:
    """Serve the dashboard until Ctrl-C. It asks for no password: keep it on this machine."""
    if importlib.util.find_spec("streamlit") is None:
        raise click.ClickException(
            'The dashboard needs more: pip install "rulekit-dashboard[app]".'
        )
    served = script()
    command = [sys.executable, "-m", "streamlit", "run", str(served)]
    for option, value in (("server.port", port), ("server.address", address)):
        command.append(f"--{option}={value}")
    process = subprocess.Popen(command)
    try:
        ctx.exit(process.wait())
    except KeyboardInterrupt:  # Streamlit has got it, too, and ends
        process.wait()
