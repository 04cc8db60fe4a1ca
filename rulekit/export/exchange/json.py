"""Rules as JSON, the exchange format that can be loaded again, and its JSON Schema."""

import json
from typing import Any

from rulekit.exceptions import ExportError, RuleError
from rulekit.export.subject import rule_to_export
from rulekit.rules import RuleSet
from rulekit.rules.codec import SCHEMAS, rule_from_dict, rule_to_dict
from rulekit.rules.literal import OPERATORS
from rulekit.rules.schema import COLUMN_KINDS
from rulekit.rules.writer import KINDS


def to_json(model: Any, *, indent: int | None = 2) -> str:
    """Write a rule as JSON.

    Parameters
    ----------
    model : RuleSet or fitted model
    indent : int or None, default=2
        Spaces per level; None for one line.

    Returns
    -------
    str
        Standard JSON with a schema number; see `rulekit.rules.codec` for its keys.

    Raises
    ------
    ExportError
        If the rule compares with an infinity, or has labels without a plain form.
    """
    try:
        plain = rule_to_dict(rule_to_export(model))
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
    except TypeError as error:
        raise ExportError(f"A stored rule must be text, got {type(text).__name__}.") from error
    except ValueError as error:  # Python rejects whole numbers of more than 4 300 digits
        raise ExportError(
            "The JSON has a whole number with too many digits. Write at most 4 300 digits."
        ) from error
    return rule_from_dict(data)


def _refuse(constant: str) -> Any:
    raise ExportError(f"The text is not standard JSON: it holds {constant}.")


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a rule's JSON.

    Returns
    -------
    dict
        Valid for every text of `to_json`. Constraints beyond a schema, such as equal numbers of
        labels and clauses, are checked by `from_json`.

    Examples
    --------
    >>> json_schema()["required"]
    ['schema', 'form', 'default', 'labels', 'clauses']
    """
    text, number, flag, whole = ({"type": t} for t in ("string", "number", "boolean", "integer"))
    scalar = {"type": ["string", "number", "boolean"]}
    end = {"type": ["number", "null"]}
    # the part of its column that a test reads, written only if it is not the value itself
    read = {"part": text, "order": _list(text, 2)}
    value = {"anyOf": [scalar, _list(scalar, 1), {"type": "null"}]}
    literal = {"feature": text, "op": {"enum": list(OPERATORS)}, "value": value, "missing": flag}
    exponent = {"type": "integer", "not": {"const": 0}}
    factor = _object(feature=text, exponent=exponent, shift=number, floor=end)
    laws = _list(_object(weight=number, factors=_list(factor, 1)), 1)
    terms = _list(_object(feature=text, weight=number), 1)
    given = _object(read, **literal, points=whole)
    kinds: dict[str, dict[str, Any]] = {
        "literal": literal,
        "linear": {"terms": terms, "op": {"enum": ["<=", ">"]}, "value": number, "missing": flag},
        "power_law": {"terms": laws, "low": end, "high": number, "inside": flag, "missing": flag},
        "points": {"conditions": _list(given, 1), "total": whole, "reached": flag},
    }
    limit = {"type": ["number", "string", "null"]}
    held = {  # by a column when the rule was learned
        **{"levels": _list(text), "missing": _list(text), "low": limit, "high": limit},
        **dict.fromkeys(("gaps", "time", "day_first", "percent", "merged"), flag),
        **dict.fromkeys(("zone", "decimal", "unit"), text),
    }
    column = _object(held, name=text, kind={"enum": list(COLUMN_KINDS)})
    scale = _object(base_score=number, base_odds=number, points_to_double=number, label=scalar)
    texts = {"type": "object", "additionalProperties": text}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A rule: the first clause that holds decides (dnf), or all have to hold (cnf)",
        **_object(
            {"columns": _list(column), "classes": _list(scalar), "scale": scale, "texts": texts},
            schema={"enum": list(SCHEMAS)},
            form={"enum": ["dnf", "cnf"]},
            default=scalar,
            labels=_list(scalar),
            clauses=_list(_list({"oneOf": [{"$ref": f"#/$defs/{kind}"} for kind in KINDS]})),
        ),
        "$defs": {
            kind: _object(read if kind == "literal" else {}, kind={"const": kind}, **kinds[kind])
            for kind in KINDS
        },
    }


def _list(items: dict[str, Any], least: int = 0) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": least}


def _object(optional: dict[str, Any] | None = None, **parts: Any) -> dict[str, Any]:
    return {"type": "object", "properties": parts | (optional or {}), "required": list(parts)}
