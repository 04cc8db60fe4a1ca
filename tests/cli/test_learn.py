"""`learn`: the rule, its file, its figures; and every way to ask for what cannot be."""

import numpy as np
import pandas as pd
import pytest

from rulekit import RuleClassifier, from_json, from_text
from rulekit.cli.learn import LEARNERS
from rulekit.data import hold_out, read_table
from rulekit.data.folds import group_splitter
from rulekit.rules.codec import rule_from_dict
from tests.cli.conftest import printed

RNG = np.random.default_rng(5)


@pytest.fixture(scope="module")
def frame():
    made = pd.DataFrame({"age": RNG.integers(20, 80, 120)})
    made["size"] = RNG.normal(50, 9, 120).round(1)
    made["kind"] = RNG.choice(["a", "b", "c"], 120)
    made["weight"] = RNG.integers(1, 4, 120)
    made["clinic"] = RNG.choice(list("pqrst"), 120)
    return made.assign(dead=((made["age"] > 50) & (made["kind"] != "a")).astype(int))


@pytest.fixture
def file(run, frame, tmp_path):
    frame.to_csv(tmp_path / "made.csv", index=False)
    return "made.csv"


QUICK = ("--learner", "one-clause")


def learned(run, tmp_path, *words):
    """The rule and what was said of it."""
    output = printed(run("learn", *words, *QUICK, "-o", "learned.json", "--json"))
    return from_json((tmp_path / "learned.json").read_text()), output


def test_figures_are_measured_on_held_out_rows(run, tmp_path, frame, file):
    rule, shown = learned(run, tmp_path, file, "--target", "dead", "--test-share", 0.25)
    train, test = hold_out(frame["dead"].to_numpy(), 0.25, random_state=0)
    wrong = rule.predict(frame) != frame["dead"].to_numpy()
    for name, rows in (("training", train), ("test", test)):
        counts = {"rows": len(rows), "wrong": wrong[rows].sum(), "error": wrong[rows].mean()}
        assert shown[name] == pytest.approx(counts)
    assert rule.classes[0] == 1
    assert shown["conditions"] == rule.n_conditions


def test_people_read_the_rule_and_its_figures(run, file):
    result = run("learn", file, "--target", "dead", *QUICK)
    lines = result.stdout.splitlines()
    assert from_text("\n".join(lines[:-2])).default == 0
    assert lines[-2].startswith("Wrong on ")
    assert "training rows" in lines[-2]
    assert "test rows" in lines[-1]
    assert "The rule describes dead = 1." in result.stderr


def test_scorecard_is_written_on_a_lenders_scale(run, tmp_path, frame, file):
    words = ("learn", file, "--target", "dead", "--learner", "points", "-o", "card.json", "--json")
    scale = ("--points-scale", "600,30,20", "--odds-of", "0")
    result = run(*words, *scale)
    assert "600 points mean odds of 30 to 1 for 0; each 20 points more double" in result.stderr
    scaled = from_json((tmp_path / "card.json").read_text())
    run(*words)
    card = from_json((tmp_path / "card.json").read_text())
    assert (scaled.predict(frame) == card.predict(frame)).all()
    assert (scaled.labels, card.labels) == ((0,), (1,))
    for given, message in (
        (("--points-scale", "600,50"), "must be three numbers"),
        (("--points-scale", "600,50,20", "--odds-of", "2"), "--odds-of must be one of '0' and '1'"),
        (("--odds-of", "1"), "no effect without --points-scale"),
    ):
        assert message in run(*words, *given, code=2).stderr


def test_rows_are_split_by_time_or_by_the_users_folds(run, tmp_path, frame):
    rng = np.random.default_rng(0)
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.permutation(120), "D")
    fold = rng.integers(1, 4, 120)
    frame.assign(day=days, fold=fold).to_csv(tmp_path / "days.csv", index=False)
    words = ("learn", "days.csv", "--target", "dead", "--json", "-o", "learned.json")
    shown = printed(run(*words, *QUICK, "--split-by", "day"))
    rule = from_json((tmp_path / "learned.json").read_text())
    late = days >= np.sort(days)[84]
    wrong = rule.predict(frame) != frame["dead"].to_numpy()
    assert (shown["test"]["rows"], shown["test"]["wrong"]) == (36, wrong[late].sum())
    assert shown["training"]["wrong"] == wrong[~late].sum()
    assert "Tested on the rows from '2024-03-25" in run(*words, *QUICK, "--split-by", "day").stderr
    run(*words, "--max-conditions", 1, "--test-share", 0, "--folds", "fold")
    rule = from_json((tmp_path / "learned.json").read_text())
    assert not {"day", "fold"} & set(rule.features)
    for given, message in (
        (("--split-by", "nothing", *QUICK), "nothing"),
        (("--split-by", "day", "--group", "clinic"), "--split-by and --group exclude"),
        (("--folds", "fold", *QUICK), "--folds has an effect with short-rule only"),
        (("--test", "days.csv", "--test-share", 0.3), "Remove --test-share"),
    ):
        assert message in run(*words, *given, code=1 if "nothing" in given else 2).stderr


