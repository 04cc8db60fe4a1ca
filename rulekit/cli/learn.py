"""The command `learn`: from a table to a rule in a file, with a test error."""

from dataclasses import replace
from typing import Any

import click
import numpy as np
import pandas as pd
from sklearn.model_selection import PredefinedSplit

from rulekit.binning import Binarizer
from rulekit.binning.views import clean_frame
from rulekit.cli.inputs import OTHERS, ReadSettings, outcome_option, read_outcomes, reads_tables
from rulekit.cli.output import echo, note, print_json, working
from rulekit.cli.show import TABLE, as_json, write_file
from rulekit.data import Costs, Table, hold_out, quality_notes, suggest_positive, target_notes
from rulekit.data.cells.levels import match_level
from rulekit.data.folds import Fold, group_splitter, make_folds
from rulekit.data.headers import quote
from rulekit.data.matching import describe_reading, missing_words
from rulekit.data.schema import numbers_of_cut, outcomes_of_cut
from rulekit.data.target import check_target, class_counts
from rulekit.evaluation.metrics import cost_per_100, error_rate
from rulekit.export import to_json, to_text
from rulekit.families import FAMILIES, RuleClassifier, scale_points
from rulekit.rules.codec import rule_to_dict
from rulekit.rules.schema import schema_of
from rulekit.style.phrases import join_list
from rulekit.style.scorecard import scale_note

LEARNERS: dict[str, Any] = {
    f.command: f.model if f.alone is None else f.alone for f in FAMILIES.values() if f.command
}
COST = click.FloatRange(0, min_open=True)
MOST_FINDINGS = 20
TEST_SHARE = 0.3
SEED = "Seed of the split and the search; another one may change the rule."
FEW_GROUPS = "There are too few groups for inner folds; settings are compared on other folds."
FIXES = {
    "ignore": "--leave-out {0!r}",
    "group": "--group {0!r}",
    "weight": "--weight {0!r}",
    "as_numeric": "--number {0!r}",
    "as_category": "--category {0!r}",
    "merge": "--merge-levels {0!r}",
    "blank": "--missing '{0}={1}'",
}
#: Options that are passed to learners that have such a parameter.
SETTINGS = {"max_conditions": "--max-conditions", "time_limit": "--time-limit"}
SETTINGS |= {"random_state": "--seed", "n_jobs": "--jobs"}


