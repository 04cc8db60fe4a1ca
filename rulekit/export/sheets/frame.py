"""Rules and scored cases as data frames, and as CSV without spreadsheet formulas."""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from rulekit.explain import Scored, rank_reasons
from rulekit.explain.subject import columns_for
from rulekit.export.documents.text import TextWriter, clause_text
from rulekit.export.subject import ClauseNumbers, rule_to_export
from rulekit.rules import make_cases, scorecard_of
from rulekit.rules.rule_set import rule_of
from rulekit.style.scorecard import clause_names, points_listed

REASONS = 4  # columns of a scored case that name what decides
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def to_frame(model: Any, *, numbers: Sequence[ClauseNumbers] | None = None) -> pd.DataFrame:
    """Write a rule as a data frame, one row per clause and a last one for all other rows."""
    # A scorecard has one row per condition with its points, then one per range of the total.
    rule = rule_to_export(model)
    rows: list[tuple[Any, ...]] = []
    if splits := scorecard_of(rule):
        rows += [(*each, "") for each in points_listed(splits[0], TextWriter().literal)]
        totals = zip(clause_names(rule), (*rule.labels, rule.default), strict=True)
        rows += [(name, None, label) for name, label in totals]
        frame = pd.DataFrame(rows, columns=["if", "points", "answer"]).astype({"points": "Int64"})
    else:
        for k, (clause, label) in enumerate(zip(rule.clauses, rule.labels, strict=False), start=1):
            rows.append((f"{k}", clause_text(clause), label, clause.n_conditions))
        rows.append(("otherwise", "", rule.default, 0))
        frame = pd.DataFrame(rows, columns=["clause", "conditions", "answer", "literals"])
    if numbers is not None:
        before = [None] * (len(frame) - len(numbers) - 1)  # the conditions of a scorecard
        for name, counts in (("decided", "n"), ("right", "n_right")):
            found = [*before, *(getattr(k, counts) for k in numbers), None]
            frame[name] = pd.array(found, dtype="Int64")
    return frame


def to_csv(model: Any, *, numbers: Sequence[ClauseNumbers] | None = None) -> str:
    """Write a rule as comma-separated values.

    Parameters
    ----------
    model : RuleSet or fitted model
    numbers : sequence of ClauseNumbers, optional
        As for `to_frame`.

    Returns
    -------
    str
        Text cells that a spreadsheet would read as a formula begin with an apostrophe.

    Raises
    ------
    ExportError
        As for `to_frame`.
    """
    return csv_text(to_frame(model, numbers=numbers))


def to_cases(model: Any) -> str:
    """Write test cases of a rule as CSV: its columns, the answer, and what the case shows."""
    # See `rulekit.rules.make_cases`; text that a spreadsheet would read as a formula begins with an
    # apostrophe, and a missing value is an empty cell.
    rule = rule_to_export(model)
    cases = make_cases(rule)
    frame = pd.DataFrame([case.row for case in cases], columns=list(rule.features), dtype=object)
    for name in ("answer", "shows"):
        frame[_free(name, frame)] = [getattr(case, name) for case in cases]
    return csv_text(frame)


def csv_text(frame: pd.DataFrame) -> str:
    """Write a data frame as CSV without spreadsheet formulas; any line break is quoted."""
    safe = spreadsheet_safe(frame)
    rows = [list(safe.columns), *safe.astype(object).where(safe.notna(), "").to_numpy().tolist()]
    text = ""
    for row in rows:
        line = io.StringIO()
        csv.writer(line, lineterminator="\r\n").writerow(row)  # quotes text with one of the two
        text += line.getvalue().removesuffix("\r\n") + "\n"
    return text


def spreadsheet_safe(frame: pd.DataFrame) -> pd.DataFrame:
    """Prefix text that begins like a formula with an apostrophe, in cells and headers."""
    safe = frame.rename(columns=_safe)
    for column in range(safe.shape[1]):
        if not pd.api.types.is_numeric_dtype(safe.dtypes.iloc[column]):
            safe.isetitem(column, safe.iloc[:, column].map(_safe))
    return safe


def _safe(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA_STARTS) else value


class CaseFile(NamedTuple):
    """A file type with its description and writer."""

    mime: str
    write: Callable[[pd.DataFrame], bytes]


def cases_frame(
    scored: Scored,
    *,
    changes: bool = True,
    progress: Callable[[float], Any] | None = None,
    cells: Mapping[str, Any] | None = None,
) -> pd.DataFrame:
    """Return the new table with the prediction for each case, for a scorecard with its total."""
    # `cells` are the cells of columns as they are in the file; the other columns are written as
    # read.
    frame = scored.X.reset_index(drop=True)
    for name, texts in (cells or {}).items():
        frame[name] = texts.to_pandas()
    added = scored.table(changes=changes, progress=progress).reset_index(drop=True)
    if splits := scorecard_of(rule_of(scored.model)):
        added = added.drop(columns="missing").rename(columns={"clause": "total"})
        added["total"] = splits[0].compute_values(columns_for(scored.model, scored.X)).astype(int)
        reasons = rank_reasons(scored.model, scored.X, most=REASONS, wording=scored.wording)
        for k in range(REASONS):
            added[f"reason {k + 1}"] = [row[k].text if k < len(row) else "" for row in reasons]
    return frame.join(added.rename(columns=lambda name: _free(name, frame)))


def _free(name: str, frame: pd.DataFrame) -> str:
    """Return a name that no column of the table has."""
    while name in frame.columns:
        name = f"{name} (rule)"
    return name


def _xlsx(frame: pd.DataFrame) -> bytes:
    file = io.BytesIO()
    spreadsheet_safe(frame).to_excel(file, index=False)
    return file.getvalue()


def _parquet(frame: pd.DataFrame) -> bytes:
    file = io.BytesIO()
    mixed = {c: frame[c].map(str, na_action="ignore") for c in frame if frame[c].dtype == object}
    frame.assign(**mixed).to_parquet(file, index=False)
    return file.getvalue()


#: How scored cases are written, by how their files end.
CASE_FILES = {
    "csv": CaseFile("text/csv", lambda frame: csv_text(frame).encode()),
    "xlsx": CaseFile("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", _xlsx),
    "parquet": CaseFile("application/octet-stream", _parquet),
}
