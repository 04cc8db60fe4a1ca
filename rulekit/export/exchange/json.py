"""Rules as JSON, the exchange format that can be loaded again."""

import json
from typing import Any

from rulekit.exceptions import ExportError, RuleError
from rulekit.export.subject import exported_rule
from rulekit.rules import RuleSet
from rulekit.rules.codec import rule_from_dict, rule_to_dict


def to_json(model: Any, *, indent: int | None = 2) -> str:
    """Write a rule as JSON.

    Parameters
    ----------
    model : RuleSet or fitted model
        The rule to write.
    indent : int or None, default=2
        Spaces per level; None for one line.

    Returns
    -------
    str
        Standard JSON with a schema number; see `rulekit.rules.codec` for its keys.

    Raises
    ------
    ExportError
        If there is no rule, or it compares with an infinity, or has conditions or labels without a
        plain form.
    """
    try:
        plain = rule_to_dict(exported_rule(model))
        text = json.dumps(plain, indent=indent, ensure_ascii=False, allow_nan=False)
    except RuleError as error:
        raise ExportError(f"The rule cannot be written as JSON: {error}") from error
    except ValueError as error:
        raise ExportError(
            "The rule compares with an infinity, which JSON cannot express. Use a finite number."
        ) from error
    if any("\ud800" <= c <= "\udfff" for c in text):  # a lone surrogate: only as an escape
        text = json.dumps(plain, indent=indent)
    return text


def from_json(text: str | bytes) -> RuleSet:
    """Read a rule from JSON.

    Parameters
    ----------
    text : str or bytes
        Text from `to_json`. Reading it runs no code.

    Returns
    -------
    RuleSet
        Equal to the written one.

    Raises
    ------
    ExportError
        If the text is not JSON; line and column are named.
    RuleError
        If it is JSON but not a rule; the part is named.
    """
    try:
        data = json.loads(text, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise ExportError(
            f"The text is not JSON: {error.msg} at line {error.lineno}, column {error.colno}."
        ) from error
    except UnicodeDecodeError as error:
        raise ExportError("The file is not JSON: it is not text in UTF-8.") from error
    except RecursionError as error:
        raise ExportError("The JSON is nested too deeply to be a rule.") from error
    except ExportError:
        raise
    except ValueError as error:  # Python rejects whole numbers of more than 4 300 digits
        raise ExportError(
            "The JSON has a whole number with too many digits. Write at most 4 300 digits."
        ) from error
    return rule_from_dict(data)


def _refuse(constant: str) -> Any:
    raise ExportError(f"The text is not standard JSON: it holds {constant}.")
