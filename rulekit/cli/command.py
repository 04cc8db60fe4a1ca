"""The command itself: its verbs, and how everything that can go wrong ends in one sentence."""

import os
import warnings
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import click
from sklearn.exceptions import ConvergenceWarning

from rulekit.cli.app import app
from rulekit.cli.cases import explain, score
from rulekit.cli.export import export
from rulekit.cli.learn import learn
from rulekit.cli.read import compare, show
from rulekit.cli.telling import note
from rulekit.exceptions import DataWarning, EmptyRuleWarning, PromiseWarning, RulekitError

INTERRUPTED = 130  # as shells count a program that Ctrl-C ended
OUR_MISTAKE = 70


def _version() -> str:
    try:
        return version("rulekit-dashboard")
    except PackageNotFoundError:
        return "unknown (not installed)"


class Verbs(click.Group):
    """A group of verbs that end with a sentence and an exit code, never with a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a verb."""
        try:
            with warnings.catch_warnings():  # the process is ours, from before its first thread
                warnings.simplefilter("ignore")  # of libraries below
                for told in (ConvergenceWarning, DataWarning, EmptyRuleWarning, PromiseWarning):
                    warnings.simplefilter("always", told)
                warnings.showwarning = lambda message, *_: note(str(message))
                return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except KeyboardInterrupt:
            note("Stopped.")
            ctx.exit(INTERRUPTED)
        except (RulekitError, ValueError) as error:
            raise click.ClickException(str(error)) from error
        except MemoryError as error:
            raise click.ClickException(
                "The memory of this machine does not suffice; give fewer rows or columns."
            ) from error
        except BrokenPipeError:  # who read our output has enough
            ctx.exit(0)
        except Exception as error:
            if os.environ.get("RULEKIT_TRACEBACK"):
                raise
            if isinstance(error, OSError):  # of standard output, mostly: who opens a file says more
                sentence = f"The system refused: {error.strerror or error}."
                raise click.ClickException(sentence) from error
            note(
                f"Error: this is a mistake of the program ({type(error).__name__}: {error}). "
                "Please report it with the command; RULEKIT_TRACEBACK=1 shows where it is."
            )
            ctx.exit(OUR_MISTAKE)


@click.group(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 done; 1 something given cannot be used, a sentence says what; 2 the "
    "command is written wrongly; 70 a mistake of this program; 130 stopped by Ctrl-C. Results go "
    "to standard output, everything else to standard error.",
)
@click.version_option(_version(), prog_name="rulekit")
def rulekit() -> None:
    """Learn a short rule from a table, read it, apply it and take it away.

    A TABLE is a CSV, TSV, XLSX or Parquet file, also packed by gzip; "sample:credit" is one of the
    tables that come along. A RULE is a JSON file that `learn`, `export` or the dashboard wrote, or
    a saved analysis of the dashboard ("analysis.json"); "-" reads it from standard input.
    """


for verb in (learn, show, explain, score, export, compare, app):
    rulekit.add_command(verb)
