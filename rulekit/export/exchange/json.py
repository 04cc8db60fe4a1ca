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
        If there is no rule, or it compares with an infinity, or has conditions or labels without a
        plain form.
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
    except ValueError as error:  # Python rejects whole numbers of more than 4 300 digits
        raise ExportError(
            "The JSON has a whole number with too many digits. Write at most 4 300 digits."
        ) from error
    return rule_from_dict(data)


def _refuse(constant: str) -> Any:
    raise ExportError(f"The text is not standard JSON: it holds {constant}.")


TEXT, NUMBER, FLAG = {"type": "string"}, {"type": "number"}, {"type": "boolean"}
SCALAR = {"type": ["string", "number", "boolean"]}
# the part of its column that a test reads, written only if it is not the value itself
READ = {"part": TEXT, "order": {"type": "array", "items": TEXT, "minItems": 2}}


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
    condition = {"oneOf": [{"$ref": f"#/$defs/{kind}"} for kind in KINDS]}
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A rule: the first clause that holds decides (dnf), or all have to hold (cnf)",
        **_object(
            schema={"enum": list(SCHEMAS)},
            form={"enum": ["dnf", "cnf"]},
            default=SCALAR,
            labels=_list(SCALAR),
            clauses=_list(_list(condition)),
        ),
        "$defs": {kind: _describe_model(kind) for kind in KINDS},
    }
    scale = _object(base_score=NUMBER, base_odds=NUMBER, points_to_double=NUMBER, label=SCALAR)
    texts = {"type": "object", "additionalProperties": TEXT}
    schema["properties"] |= {"columns": _list(_column()), "classes": _list(SCALAR)}
    schema["properties"] |= {"scale": scale, "texts": texts}
    return schema


def _column() -> dict[str, Any]:
    """Describe what one column held when the rule was learned."""
    end = {"type": ["number", "string", "null"]}
    column = _object(name=TEXT, kind={"enum": list(COLUMN_KINDS)})
    column["properties"] |= {
        "levels": _list(TEXT),
        "low": end,
        "high": end,
        "missing": _list(TEXT),
        **dict.fromkeys(("gaps", "time", "day_first", "percent", "merged"), FLAG),
        **dict.fromkeys(("zone", "decimal", "unit"), TEXT),
    }
    return column


def _describe_model(kind: str) -> dict[str, Any]:
    schema = _object(kind={"const": kind}, **_parts(kind))
    if kind == "literal":
        schema["properties"] |= READ
    if kind == "points":
        schema["properties"]["conditions"]["items"]["properties"] |= READ
    return schema


def _parts(kind: str) -> dict[str, Any]:
    """Describe the keys of a kind of condition, besides its name."""
    return {
        "literal": _literal(),
        "linear": {
            "terms": _list(_object(feature=TEXT, weight=NUMBER), 1),
            "op": {"enum": ["<=", ">"]},
            "value": NUMBER,
            "missing": FLAG,
        },
        "power_law": {
            "terms": _list(_object(weight=NUMBER, factors=_list(_factor(), 1)), 1),
            "low": {"type": ["number", "null"]},
            "high": NUMBER,
            "inside": FLAG,
            "missing": FLAG,
        },
        "points": {
            "conditions": _list(_object(**_literal(), points={"type": "integer"}), 1),
            "total": {"type": "integer"},
            "reached": FLAG,
        },
    }[kind]


def _literal() -> dict[str, Any]:
    several = {"type": "array", "items": SCALAR, "minItems": 1}
    return {
        "feature": TEXT,
        "op": {"enum": list(OPERATORS)},
        "value": {"anyOf": [SCALAR, several, {"type": "null"}]},
        "missing": FLAG,
    }


def _factor() -> dict[str, Any]:
    return _object(
        feature=TEXT,
        exponent={"type": "integer", "not": {"const": 0}},
        shift=NUMBER,
        floor={"type": ["number", "null"]},
    )


def _list(items: dict[str, Any], least: int = 0) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": least}


def _object(**parts: Any) -> dict[str, Any]:
    return {"type": "object", "properties": parts, "required": list(parts)}