@click.command()
@TABLE
@click.option("--target", required=True, help="The column to be predicted.")
@click.option(
    "--above", type=float, metavar="NUMBER", help="Cut a --target of numbers: above it, and up to."
)
@click.option(
    "--positive",
    help="Its value that the rule describes. Without it, short-rule takes the one that is "
    "described better; other learners take the suggested one.",
)
@click.option("--every-class", is_flag=True, help="Learn a rule for all classes, not one.")
@outcome_option
@click.option(
    "--learner", type=click.Choice(list(LEARNERS)), default="short-rule", help="Kind of rule."
)
@click.option("--max-conditions", type=click.IntRange(1), help="Conditions of the rule at most.")
@click.option("--cost-miss", type=COST, help="What it costs to miss a case of --positive.")
@click.option("--cost-false-alarm", type=COST, help="What it costs to take another case for one.")
@click.option("--cost-unit", default="", help="What costs are counted in, as in EUR.")
@click.option("--use", multiple=True, metavar="COLUMN", help="Learn from these columns only.")
@click.option("--leave-out", multiple=True, metavar="COLUMN", help="Columns not to learn from.")
@click.option(
    "--test-missing", multiple=True, metavar="COLUMN", help="Columns whose gaps a rule may test."
)
@click.option("--weight", metavar="COLUMN", help="The column with the weight of each row.")
@click.option("--group", metavar="COLUMN", help="Rows of one group stay on one side of the split.")
@click.option(
    "--test-share",
    type=click.FloatRange(0, 0.9),
    help="Share of the rows held out to evaluate the rule; 0 for none.  [default: 0.3]",
)
@click.option("--test", metavar="TABLE", help="A table of rows to evaluate the rule on.")
@click.option(
    "--split-by",
    metavar="COLUMN",
    help="Hold out the latest rows by this column of dates or numbers; short-rule then compares "
    "settings on later rows, too.",
)
@click.option("--folds", metavar="COLUMN", help="The column of the fold that short-rule tests on.")
@click.option("--seed", "random_state", type=click.IntRange(0, 2**32 - 1), help=SEED)
@click.option("--time-limit", type=click.FloatRange(0, min_open=True), help="Seconds at most.")
@click.option("--jobs", "n_jobs", type=int, help="Processes at once; -1: one a core.")
@click.option(
    "--points-scale",
    metavar="SCORE,ODDS,DOUBLE",
    callback=lambda _, __, text: _parse_scale(text),
    help="Write a scorecard as lenders do: SCORE means odds of ODDS to 1, and DOUBLE more points "
    "double them, as in 600,50,20.",
)
@click.option("--odds-of", metavar="VALUE", help="The outcome of --points-scale's odds.")
@click.option("-o", "--output", metavar="FILE", help="Where the rule goes, as JSON.")
@as_json
@reads_tables
def learn(table: str, target: str, reading: ReadSettings, as_json: bool, **options: Any) -> None:
    """Learn a short rule from TABLE, and report its error on rows held out.

    Columns of dates (without --date), of identifiers and of free text are not learned from; each
    is named.
    """
    model = _learner(options)
    if options["test"] is not None:
        reading.check(options["test"], target)  # before the search, which takes longer
    read, used = reading.table(table)
    if (cut := options["above"]) is not None:
        read = read.with_cut(target, cut)
        if (name := numbers_of_cut(target)) in options["use"]:
            raise click.UsageError(f"{name!r} holds the numbers to predict. Remove --use for it.")
        options["positive"] = options["positive"] or outcomes_of_cut(target, cut)[0]
    given = _with_roles(read, target, options)
    _note_findings(given, target)
    X, y = _rows(given, target, options)
    X, misfits = clean_frame(X)
    for sentence in misfits:
        note(f"Note: {sentence}")
    weights = given.weights()
    if weights is not None and (counts := weights.loc[X.index] > 0).any():
        X, y = X[counts], y[counts]  # the learner would exclude the others, too
    train, test = _split(model, given, X, y, options)
    weight = None if weights is None else weights.loc[X.index].to_numpy(dtype=float)
    if not options["every_class"]:
        _aim(model, target, _name_outcome(given.positive_label, options["outcomes"]), options)
    with working(f"Learning from {len(train):,} rows"):
        model.fit(X.iloc[train], y.iloc[train], None if weight is None else weight[train])
    _scale(model, options)
    rule = model.rule_set_
    words = missing_words(given, rule.features)
    schema = describe_reading(schema_of(rule), used, given.units, words)
    model.rule_set_ = replace(rule, schema=schema)
    if not options["every_class"]:
        note(f"The rule describes {target} = {(*rule.labels, model.positive_label_)[0]}.")
    figures = {
        name: _figures(model, X.iloc[rows], y.iloc[rows], None if weight is None else weight[rows])
        for name, rows in {"training": train, "test": test}.items()
    }
    if options["test"] is not None:
        later = reading.cases(options["test"], model.rule_set_, target=target)
        actual = read_outcomes(later, target, model.rule_set_, options["outcomes"])
        is_known = np.array([v is not None for v in actual])
        figures["test"] = _figures(model, later.frame[is_known], pd.Series(actual[is_known]), None)
    if options["output"] is not None:
        write_file(options["output"], to_json(model).encode())
    _report(model, target, figures, as_json)


def _parse_scale(text: str | None) -> tuple[float, float, float] | None:
    """Parse base score, base odds and points that double the odds."""
    if text is None:
        return None
    try:
        score, odds, double = map(float, text.split(","))
    except ValueError:
        raise click.BadParameter(f"must be three numbers, as in 600,50,20; got {text!r}.") from None
    return score, odds, double


def _scale(model: Any, options: dict[str, Any]) -> None:
    """Write a scorecard on a lender's scale, if one is given."""
    if options["points_scale"] is None:
        return
    label = next((v for v in model.classes_.tolist() if str(v) == options["odds_of"]), None)
    if options["odds_of"] is not None and label is None:
        classes = join_list(map(quote, map(str, model.classes_)))
        raise click.UsageError(f"--odds-of must be one of {classes}; got {options['odds_of']!r}.")
    score, odds, double = options["points_scale"]
    scale = {"base_score": score, "base_odds": odds, "points_to_double": double}
    scaled = scale_points(model, **scale, label=label)
    model.rule_set_ = scaled.rule_set_
    note(scale_note(scaled))