def test_second_table_tests_the_rule(run, tmp_path, frame, file):
    later = frame.iloc[::-3].assign(dead=lambda t: t["dead"].where(t["age"] < 70, 0))
    later.to_csv(tmp_path / "later.csv", index=False)
    rule, shown = learned(run, tmp_path, file, "--target", "dead", "--test", "later.csv")
    assert shown["training"]["rows"] == 120
    wrong = int((rule.predict(later) != later["dead"].to_numpy()).sum())
    assert (shown["test"]["rows"], shown["test"]["wrong"]) == (40, wrong)


def test_a_target_of_numbers_is_cut(run, tmp_path, frame, file):
    rule, shown = learned(run, tmp_path, file, "--target", "size", "--above", 50, "--use", "age")
    assert set(rule.classes) <= {"size above 50", "up to 50"}
    actual = np.where(frame["size"] > 50, "size above 50", "up to 50")
    wrong = shown["training"]["wrong"] + shown["test"]["wrong"]
    assert wrong == (rule.predict(frame) != actual).sum()
    scored = printed(run("score", "learned.json", file, "--target", "size", "--json"))
    assert (scored["known"], scored["wrong"]) == (120, wrong)
    names = ("--outcome", "size above 50=large", "--outcome", "up to 50=small")
    given_options = ("--target", "size", *names)
    rule, _ = learned(run, tmp_path, file, *given_options, "--above", 50, "--use", "age")
    assert set(rule.classes) <= {"large", "small"}
    renamed = printed(run("score", "learned.json", file, *given_options, "--json"))
    assert renamed["wrong"] == wrong
    failed = run("score", "learned.json", file, "--target", "size", code=1)
    assert "by --outcome VALUE=NAME" in failed.stderr


def test_costs_are_learned_from_and_reported(run, tmp_path, frame):
    truth = (frame["dead"] == 1) ^ (np.arange(120) % 4 == 0)  # a rule errs on one side or the other
    frame.assign(dead=truth.astype(int)).to_csv(tmp_path / "noisy.csv", index=False)
    columns = ("--target", "dead", "--use", "age", "--use", "kind")
    requested = ("noisy.csv", *columns, "--test-share", 0)
    misses = {}
    for miss, alarm in ((9, 1), (1, 9)):
        prices = ("--cost-miss", miss, "--cost-false-alarm", alarm, "--cost-unit", "EUR")
        rule, shown = learned(run, tmp_path, *requested, *prices)
        positive = rule.predict(frame) == 1
        missed, alarms = (truth & ~positive).sum(), (~truth & positive).sum()
        cost = 100 * (miss * missed + alarm * alarms) / 120
        assert shown["training"]["cost_per_100"] == pytest.approx(cost)
        result = run("learn", *requested, *prices, *QUICK)
        assert f"A hundred training rows cost {cost:.4g} EUR." in result.stdout
        assert "--cost-miss is what it costs to miss dead = 1." in result.stderr
        misses[miss] = missed
    assert misses[9] < misses[1]


def test_one_of_several_classes_is_told_from_the_rest(run, tmp_path):
    requested = ("sample:iris", "--target", "species", "--positive", "versicolor")
    rule, shown = learned(run, tmp_path, *requested)
    assert rule.classes == ("versicolor", "not versicolor")
    scored = printed(run("score", "learned.json", *requested[:3], "--json"))
    assert scored["wrong"] == shown["training"]["wrong"] + shown["test"]["wrong"]
    grades = np.arange(60) % 3 + 1
    pd.DataFrame({"age": 10.0 * grades, "grade": grades}).to_csv(tmp_path / "g.csv", index=False)
    requested = ("g.csv", "--target", "grade", "--positive", "2")
    rule, shown = learned(run, tmp_path, *requested)
    assert rule.classes == ("2", "not 2")
    assert shown["test"]["wrong"] == 0
    assert printed(run("score", "learned.json", *requested[:3], "--json"))["wrong"] == 0


