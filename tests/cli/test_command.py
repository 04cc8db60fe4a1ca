"""How the command ends: exit codes, sentences, never a traceback."""

import warnings
from importlib import metadata

import click
import pytest
from click.testing import CliRunner
from sklearn.exceptions import ConvergenceWarning

from rulekit.cli.command import COMMANDS, INTERRUPTED, OUR_MISTAKE, rulekit
from rulekit.exceptions import DataError


def ending(run, monkeypatch, happens):
    """Raise an error in a command, and return how the program ended."""

    @click.command()
    def meet():
        happens()

    monkeypatch.setitem(rulekit.commands, "meet", meet)
    return CliRunner().invoke(rulekit, ["meet"])


def raising(error):
    def happens():
        raise error

    return happens


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (DataError("Give rows."), 1, "Error: Give rows.\n"),
        (ValueError("Give another."), 1, "Error: Give another.\n"),
        (MemoryError(), 1, "Error: The memory of this machine does not suffice"),
        (KeyboardInterrupt(), INTERRUPTED, "Stopped.\n"),
        (KeyError("x"), OUR_MISTAKE, "Error: this is a mistake of the program (KeyError: 'x')"),
        (BrokenPipeError(), 0, ""),
        (OSError(28, "No space left on device"), 1, "Error: The system refused: No space left"),
    ],
)
def test_every_error_is_one_sentence_and_an_exit_code(run, monkeypatch, error, code, sentence):
    result = ending(run, monkeypatch, raising(error))
    assert result.exit_code == code
    assert result.stdout == ""
    assert result.stderr.startswith(sentence)
    assert result.stderr.count("\n") == bool(sentence)


def test_warnings_for_users_are_notes_and_library_warnings_are_hidden(run, monkeypatch):
    def happens():
        warnings.warn("The time limit passed.", ConvergenceWarning, stacklevel=1)
        warnings.warn("old", DeprecationWarning, stacklevel=1)

    assert ending(run, monkeypatch, happens).stderr == "The time limit passed.\n"


@pytest.mark.parametrize("verb", sorted(COMMANDS))
def test_every_verb_prints_its_purpose_and_usage(run, verb):
    assert len(run(verb, "--help").stdout) > 100
    assert "Usage: rulekit" in run(verb, "--no-such-option", code=2).stderr


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_help_lines_equal_the_docstrings(name):
    command = rulekit.get_command(click.Context(rulekit), name)
    assert command.help.split("\n")[0] == COMMANDS[name][1]


def test_exit_codes_are_reported_and_mistakes_looked_into(run, monkeypatch):
    shown = " ".join(run("--help").stdout.split())
    for code in (0, 1, 2, OUR_MISTAKE, INTERRUPTED):
        assert f" {code} " in shown
    monkeypatch.setenv("RULEKIT_TRACEBACK", "1")
    assert isinstance(ending(run, monkeypatch, raising(KeyError("x"))).exception, KeyError)


def test_version_is_printed_also_where_the_package_is_not_installed(monkeypatch):
    def unknown(name):
        raise metadata.PackageNotFoundError(name)

    assert CliRunner().invoke(rulekit, ["--version"]).output.startswith("rulekit, version ")
    monkeypatch.setattr(metadata, "version", unknown)
    output = CliRunner().invoke(rulekit, ["--version"])
    assert (output.exit_code, output.output) == (0, "rulekit, version unknown (not installed)\n")
