"""The command line `rulekit`: learn, show, explain, score, export, compare, app.

What belongs here: verbs, what they are asked, what they print and how they end. What does not:
anything that a script could want, which is in the library. May import everything of `rulekit`, and
click; nobody imports it.
"""

import io
import sys


def run() -> None:
    """Run the command; the entry point of an installed package."""
    try:
        from rulekit.cli.command import rulekit
    except ModuleNotFoundError as error:
        if error.name != "click":
            raise
        sys.exit('The command needs click: pip install "rulekit-dashboard[cli]".')
    for stream in (sys.stdout, sys.stderr):  # a name that a terminal cannot show is still told
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    rulekit(prog_name="rulekit")