@pytest.mark.slow
def test_several_classes_are_learned_if_the_learner_supports_them(run, tmp_path):
    requested = ("learn", "sample:iris", "--target", "species", "--every-class", "-o", "rule.json")
    run(*requested, "--learner", "formula")
    rule = from_json((tmp_path / "rule.json").read_text())
    assert set(rule.classes) == {"setosa", "versicolor", "virginica"}


def test_columns_are_left_out_or_chosen_and_outcomes_named(run, tmp_path, file):
    rule, _ = learned(run, tmp_path, file, "--target", "dead", "--leave-out", "age")
    assert "age" not in rule.features
    rule, _ = learned(run, tmp_path, file, "--target", "dead", "--use", "kind")
    assert rule.features == ("kind",)
    names = ("--outcome", "1=died", "--outcome", "0=survived")
    rule, _ = learned(run, tmp_path, file, "--target", "dead", *names)
    assert rule.classes == ("died", "survived")
    turned, _ = learned(run, tmp_path, file, "--target", "dead", *names, "--positive", "survived")
    assert turned.classes == ("survived", "died")
    scored = printed(run("score", "learned.json", file, "--target", "dead", *names, "--json"))
    assert scored["known"] == 120


def test_weights_and_groups_are_not_learned_from_and_are_kept_to(run, tmp_path, frame, file):
    roles = ("--weight", "weight", "--group", "clinic")
    rule, shown = learned(run, tmp_path, file, "--target", "dead", *roles)
    assert not {"weight", "clinic"} & set(rule.features)
    groups = frame["clinic"].to_numpy()
    train, test = hold_out(frame["dead"].to_numpy(), 0.3, groups=groups, random_state=0)
    assert shown["test"]["rows"] == len(test)
    wrong = rule.predict(frame) != frame["dead"].to_numpy()
    shares = np.average(wrong[train], weights=frame["weight"].to_numpy()[train])
    assert shown["training"]["error"] == pytest.approx(shares)


def test_short_rule_is_selected_on_folds_of_whole_groups(run, frame, file):
    words = ("--target", "dead", "--group", "clinic", "--leave-out", "weight", "--test-share", "0")
    shown = printed(run("learn", file, *words, "--json"))
    X, y = frame.drop(columns=["dead", "clinic", "weight"]), frame["dead"]
    model = RuleClassifier(cv=group_splitter(y, frame["clinic"])).fit(X, y)
    assert shown["reason"] == model.choice_.reason
    assert rule_from_dict(shown["rule"]).clauses == model.rule_set_.clauses


def test_weightless_rows_and_few_rows_are_treated_as_such(run, tmp_path, frame):
    weighed = frame.assign(weight=frame["weight"] * (frame.index % 3 > 0))
    weighed.to_csv(tmp_path / "all.csv", index=False)
    weighed[weighed["weight"] > 0].to_csv(tmp_path / "some.csv", index=False)
    requested = ("--target", "dead", "--weight", "weight")
    results = [learned(run, tmp_path, file, *requested) for file in ("all.csv", "some.csv")]
    assert results[0] == results[1]
    few = pd.DataFrame({"a": [1, 2, 3, 4] * 2, "y": ["x", "z"] * 4})
    few.to_csv(tmp_path / "few.csv", index=False)
    shown = run("learn", "few.csv", "--target", "y", "--learner", "points").stderr
    assert "Chances need more than" in shown


