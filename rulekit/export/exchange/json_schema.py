"""The JSON Schema of `to_json`, for programs that read rules without this library."""

from typing import Any

from rulekit.rules.codec import SCHEMAS
from rulekit.rules.literal import OPERATORS
from rulekit.rules.writer import KINDS

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
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A rule: the first clause that holds decides (dnf), or all have to hold (cnf)",
        **_object(
            schema={"enum": list(SCHEMAS)},
            form={"enum": ["dnf", "cnf"]},
            default=SCALAR,
            labels=_list(SCALAR),
            clauses=_list(_list(condition)),
        ),
        "$defs": {kind: _described(kind) for kind in KINDS},
    }


def _described(kind: str) -> dict[str, Any]:
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
