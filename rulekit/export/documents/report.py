"""A report that stands alone: the rule, what it is worth, a few cases, and how it was made."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.explain import Explanation, Wording, explain
from rulekit.explain.phrases import counted, label_text, listed
from rulekit.explain.subject import columns_for
from rulekit.export.documents.html import page, rule_html
from rulekit.export.numbers import ClauseNumbers, clause_numbers
from rulekit.export.subject import exported_rule
from rulekit.rules import Clause, RuleSet

BLUE, VERMILION = "#0072B2", "#D55E00"
WIDTH, BAR, GAP, LEFT = 640, 18, 10, 90
MAX_RECORD = 200_000
MAX_EXAMPLES = 3


@dataclass(frozen=True)
class _Part:
    """One set of rows with the answers it got."""

    name: str
    columns: dict[str, NDArray[Any]]
    y: list[Any]
    answers: list[Any]
    numbers: tuple[ClauseNumbers, ...]

    @property
    def n_right(self) -> int:
        return sum(bool(a == b) for a, b in zip(self.y, self.answers, strict=True))


@dataclass(frozen=True)
class Review:
    """What a person said of the answer to one case.

    Attributes
    ----------
    case : str
        What the case is called.
    answer : str
        What the rule said.
    verdict : str
        What the person said of it: "agree" or "disagree".
    note : str
        The person's words; may be empty.
    """

    case: str
    answer: str
    verdict: str
    note: str = ""


def to_report(
    model: Any,
    training: tuple[Any, Any],
    test: tuple[Any, Any] | None = None,
    *,
    title: str = "A rule and what it is worth",
    record: Mapping[str, Any] | None = None,
    wording: Wording | None = None,
    reviews: Sequence[Review] = (),
) -> str:
    """Write a report on a rule as one web page.

    Parameters
    ----------
    model : fitted model (or RuleSet)
        What is reported on.
    training : pair of table and labels
        The rows the rule was learned from.
    test : pair of table and labels, optional
        Rows it has not seen.
    title : str
        The page's heading.
    record : mapping, optional
        How the rule was made: settings, seeds, versions; shown at the end as JSON.
    wording : Wording, optional
        What columns are called, in the rule and in the explanations of cases; clauses are called
        lines. Where a name differs from the column's own, a line below the rule says so.
    reviews : sequence of Review, default=()
        What people said of single cases, in the order given.

    Returns
    -------
    str
        A complete page for readers without training in logic: no script, no request, styles and
        drawings inside, under one megabyte. It holds counts and at most six single cases, no
        further rows; of the cases in `reviews` what they are called and what was said.

    Raises
    ------
    ExportError, DataError, RuleError
        If there is no rule, or rows and labels do not fit it.
    ValueError
        If the record is longer than 200 000 characters.
    """
    parts = [_part(model, "training", *training)]
    if test is not None:
        parts.append(_part(model, "test", *test))
    words = wording or Wording(clause="line")
    sections = [
        f"<p>{escape(_summary(parts))}</p>",
        "<h2>The rule</h2>",
        rule_html(
            _in_business_names(exported_rule(model), words),
            parts[0].numbers,
            _size(exported_rule(model)),
        ),
        *_names(exported_rule(model), words),
        *(_worth(part) for part in parts),
        "<h2>Single cases</h2>",
        _cases(model, parts[-1], parts[0], words),
    ]
    if reviews:
        sections += ["<h2>What people said of single cases</h2>", _reviewed(reviews)]
    if record is not None:
        sections += ["<h2>How it was made</h2>", _record(record)]
    return page(title, "\n".join(sections))


def _part(model: Any, name: str, X: Any, y: Any) -> _Part:
    columns = columns_for(model, X)
    answers = exported_rule(model).predict(columns).tolist()
    labels = np.asarray(y, dtype=object).tolist()
    return _Part(name, columns, labels, answers, clause_numbers(model, X, y, name))


def _renamed(rule: RuleSet, words: Wording) -> dict[str, str]:
    """Return the business names of a rule's columns, without those that two columns would share."""
    names = {feature: words.name(feature) for feature in rule.features}
    shared = {name for name in names.values() if list(names.values()).count(name) > 1}
    return {f: name for f, name in names.items() if name != f and name not in shared}


def _in_business_names(rule: RuleSet, words: Wording) -> RuleSet:
    """Return the rule as it is to be read: columns called what the readers call them."""
    names = _renamed(rule, words)
    clauses = tuple(
        Clause(tuple(c.renamed(names) for c in k.conditions), k.op) for k in rule.clauses
    )
    return replace(rule, clauses=clauses)


def _names(rule: RuleSet, words: Wording) -> list[str]:
    """Say which column stands behind each business name, if any is used."""
    names = _renamed(rule, words)
    if not names:
        return []
    pairs = listed([f"{escape(name)} is the column “{escape(f)}”" for f, name in names.items()])
    return [f'<p class="size">In the table, {pairs}.</p>']


def _size(rule: RuleSet) -> str:
    how = "The first line that holds decides" if rule.form == "dnf" else "Every line has to hold"
    lines, conditions = counted(rule.n_clauses, "line"), counted(rule.n_conditions, "condition")
    return f"{how}. {lines.capitalize()}, {conditions}."