@pytest.mark.slow
@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_learns(run, tmp_path, file, learner):
    limit = ("--max-conditions", "3") if learner in ("short-rule", "points") else ()
    requested = ("learn", file, "--target", "dead", "--learner", learner, "--test-share", "0")
    shown = printed(run(*requested, *limit, "-o", "learned.json", "--json"))
    rule = from_json((tmp_path / "learned.json").read_text())
    table = read_table(tmp_path / file)
    assert shown["test"] is None
    assert shown["training"]["wrong"] == (rule.predict(table.frame) != table.frame["dead"]).sum()
    assert shown["training"]["error"] < 0.2
    assert not limit or rule.n_conditions <= 3


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        ("none.csv --target dead", 1, "'none.csv' was not read. No such file"),
        ("made.csv --target died", 1, "The table has no column 'died'; did you mean 'dead'?"),
        ("made.csv --target size", 1, "different numbers; rules predict classes"),
        ("made.csv --target dead --positive 7", 1, "'7' does not. It holds '"),
        ("made.csv --target dead --outcome 7=x", 1, "--outcome names '7', which column 'dead'"),
        ("made.csv --target dead --outcome 1=x --outcome 0=x", 1, "Two classes have one name"),
        ("made.csv --target dead --use none", 1, "The table has no column 'none'"),
        ("made.csv --target dead --weight kind", 1, "Weights must be numbers"),
        ("made.csv --target kind --above 3", 1, "'kind' holds none"),
        ("made.csv --target size --above 500", 1, "must have two classes at least"),
        ("made.csv", 2, "Missing option '--target'"),
        ("made.csv --target dead --every-class --positive 1", 2, "Remove --positive"),
        ("made.csv --target dead --use age --leave-out kind", 2, "exclude each other"),
        ("made.csv --target dead --use dead", 2, "named twice, once as --target"),
        ("made.csv --target dead --group dead", 2, "must be different columns"),
        ("made.csv --target dead --test-share 1", 2, "0<=x<=0.9"),
        ("made.csv --target dead --max-conditions 3", 2, "no effect with --learner one-clause"),
        ("made.csv --target dead --max-conditions 0", 2, "0 is not in the range x>=1"),
        ("made.csv --target dead --cost-miss 5", 2, "Give --cost-miss and --cost-false-alarm"),
        ("made.csv --target dead --cost-unit EUR", 2, "no effect without costs"),
        ("made.csv --target dead --cost-miss 0 --cost-false-alarm 1", 2, "range x>0"),
        (
            "made.csv --target dead --every-class --cost-miss 5 --cost-false-alarm 1",
            2,
            "--cost-miss applies to one class",
        ),
        ("made.csv --target dead --odds-of 1", 2, "--odds-of has no effect"),
        ("made.csv --target dead --points-scale 600,50,20", 2, "Add --learner points"),
        ("made.csv --target dead --test none.csv", 1, "'none.csv' was not read"),
        ("made.csv --target dead --seed 4294967296", 2, "--seed"),
        ("sample:credit --target risk --sheet x", 2, "no effect on 'sample:credit'"),
        ("made.csv --target dead --jobs 2", 2, "--jobs has no effect with --learner one-clause"),
    ],
)
def test_unlearnable_input_is_refused_first(refused, file, tmp_path, words, code, sentence):
    assert sentence in refused("learn", *words.split(), *QUICK, "-o", "learned.json", code=code)
    assert not (tmp_path / "learned.json").exists()


def test_unknown_samples_and_numbers_of_a_cut_target_are_refused(refused, file):
    words = ("made.csv", "--target", "size", "--above", 50, "--use", "size (number)")
    assert "'size (number)' holds the numbers to predict" in refused("learn", *words, code=2)
    assert "no sample table 'cars'" in refused("learn", "sample:cars", "--target", "a")


@pytest.mark.parametrize("foreign", ["unknown", "2023-02-30", "10000-01-01"])
def test_one_text_among_dates_is_named_by_its_row(run, tmp_path, foreign):
    days = [f"2023-{1 + k % 9:02d}-{1 + k % 5:02d}" for k in range(90)]
    frame = pd.DataFrame({"day": days, "late": ["yes" if d > "2023-05" else "no" for d in days]})
    frame.loc[40, "day"] = foreign
    frame.to_csv(tmp_path / "days.csv", index=False)
    words = ("days.csv", "--target", "late", "--category", "day", "--use", "day", *QUICK)
    result = run("learn", *words, "-o", "learned.json")
    message = f"1 of 90 cells is no date (first: row 41, '{foreign}') and became missing"
    assert result.stderr.count(message) == 1
    assert "day" in from_json((tmp_path / "learned.json").read_text()).features
    scored = run("score", "learned.json", "days.csv", "--category", "day", "-o", "scored.csv")
    words = "These cells are read as missing: 'unknown' (1 cell)"
    assert (words if foreign == "unknown" else message) in scored.stderr
