"""Tables that are not loaded: samples, counts of all rows, and learning, as a worker does them."""

import pickle
from functools import partial

import numpy as np
import pandas as pd
import pytest

from rulekit import BoxSearchClassifier, Clause, DataError, Literal, RuleSet
from tests.ui.tasks import Quiet
from ui.data.sources import (
    DATA_ROOT,
    AllRows,
    count_rule,
    draw_sample,
    find_table,
    learn_whole,
    source_words,
)

pytest.importorskip("ibis")
N = 4000


def people(n=N, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": rng.integers(18, 90, n), "dose": rng.random(n).round(3)})
    frame["town"] = rng.choice(["Ulm", "Köln", None], n)
    frame["ill"] = np.where((frame["age"] > 55) & (frame["dose"] > 0.25), "yes", "no")
    return frame


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(DATA_ROOT, str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    "name", ["a.parquet", "a*[1]?.parquet", "it's.csv", "sold/", "x=1.parquet"]
)
def test_sample_of_a_file_or_folder_is_drawn_and_rows_counted(folder, name):
    frame = people()
    if name.endswith("/"):
        for day in range(4):
            part = folder / name / f"day={day}"
            part.mkdir(parents=True)
            frame[day::4].to_parquet(part / "p.parquet")
    elif name.endswith(".csv"):
        frame.to_csv(folder / name, index=False)
    else:
        frame.to_parquet(folder / name)
        people(50, 1).to_parquet(folder / "a1.parquet")  # which a pattern would find, too
    table, total = draw_sample(find_table({"path": name}), 500)
    assert total == N
    assert abs(table.n_rows - 500) < 90
    assert table.name == f"{name} (sample)"
    assert "4,000 rows, drawn by a hash" in table.notes[0]
    columns = [c.name for c in table.columns]
    assert columns == [*frame.columns, *["day"] * name.endswith("/")]
    result = table.frame[["age", "dose"]].astype(float)
    merged = result.merge(frame[["age", "dose"]].astype(float).drop_duplicates())
    assert len(merged) == len(result)


def test_small_tables_are_read_whole_and_named_by_their_source(folder):
    people(100).assign(parts=[[1, 2]] * 100).to_parquet(folder / "a.parquet")
    table, total = draw_sample(find_table({"path": "a.parquet"}), 500)
    assert (table.n_rows, total, table.name) == (100, 100, "a.parquet")
    assert "parts" not in [c.name for c in table.columns]
    assert source_words({"path": "a/b.parquet"}) == "a/b.parquet"
    assert source_words({"connection": "sales", "table": "orders"}) == "orders of sales"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({"path": "../x.parquet"}, "There is no table"),
        ({"path": "bad.parquet"}, "'bad.parquet' is not a Parquet file, or is damaged"),
        ({"connection": "none", "table": "t"}, "There is no connection 'none' any more"),
    ],
)
def test_unreadable_file_is_one_sentence_without_a_path(folder, monkeypatch, source, message):
    monkeypatch.delenv("RULEKIT_TABLES", raising=False)
    (folder / "bad.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(DataError, match=message) as caught:
        draw_sample(find_table(source), 500)
    assert str(folder) not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.fixture
def database(folder, monkeypatch):
    """A connection to a database that stands in a file."""
    import duckdb

    frame = people()
    with duckdb.connect(str(folder / "hush.duckdb")) as link:
        link.register("given", frame)
        link.execute('CREATE TABLE "peo""ple" AS SELECT * FROM given')
        link.execute("CREATE SCHEMA old; CREATE TABLE old.notes AS SELECT * FROM given LIMIT 7")
    tables = """['peo"ple', "old.notes", "x"]"""
    location = folder / "hush.duckdb"
    text = f'[cases]\nurl = "duckdb://{location}?read_only=True"\ntables = {tables}\n'
    (folder / "tables.toml").write_text(text)
    monkeypatch.setenv("RULEKIT_TABLES", str(folder / "tables.toml"))
    return frame


def test_a_table_of_a_connection_is_sampled_under_its_name(database):
    table, total = draw_sample(find_table({"connection": "cases", "table": 'peo"ple'}), 500)
    assert (total, table.name) == (N, 'peo"ple of cases (sample)')
    assert draw_sample(find_table({"connection": "cases", "table": "old.notes"}), 500)[1] == 7
    with pytest.raises(DataError, match="'x' of the connection 'cases' cannot be opened") as caught:
        draw_sample(find_table({"connection": "cases", "table": "x"}), 500)
    assert "hush" not in str(caught.value)


def whole(classes=(("no", "well"), ("yes", "ill")), other=None, source=None):
    names = ("age", "dose", "town", "ill")
    return AllRows(find_table(source or {"path": "a.parquet"}), names, "ill", classes, other)


def rule(label="ill", default="well"):
    tests = (Literal("age", ">", 55.0), Literal("dose", ">", 0.3))
    clauses = (Clause(tests), Clause((Literal("town", "==", "Ulm"), Literal("age", ">", 85.0))))
    return RuleSet(clauses, (label, label), "dnf", default)


def test_rules_are_counted_on_all_rows_of_known_classes(folder):
    frame = people()
    frame.to_parquet(folder / "a.parquet")
    outcome, clauses = pickle.loads(pickle.dumps(partial(count_rule, whole(), rule())))(Quiet())
    truth = frame["ill"].map({"no": "well", "yes": "ill"})
    assert outcome.n == N
    assert outcome.errors == int((rule().predict(frame) != truth).sum())
    fired = rule().clauses_fired(frame)
    result = [(int(f.sum()), int((truth[f] == "ill").sum())) for f in fired.T]
    assert [(c.n, c.positives) for c in clauses] == result
    frame = people()
    frame["ill"] = np.where(frame["dose"] > 0.9, "who knows", frame["ill"])
    frame.loc[:9, "ill"] = None
    frame.to_parquet(folder / "a.parquet")
    rest = whole((("yes", "yes"),), "not yes")
    assert count_rule(rest, rule("yes", "not yes"), Quiet())[0].n == N - 10
    known = frame["ill"].isin(["no", "yes"])
    assert count_rule(whole(), rule(), Quiet())[0].n == int(known.sum())
    people().rename(columns={"age": "years"}).to_parquet(folder / "a.parquet")
    with pytest.raises(DataError, match="have changed since the sample was drawn"):
        count_rule(whole(), rule(), Quiet())


@pytest.mark.slow
def test_rule_is_learned_from_all_rows_with_display_names(folder):
    people().to_parquet(folder / "a.parquet")
    learner = BoxSearchClassifier(positive_label="ill", random_state=0, refine_thresholds=True)
    options = {"features": ["age", "dose"], "test_share": 0.2, "sample_rows": 500}
    report = Quiet()
    model = pickle.loads(pickle.dumps(partial(learn_whole, whole(), learner, options, 100)))(report)
    assert model.positive_label_ == "ill"
    assert model.rule_set_.features == ("age", "dose")
    assert model.table_certificate_.n_rows == N
    assert model.table_certificate_.training.error < 0.01
    assert all(0 <= s["done"] <= 100 for s in report.reports)
