"""A self-contained report: the rule, its performance, some cases, and how it was made."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.evaluation.metrics import confusion_table
from rulekit.explain import explain
from rulekit.export.documents import blocks as doc
from rulekit.export.documents.html import draw_parts, matrix_html, page, write_blocks
from rulekit.export.subject import PredictedRows, rule_to_export
from rulekit.rules import RuleSet, monotonicity_checks, scorecard_of, verify_rule
from rulekit.rules.condition import take_rows
from rulekit.rules.simplification import simplified_note
from rulekit.style.phrases import Wording, count_noun, join_list, label_text
from rulekit.style.scorecard import count_lines
from rulekit.style.wording import percent

MAX_RECORD = 200_000
MAX_EXAMPLES = 3
NO_FAULT = "Every line decides some case, no part can go, and each prediction occurs."
MEANINGS = {  # of the kinds of findings
    "masked clause": "The line has no effect. Remove it, or move it up.",
    "subsumed clause": "All predictions are the same without the line.",
    "reducible condition": "All predictions are the same without this part.",
    "reducible level": "All predictions are the same without this value.",
    "unreachable outcome": "The rule never predicts it, whatever the case is.",
    "broken promise": "The rule does not keep a required direction.",
    "overlap": "These cases get the prediction of the earlier line.",
    "gap": "No training case shows what happens there: check such cases by hand.",
    "brittle limit": "A rounding of these values would change the prediction.",
}


@dataclass(frozen=True)
class Review:
    """A person's verdict on the prediction for one case.

    Attributes
    ----------
    case : str
    answer : str
        What the rule predicted.
    verdict : str
        The person's verdict: "agree" or "disagree".
    note : str
        The person's remark; may be empty.
    """

    case: str
    answer: str
    verdict: str
    note: str = ""


def to_report(  # noqa: PLR0913  all but three by keyword
    model: Any,
    training: tuple[Any, Any],
    test: tuple[Any, Any] | None = None,
    *,
    title: str = "A rule and what it is worth",
    record: Mapping[str, Any] | None = None,
    wording: Wording | None = None,
    reviews: Sequence[Review] = (),
    immutable: Collection[str] = (),
) -> str:
    """Write a report on a rule as one web page.

    Parameters
    ----------
    model : fitted model (or RuleSet)
        The model of the report. Its `constraints` are listed with the rule.
    training : pair of table and labels
        The rows that the rule was learned from. Cases are named by the index of a pandas table.
    test : pair of table and labels, optional
        Rows not used in learning.
    title : str
    record : mapping, optional
        How the rule was learned: settings, seeds, versions; a table at the end.
    wording : Wording, optional
        Display names of columns, in the rule and in the explanations of cases; clauses are called
        lines. If a display name differs from the column's name, a line below the rule lists both.
        Bars have the colours of its outcomes, grey by default.
    reviews : sequence of Review, default=()
        Verdicts of people on single cases, in this order.
    immutable : collection of str
        Columns that the smallest change of a case must not change.

    Returns
    -------
    str
        A complete page for readers without training in logic: no script, no request, styles and
        drawings inside, under one megabyte. It contains counts and at most six single cases, no
        further rows; for the cases in `reviews` their names, verdicts and notes.

    Raises
    ------
    ExportError, DataError, RuleError
        If there is no rule, or rows and labels do not fit it.
    ValueError
        If the record is longer than 200 000 characters as text.
    """
    rule = rule_to_export(model)
    words = (wording or Wording(clause="line")).for_rule(rule)
    given = {"training": training} | ({} if test is None else {"test": test})
    parts = [PredictedRows.from_rows(model, name, rows) for name, rows in given.items()]
    counts = [
        f"{part.n_right} of {count_noun(len(part.y), f'{part.name} case')}"
        + (f" ({100 * part.n_right / len(part.y):.1f} %)" if part.y else "")
        for part in parts
    ]
    summary = doc.Text(f"The rule is right for {join_list(counts)}.")
    blocks: list[doc.Block] = [summary, doc.Text("The rule", "heading")]
    names = {feature: words.name(feature) for feature in rule.features}
    shared = {name for name in names.values() if list(names.values()).count(name) > 1}
    names = {f: name for f, name in names.items() if name != f and name not in shared}
    conditions = (tuple(c.rename(names) for c in k.conditions) for k in rule.clauses)
    clauses = tuple(replace(k, conditions=c) for k, c in zip(rule.clauses, conditions, strict=True))
    schema = None if rule.schema is None else rule.schema.rename(names)
    named = replace(rule, clauses=clauses, schema=schema)
    blocks += doc.describe_rule(model, parts[0].numbers, named)
    notes = [f"{name} is the column “{feature}”" for feature, name in names.items()]
    notes = [f"In the table, {join_list(notes)}."] * bool(notes)
    notes += [f"“{name}” means {condition}." for condition, name in words.texts.items()]
    notes += [check.sentence_with(words.name) for check in monotonicity_checks(model)]
    blocks += [doc.Text(note, "note") for note in notes]
    blocks += _count_points(rule, parts[0], words)
    for part in parts:
        labels = sorted(dict.fromkeys([*part.y, *part.answers]), key=str)
        confusion = doc.Raw(matrix_html(confusion_table(part.y, part.answers, labels)))
        blocks.append(doc.Text(f"On the {part.name} cases", "heading"))
        if part.y and rule.clauses:
            blocks += draw_parts(rule, words, part.parts, part.name)[1:]
        blocks += [confusion, doc.Text("Lines: actual. Columns: predicted.", "note")]
    blocks += _cases(model, parts[-1], parts[0], words, immutable)
    blocks += _verdicts(reviews)
    blocks += _findings(named, {names.get(f, f): c for f, c in parts[0].columns.items()})
    blocks += [doc.Text(note, "note") for note in [simplified_note(model)] if note]
    blocks += doc.describe_training(rule)
    if record is not None:
        lines = [(name.replace("_", " "), _text(value)) for name, value in record.items()]
        if (length := sum(len(text) for _, text in lines)) > MAX_RECORD:
            raise ValueError(
                f"`record` must be at most {MAX_RECORD} characters long as text, it has {length}; "
                "leave rows of data out of it."
            )
        rows = tuple((name, text) for name, text in lines if text)
        blocks += [doc.Text("How it was made", "heading"), doc.TableBlock((), rows, is_headed=True)]
    return page(title, write_blocks(blocks))


def _count_points(rule: RuleSet, part: PredictedRows, words: Wording) -> list[doc.Block]:
    """Return the points of each bin of a scorecard, its share of the rows, and a class's rate."""
    splits = scorecard_of(rule)
    if not splits or not part.y:
        return []
    is_label = np.array([bool(v == rule.labels[0]) for v in part.y])
    lines = count_lines(splits[0], part.columns, is_label, words)
    rows: Any = tuple((text, points, *map(percent, shares)) for text, points, *shares in lines)
    heads = ("if this holds", "points", f"of {part.name} rows", f"of these, {rule.labels[0]}")
    return [doc.Text("Points by value", "heading"), doc.TableBlock(heads, rows)]