def _split(model: Any, read: Table, X: pd.DataFrame, y: pd.Series, options: dict[str, Any]) -> Fold:
    """Split the rows into training and test; set the inner folds of a learner that has them."""
    groups, by, seed = read.groups(), options["split_by"], options["random_state"] or 0
    names = None if groups is None else groups.loc[X.index].astype(str).to_numpy()
    times = None if by is None else read.times(by).loc[X.index]
    share = options["test_share"]
    train, test = hold_out(y.to_numpy(), share, groups=names, time=times, random_state=seed)
    if times is not None and len(test):
        note(f"Tested on the rows from {quote(str(times.iloc[test].min()))} on.")
    if isinstance(model, RuleClassifier):
        if options["folds"] is not None:
            folds = read.frame.loc[X.index, options["folds"]].iloc[train]
            model.set_params(cv=PredefinedSplit(pd.factorize(folds)[0]))
        elif times is not None:
            model.set_params(cv=make_folds(y.iloc[train], model.cv, time=times.iloc[train]))
        elif names is not None:
            if (splitter := group_splitter(y.iloc[train], names[train], random_state=seed)) is None:
                note(FEW_GROUPS)
            else:
                model.set_params(cv=splitter)
    return train, test


def _aim(model: Any, target: str, positive: Any, options: dict[str, Any]) -> None:
    """Set the costs, and the class that the rule describes."""
    if options["cost_miss"] is not None:
        costs = options["cost_miss"], options["cost_false_alarm"]
        model.set_params(costs=Costs(*costs, unit=options["cost_unit"], positive=positive))
    if model.costs is not None:
        note(f"--cost-miss is what it costs to miss {target} = {positive}.")
    if options["positive"] is not None or not isinstance(model, RuleClassifier):
        model.set_params(positive_label=positive)


def _learner(options: dict[str, Any]) -> Any:
    """Return the learner with the requested settings; what has no effect is rejected."""
    name = options["learner"]
    model = LEARNERS[name]
    model = type(model)(**model.get_params(deep=False))
    params, tested = model.get_params(deep=False), options["test"] is not None
    if options["test_share"] is None:
        options["test_share"] = 0.0 if tested else TEST_SHARE
    settings = {setting: options[setting] for setting in SETTINGS if options[setting] is not None}
    unread = [setting for setting in settings if setting not in params]
    if options["test_share"] > 0:  # the seed is that of the test rows
        unread = [setting for setting in unread if setting != "random_state"]
    given = {option for option, value in options.items() if value not in (None, ())}
    every = options["every_class"]
    short = isinstance(model, RuleClassifier)
    costs = given & {"cost_miss", "cost_false_alarm"}
    scale = given & {"odds_of", "points_scale"}
    no_cost = options["cost_unit"] and not costs
    no_gaps = "test_missing" in given and not short
    no_points = "points_scale" in given and name != "points"
    conflicts = {
        "--test gives the test rows. Remove --test-share.": tested and options["test_share"],
        "--split-by and --group exclude each other. Remove one.": {"split_by", "group"} <= given,
        "--folds has an effect with short-rule only. Remove it.": "folds" in given and not short,
        **{f"{SETTINGS[s]} has no effect with --learner {name}. Remove it.": True for s in unread},
        "--every-class describes all classes. Remove --positive.": every and "positive" in given,
        "One of two costs is missing. Give --cost-miss and --cost-false-alarm.": len(costs) == 1,
        "--cost-unit has no effect without costs. Add --cost-miss and --cost-false-alarm.": no_cost,
        "--cost-miss applies to one class. Remove --every-class or the costs.": every and costs,
        "--use and --leave-out exclude each other. Remove one.": {"use", "leave_out"} <= given,
        "--test-missing has an effect with short-rule only. Remove it.": no_gaps,
        "--odds-of has no effect without --points-scale. Remove it.": scale == {"odds_of"},
        "--points-scale needs a scorecard. Add --learner points.": no_points,
    }
    if sentence := next((text for text, is_wrong in conflicts.items() if is_wrong), None):
        raise click.UsageError(sentence)
    model.set_params(**{setting: v for setting, v in settings.items() if setting in params})
    if short:
        model.set_params(binarizer=Binarizer(test_missing=list(options["test_missing"])))
    return model


def _with_roles(table: Table, target: str, options: dict[str, Any]) -> Table:
    """Set the role of each column and the class that the rule describes."""
    roles = dict.fromkeys(options["leave_out"], "ignore")
    if options["use"]:
        roles = {c.name: "ignore" for c in table.columns if c.role == "feature"}
        roles |= dict.fromkeys(options["use"], "feature")
    apart = [options[name] for name in ("split_by", "folds") if options[name] is not None]
    for name in apart:
        table.column(name)  # raises an error if there is none
        roles.setdefault(name, "ignore")
    named = {"weight": options["weight"], "group": options["group"], "target": target}
    for role, name in named.items():
        if name is not None and name in (*options["use"], *options["leave_out"]):
            raise click.UsageError(f"Column {name!r} is named twice, once as --{role}.")
        roles |= {} if name is None else {name: role}
    columns = [name for name in named.values() if name is not None]
    if len(set(columns)) < len(columns):
        raise click.UsageError("--target, --weight and --group must be different columns.")
    table = table.with_roles(roles)
    if obstacles := check_target(table, target):
        raise click.ClickException(" ".join(obstacles))
    if options["every_class"]:
        return table
    by_name = {name: value for value, name in options["outcomes"].items()}
    name = options["positive"]
    label = suggest_positive(table, target) if name is None else by_name.get(name, name)
    return table.with_roles({}, positive_label=label)


