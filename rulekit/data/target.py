"""Suggested target column, positive class, and checks of a target."""

import re
from collections.abc import Mapping, Sequence

from rulekit.data.column import looks_like_id, whole
from rulekit.data.headers import quote
from rulekit.data.schema import Table

MAX_CLASSES = 20
ENOUGH_ROWS = 30  # of a class that a rule describes
FEW_ROWS = 10  # below which the errors of a class are doubtful
_YES_AND_NO = (
    *(("1", "0"), ("1", "-1"), ("yes", "no"), ("y", "n"), ("true", "false"), ("t", "f")),
    *(("positive", "negative"), ("pos", "neg"), ("+", "-"), ("present", "absent")),
)
#: Outcomes that people want to find, and those they compare them with.
_POSITIVE_WORDS = {
    *("yes", "true", "positive", "present", "case", "disease", "diseased", "sick", "ill", "cancer"),
    *("tumor", "tumour", "malignant", "abnormal", "died", "dead", "die", "deceased", "relapse"),
    *("fraud", "fraudulent", "default", "defaulted", "bad", "churn", "churned", "spam", "failed"),
    *("failure", "fault", "faulty", "defective", "late", "rejected", "attack", "dropout"),
    *("no-show", "no show", "no_show", "noshow", "non-payment", "nonpayment", "unpaid"),
}
_USUAL = {
    *("no", "false", "negative", "absent", "control", "healthy", "normal", "benign", "alive"),
    *("live", "lived", "survived", "legit", "legitimate", "good", "ham", "ok", "passed"),
}
#: Words that leave the answer open, beside yes and no.
OPEN = {"unknown", "?", "n/a", "na", "not known", "not available", "don't know", "unsure"}
_NEGATED = re.compile(r"(no|not|non|never|without|did not|didn't)[\s_-]", re.IGNORECASE)
_NAMES = ("target", "class", "label", "outcome", "y", "diagnosis", "result", "response")
#: Names of outcomes with two values; a class of more may be one of a cabin or of a vehicle.
_EVENT = re.compile(
    r"(is|has|was)?[\s_.-]*(survived|survival|default|defaulted|churn|churned|exited|attrition|"
    r"fraud|spam|died|death|deceased|readmitted|relapsed?|recurrence|converted|purchased|approved)",
    re.IGNORECASE,
)


def suggest_target(table: Table) -> str | None:
    """Suggest the column to predict.

    Parameters
    ----------
    table : Table

    Returns
    -------
    str or None
        Of the columns with 2 to 20 values that are neither dates nor identifiers: the last
        with a usual name ("target", "class", "outcome" ...), else the last in the table. Before a
        "class" of three values or more comes an event of two ("survived", "default", "is_fraud"
        ...), but not a "default" amid the table whose last column has two values, too. Columns
        with a value in less than half of the rows come after all others. None where there is none.
        A suggestion only: nothing is set.
    """
    columns = [c for c in table.columns if c.kind != "date" and c.role != "id"]
    columns = [c for c in columns if 2 <= c.n_distinct <= MAX_CLASSES]
    columns = [c for c in columns if 2 * c.n_missing <= table.n_rows] or columns
    if not columns:
        return None
    last = table.columns[-1]
    if last.n_distinct == 2 and last in columns:  # "default" amid features is of an earlier loan
        columns = [c for c in columns if c in (columns[0], last) or c.name.lower() != "default"]
    events = [c.name for c in columns if c.n_distinct == 2 and _EVENT.fullmatch(c.name.strip())]
    name = likely_target([c.name for c in columns])
    word = name.strip().lower()
    is_usual = word in _NAMES and (word != "class" or table.column(name).n_distinct == 2)
    return name if is_usual or not events else events[-1]


def likely_target(names: Sequence[str]) -> str:
    """Guess the target from names: the last column with a usual name, else the last."""
    named = [name for name in names if name.strip().lower() in _NAMES]
    return (named or list(names))[-1]