def _summary(parts: Sequence[_Part]) -> str:
    found = []
    for part in parts:
        n = len(part.y)
        share = f" ({100 * part.n_right / n:.1f} %)" if n else ""
        found.append(f"{part.n_right} of {counted(n, f'{part.name} case')}{share}")
    return f"The rule is right for {listed(found)}."


def _worth(part: _Part) -> str:
    """Write how the rule does on one set of rows: a drawing, the same as a table, who gets what."""
    rows = "".join(
        f'<tr><td>{k}</td><td class="n">{c.n}</td><td class="n">{c.n_right}</td></tr>'
        for k, c in enumerate(part.numbers, start=1)
    )
    lines = [f"<h2>On the {part.name} cases</h2>"]
    if part.numbers:
        head = "<tr><th>line</th><th>cases decided</th><th>right</th></tr>"
        lines += [_bars(part.numbers), f"<table>{head}{rows}</table>"]
    return "\n".join([*lines, _confusion(part)])


def _bars(numbers: Sequence[ClauseNumbers]) -> str:
    """Draw a bar a clause: right and wrong cases, told apart by colour, border and words."""
    largest = max((c.n for c in numbers), default=0) or 1
    scale = (WIDTH - LEFT - 200) / largest
    drawn = []
    for k, c in enumerate(numbers):
        y, right = k * (BAR + GAP), c.n_right * scale
        wrong = (c.n - c.n_right) * scale
        text = f"{c.n_right} right, {c.n - c.n_right} wrong"
        drawn += [
            f'<text x="0" y="{y + 14}">line {k + 1}</text>',
            f'<rect x="{LEFT}" y="{y}" width="{right:.1f}" height="{BAR}" fill="{BLUE}"/>',
            f'<rect x="{LEFT + right:.1f}" y="{y}" width="{wrong:.1f}" height="{BAR}" '
            f'fill="none" stroke="{VERMILION}" stroke-width="2"/>',
            f'<text x="{LEFT + right + wrong + 8:.1f}" y="{y + 14}">{text}</text>',
        ]
    height = len(numbers) * (BAR + GAP)
    label = "Cases that each line decides: right ones filled, wrong ones outlined"
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" width="100%" role="img" aria-label="{label}" '
        f'font-size="13" font-family="sans-serif">{"".join(drawn)}</svg>'
    )


def _confusion(part: _Part) -> str:
    """Count who truly is what, and what the rule says."""
    labels = sorted(dict.fromkeys([*part.y, *part.answers]), key=str)
    head = "".join(f"<th>rule says {escape(label_text(v))}</th>" for v in labels)
    rows = []
    for truth in labels:
        cells = (
            sum(bool(a == truth and b == said) for a, b in zip(part.y, part.answers, strict=True))
            for said in labels
        )
        counts = "".join(f'<td class="n">{n}</td>' for n in cells)
        rows.append(f"<tr><th>truly {escape(label_text(truth))}</th>{counts}</tr>")
    return f"<table><tr><th></th>{head}</tr>{''.join(rows)}</table>"


def _cases(model: Any, part: _Part, training: _Part, words: Wording) -> str:
    """Explain the first case of each answer that is right, and the first that are wrong."""
    right: dict[Any, int] = {}
    wrong: list[int] = []
    for row, (truth, said) in enumerate(zip(part.y, part.answers, strict=True)):
        if truth == said:
            right.setdefault(said, row)
        elif len(wrong) < MAX_EXAMPLES:
            wrong.append(row)
    chosen = [*list(right.values())[:MAX_EXAMPLES], *wrong]
    if not chosen:
        return "<p>There is no case to show.</p>"
    told = explain(
        exported_rule(model),
        {f: column[chosen] for f, column in part.columns.items()},
        training=(training.columns, training.y),
        wording=words,
    )
    return "\n".join(_case(e, row, part) for e, row in zip(told, chosen, strict=True))


def _case(found: Explanation, row: int, part: _Part) -> str:
    truth = part.y[row]
    outcome = "right" if truth == found.prediction else f"wrong: it was {label_text(truth)}"
    change = found.counterfactual.sentence
    return (
        f"<p><b>Case {row + 1} of the {part.name} cases</b> ({escape(outcome)}). "
        f"{escape(found.sentence)} {escape(change)}</p>"
    )


def _reviewed(reviews: Sequence[Review]) -> str:
    """Count the verdicts, and list them with their notes."""
    counts = Counter(review.verdict for review in reviews)
    told = listed([f"{n} {escape(verdict)}" for verdict, n in sorted(counts.items())])
    head = "<tr><th>case</th><th>the rule said</th><th>verdict</th><th>note</th></tr>"
    rows = "".join(
        "<tr>"
        + "".join(f"<td>{escape(cell)}</td>" for cell in (r.case, r.answer, r.verdict, r.note))
        + "</tr>"
        for r in reviews
    )
    cases = counted(len(reviews), "case")
    return f"<p>{cases} looked at: {told}.</p><table>{head}{rows}</table>"


def _record(record: Mapping[str, Any]) -> str:
    text = json.dumps(record, indent=2, ensure_ascii=False, default=str)
    if len(text) > MAX_RECORD:
        raise ValueError(
            f"`record` must be at most {MAX_RECORD} characters long as JSON, it has {len(text)}; "
            "leave rows of data out of it."
        )
    return f"<pre>{escape(text)}</pre>"