def _note_findings(table: Table, target: str) -> None:
    """Print what Data shows about a table, with the options that change it."""
    columns = {column.name: column for column in table.columns}
    sentences = list(target_notes(table, target))
    for finding in quality_notes(table, target):
        column = columns.get(finding.column or "")
        if column is not None and column.role in ("ignore", "id") and finding.kind != "group":
            continue  # named already, as a column that is not used
        option = FIXES.get(finding.suggestion or "", "")
        words = f" ({option.format(finding.column, finding.value)})" if option else ""
        sentences.append(f"{finding.sentence}{words}")
    if (more := len(sentences) - MOST_FINDINGS) > 0:
        sentences[MOST_FINDINGS:] = [f"{more} more such findings are on Data."]
    for sentence in sentences:
        note(f"Note: {sentence}")


def _rows(table: Table, target: str, options: dict[str, Any]) -> tuple[pd.DataFrame, pd.Series]:
    """Return features and target, with renamed classes."""
    X, y = table.xy()
    labels = list(class_counts(table, target))
    meant = {value: match_level(value, labels) for value in options["outcomes"]}
    outcomes = {str(meant[value]): name for value, name in options["outcomes"].items()}
    options["outcomes"] = outcomes
    if strange := [value for value, label in meant.items() if label is None]:
        raise click.ClickException(
            f"--outcome names {quote(strange[0])}, which column {quote(target)} does not hold; it "
            f"holds {', '.join(quote(v) for v in labels[:10])}."
        )
    one_of_many = len(labels) > 2 and not options["every_class"]
    if outcomes or one_of_many:  # all labels of a rule have one type
        y = y.astype(object).map({label: _name_outcome(label, outcomes) for label in labels})
        names = sorted(set(y))
        if outcomes and len(names) < len(labels):
            raise click.ClickException(
                "Two classes have one name by --outcome. Give each its own name."
            )
        y = y.astype("str")
    if one_of_many:
        positive = str(_name_outcome(table.positive_label, outcomes))
        y = y.astype(object).mask(y.astype(object) != positive, OTHERS.format(positive))
        options["outcomes"] = outcomes or {str(table.positive_label): positive}
    return X, y


def _name_outcome(label: Any, outcomes: dict[str, str]) -> Any:
    return outcomes.get(str(label), str(label)) if outcomes else label


def _figures(model: Any, X: pd.DataFrame, y: pd.Series, weight: Any) -> dict[str, Any] | None:
    """Count the rows that the rule predicts wrongly; None if there are no rows."""
    if not len(X):
        return None
    answers, actual = np.asarray(model.predict(X), dtype=object), y.to_numpy(dtype=object)
    wrong = int((answers != actual).sum())
    figures = {"rows": len(X), "wrong": wrong, "error": error_rate(actual, answers, weight)}
    if model.costs is not None:
        figures["cost_per_100"] = cost_per_100(actual, answers, model.costs, weight)
    return figures


def _report(model: Any, target: str, figures: dict[str, Any], as_json: bool) -> None:
    rule = model.rule_set_
    reason = getattr(getattr(model, "choice_", None), "reason", None)
    if as_json:
        report = {"target": target, "learner": type(model).__name__}
        report |= {"clauses": rule.n_clauses, "conditions": rule.n_conditions, **figures}
        print_json(report | {"reason": reason, "rule": rule_to_dict(rule)})
        return
    echo(to_text(model).rstrip())
    for name, counts in figures.items():
        if counts is None:
            continue
        of = f"{counts['wrong']:,} of {counts['rows']:,} {name} rows"
        echo(f"Wrong on {of} ({100 * counts['error']:.1f} %).")
        if "cost_per_100" in counts:
            cost = f"{counts['cost_per_100']:.4g} {model.costs.unit}".rstrip()
            echo(f"A hundred {name} rows cost {cost}.")
    for sentence in filter(None, (reason, getattr(model, "few_rows_hint_", None))):
        note(sentence)