def _cases(
    model: Any, part: PredictedRows, training: PredictedRows, words: Wording, immutable: Any
) -> list[doc.Block]:
    """Explain the first correct case of each prediction, and the first wrong ones."""
    right: dict[Any, int] = {}
    wrong: list[int] = []
    for row, (truth, predicted) in enumerate(zip(part.y, part.answers, strict=True)):
        if truth == predicted:
            right.setdefault(predicted, row)
        else:
            wrong.append(row)
    chosen = [*list(right.values())[:MAX_EXAMPLES], *wrong[:MAX_EXAMPLES]]
    blocks: list[doc.Block] = [doc.Text("Single cases", "heading")]
    if not chosen:
        return [*blocks, doc.Text("There is no case to show.")]
    rows = take_rows(part.columns, chosen)
    given = {"training": (training.columns, training.y), "immutable": immutable, "wording": words}
    for case, row in zip(explain(rule_to_export(model), rows, **given), chosen, strict=True):
        name = part.rows[row] if isinstance(part.rows[row], str) else f"Row {part.rows[row]}"
        outcome = f"wrong: it was {label_text(part.y[row])}" if row in wrong else "right"
        text = f" ({outcome}). {case.sentence} {case.counterfactual.sentence}"
        blocks.append(doc.Text((doc.Strong(name), text)))
    return blocks


def _verdicts(reviews: Sequence[Review]) -> list[doc.Block]:
    """Return people's verdicts on cases, with their numbers."""
    if not reviews:
        return []
    counts = Counter(review.verdict for review in reviews)
    verdicts = join_list([f"{n} {verdict}" for verdict, n in sorted(counts.items())])
    text = doc.Text(f"{count_noun(len(reviews), 'case')} looked at: {verdicts}.")
    table = doc.TableBlock(("case", "prediction", "verdict", "note"), (*map(astuple, reviews),))
    return [doc.Text("Verdicts on single cases", "heading"), text, table]


def _findings(rule: RuleSet, columns: Mapping[str, NDArray[Any]]) -> list[doc.Block]:
    """Return what a check of the rule over every possible case finds, and what it means."""
    checked = verify_rule(rule, columns, clause="line")
    rows = tuple((f.sentence, MEANINGS[f.kind]) for f in checked.findings)
    notes = [f"Not checked: {text}." for text in checked.not_checked]
    notes += [NO_FAULT] * (not checked.faults and not notes)
    table = [doc.TableBlock(("finding", "what it means"), rows)] * bool(rows)
    return [doc.Text("Checked for every possible case", "heading"), *map(doc.Text, notes), *table]


def _text(value: Any) -> str:
    """Write a plain value of any depth in one line."""
    if isinstance(value, Mapping):
        texts = ((name, _text(each)) for name, each in value.items())
        return "; ".join(f"{name}: {text}" for name, text in texts if text)
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_text, value))
    return "" if value is None else str(value)
