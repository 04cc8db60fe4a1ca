"""The server that shows the pages: started so that it asks no other machine anything.

Streamlit refuses a websocket that a page of another site opens; but to know what to refuse, it asks
a web service for its own address, and waits for the answer.
"""

import os
import sys
from pathlib import Path

from streamlit import net_util
from streamlit.web import cli

from ui import login

APP = Path(__file__).parents[1] / "app.py"


def ask_nobody() -> None:
    """Let the server count as its own only the addresses it is told, and those of this machine."""
    net_util.get_external_ip = lambda: None


def main() -> None:
    """Run the dashboard; what the command line says goes to Streamlit."""
    ask_nobody()
    elsewhere = "STREAMLIT_SECRETS_FILES" in os.environ or "--secrets.files" in " ".join(sys.argv)
    try:
        wrong = login.trouble() if login.is_on() and not elsewhere else None
    except ValueError as error:
        wrong = str(error)
    if wrong is not None:
        sys.exit(wrong)
    cli.main(["run", str(APP), *sys.argv[1:]], prog_name="streamlit")


if __name__ == "__main__":
    main()
