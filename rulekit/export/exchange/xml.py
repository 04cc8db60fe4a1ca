"""Helpers of the XML formats: elements, and text that XML can hold."""

import re
from typing import Any
from xml.etree import ElementTree

from rulekit.exceptions import ExportError
from rulekit.export.subject import check_label
from rulekit.rules import RuleSet

Element = ElementTree.Element


def element(tag: str, *children: Element, text: str | None = None, **attributes: Any) -> Element:
    """Build an element; an attribute that is a Python keyword ends in an underscore."""
    result = Element(tag, {k.rstrip("_"): check_text(str(v)) for k, v in attributes.items()})
    result.text = None if text is None else check_text(text)
    result.extend(children)
    return result


def check_text(text: str) -> str:
    """Return a text if XML can hold it."""
    if re.search("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", text):
        raise ExportError(
            f"XML cannot hold the name or value {text[:60]!r}: it contains a control character or "
            "a lone surrogate. Rename it."
        )
    return text


def write_document(root: Element) -> str:
    """Write a document, indented; ends with a line break."""
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    body = body.replace("\r", "&#13;")  # a reader takes a plain one for a line break
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def labels_of(rule: RuleSet, format_name: str) -> tuple[list[Any], str]:
    """Return a rule's labels, the default last, and their type."""
    labels = [check_label(v, format_name) for v in (*rule.labels, rule.default)]
    kinds = {
        "text" if isinstance(v, str) else "flag" if isinstance(v, bool) else "number"
        for v in labels
    }
    if len(kinds) > 1:
        raise ExportError(
            f"A prediction in {format_name} has one type, but the rule predicts "
            f"{' and '.join(sorted(kinds))}. Rename the classes."
        )
    return labels, kinds.pop()


def free_name(wanted: str, taken: tuple[str, ...]) -> str:
    """Return a name that no column has, ignoring case."""
    while wanted.lower() in map(str.lower, taken):
        wanted += "_"
    return wanted
