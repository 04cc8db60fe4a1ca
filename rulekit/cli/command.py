"""The command: its subcommands, and how every error ends in one sentence."""

import os
import warnings
from importlib import import_module
from typing import Any

import click

from rulekit.cli.output import note
from rulekit.exceptions import RulekitError

INTERRUPTED = 130  # as shells count a program that Ctrl-C ended
OUR_MISTAKE = 70
#: Subcommand: the module it is imported from when it runs, and its line in the help.
COMMANDS = {
    "learn": ("learn", "Learn a short rule from TABLE, and report its error on rows held out."),
    "show": ("show", "Print RULE as numbered lines, and the columns it reads."),
    "explain": ("cases", "Explain the predictions of RULE for rows of TABLE."),
    "score": ("cases", "Predict every row of TABLE with RULE."),
    "export": ("export", "Write RULE in another format."),
    "check": ("check", "Check RULE over every possible row; exit with 1 if it has a fault."),
    "compare": ("compare", "Compare an earlier RULE with a later one."),
    "app": ("app", "Serve the dashboard until Ctrl-C."),
}

#: Warnings for people, by name: importing scikit-learn for its class would take a second.
SHOWN = {"ConvergenceWarning", "DataWarning", "EmptyRuleWarning", "MonotonicityWarning"}


def _show(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    """Print the warnings for people as notes."""
    if category.__name__ in SHOWN:
        note(str(message))


def _show_version(context: click.Context) -> None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        number = version("rulekit-dashboard")
    except PackageNotFoundError:
        number = "unknown (not installed)"
    click.echo(f"rulekit, version {number}")
    context.exit()


class Verbs(click.Group):
    """A group of lazily imported subcommands that end with a sentence, never with a traceback."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the subcommands in the order of the help."""
        return [*COMMANDS, *(name for name in self.commands if name not in COMMANDS)]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Import a subcommand."""
        if name in COMMANDS and name not in self.commands:
            self.add_command(getattr(import_module(f"rulekit.cli.{COMMANDS[name][0]}"), name))
        return self.commands.get(name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the subcommands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run a subcommand."""
        try:
            with warnings.catch_warnings():  # no thread has started yet
                warnings.simplefilter("always")
                warnings.showwarning = _show
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
                "The memory of this machine does not suffice. Give fewer rows or columns."
            ) from error
        except BrokenPipeError:  # the reader of our output stopped reading
            ctx.exit(0)
        except Exception as error:
            if os.environ.get("RULEKIT_TRACEBACK"):
                raise
            if isinstance(error, OSError):  # mostly of standard output; others name the file
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
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=lambda context, _, given: _show_version(context) if given else None,
    help="Show the version and exit.",
)
def rulekit() -> None:
    """Learn a short rule from a table, read it, apply it and export it.

    A TABLE is a file: text, a spreadsheet, Parquet, JSON, Stata, SPSS or SAS, also packed (gzip,
    ZIP); "sample:credit" is one of the bundled tables. A RULE is a JSON file from `learn`, `export`
    or the dashboard, or a saved analysis ("analysis.json"); "-" reads it from standard input.
    """
