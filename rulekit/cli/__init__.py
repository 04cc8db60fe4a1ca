"""The command line `rulekit`: learn, show, explain, score, export, check, compare, app.

What belongs here: the commands, their options, what they print and their exit codes. What does not:
functions that a script could use; they are in the library. May import everything of `rulekit`, and
click; no module imports it.
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
    for stream in (sys.stdout, sys.stderr):  # a name that a terminal cannot show is still printed
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    rulekit(prog_name="rulekit")