def suggest_positive(table: Table, target: str) -> object:
    """Suggest the class that rules describe.

    Parameters
    ----------
    table : Table
    target : str

    Returns
    -------
    object
        Of two classes that mean yes and no ("yes" and "no", 1 and 0, "present"
        and "absent" ..., beside "unknown" or the like), the one that means yes; of two with a
        word of what people look for ("fraud", "ill", "died" ...) or of the usual case ("healthy",
        "benign", "not ..." ...), the one looked for. Else the rarest class with at least 30 rows,
        as fewer give unreliable figures; if no class has 30, the most frequent. Of equals the last
        sorted. None where the target has no value at all.
    """
    table.column(target)
    counts = class_counts(table, target)
    words = {str(label).strip().lower(): label for label in counts}
    for yes, no in _YES_AND_NO:
        if {yes, no} == words.keys() - OPEN:
            return words[yes]
    if len(words) == 2:
        negated = {word for word in words if _NEGATED.match(word)}
        for candidates in (words.keys() & _POSITIVE_WORDS, words.keys() - _USUAL - negated):
            if len(candidates) == 1:
                return words[candidates.pop()]
    if enough := {label: n for label, n in counts.items() if n >= ENOUGH_ROWS}:
        return min(reversed(enough), key=enough.__getitem__)
    return max(reversed(counts), key=counts.__getitem__, default=None)


def class_counts(table: Table, target: str) -> dict[object, int]:
    """Count the rows of each class, classes sorted, rows without a class left out."""
    values = whole(table.frame[target].dropna())
    counts = values.value_counts().sort_index()
    return dict(zip(counts.index.tolist(), map(int, counts), strict=True))


def check_target(table: Table, target: str) -> tuple[str, ...]:
    """Return what prevents a column from being predicted."""
    column = table.column(target)
    where = f"The target {quote(target)}"
    if column.n_distinct == 0:
        return (f"{where} is missing in every row. Choose another column.",)
    if column.n_distinct == 1:
        only = quote(column.levels[0]) if column.levels else "one value"
        return (
            f"{where} must have two classes at least; it holds {only} only. Choose another "
            "column, or add rows of another class.",
        )
    series, n_present = table.frame[target], table.n_rows - column.n_missing
    sentence = ""
    if n_present < 4:
        needed = "rules need more rows to be learned from and tested on."
        sentence = f"{where} is known in {n_present} rows only; {needed}"
    elif looks_like_id(series, target, column.n_distinct):
        values = "has a different value in every row, like an identifier"
        sentence = f"{where} {values}. Choose a column whose values repeat."
    elif column.kind == "date":
        sentence = f"{where} holds dates. Choose a column of classes."
    elif column.n_distinct > MAX_CLASSES and column.is_number:
        sentence = (
            f"{where} holds {column.n_distinct} different numbers; rules predict classes. Choose "
            "another column, or make two classes of it, such as above and up to "
            f"{float(series.median()):.3g} (a cut on Data, `--above`, `Table.with_cut`)."
        )
    elif column.n_distinct > MAX_CLASSES:
        most = f"and {MAX_CLASSES} at most are sensible. Choose another column, or join classes."
        sentence = f"{where} has {column.n_distinct} classes, {most}"
    features = [f for f in table.features if f != target]
    none = f"No feature is left beside {quote(target)}. Give at least one column the role"
    return tuple(filter(None, (sentence, "" if features else f"{none} 'feature'.")))


def target_notes(table: Table, target: str) -> tuple[str, ...]:
    """Return notes on a usable target: missing values, rare classes."""
    column = table.column(target)
    notes = []
    if column.n_missing:
        rows = f"{column.n_missing} of {table.n_rows} rows have no value in {quote(target)}"
        notes.append(f"{rows} and are left out of learning.")
    if column.n_distinct <= MAX_CLASSES:
        notes += note_rare(class_counts(table, target))
    if column.n_distinct > 2:
        notes.append(
            f"{quote(target)} has {column.n_distinct} classes: a rule is an ordered list that "
            "predicts any of them, or describes one against the rest."
        )
    return tuple(notes)


def note_rare(counts: Mapping[object, int]) -> list[str]:
    """Return a note on the classes of few rows; none if all have enough."""
    rare = [f"{quote(label)} ({n})" for label, n in counts.items() if n < FEW_ROWS]
    return [
        f"Fewer than {FEW_ROWS} rows have the class {', '.join(rare[:5])}: take fewer folds, or "
        "judge its figures with care."
    ] * bool(rare)
