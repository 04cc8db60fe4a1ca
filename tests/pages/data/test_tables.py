"""A table that is not loaded, on the pages: a sample that says so, rules counted on all rows."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rulekit import Clause, FixedRuleClassifier, Literal, RuleSet, to_json
from tests.pages.driving import errors, finished, text
from ui.data import server_tables
from ui.shell import OF_THE_SAMPLE

pytest.importorskip("ibis")
pytest.importorskip("duckdb")
N, SAMPLE = 6_000, 5_000


def people(n=N):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(18, 90, n), "dose": rng.normal(size=n).round(3)})
    ill = (frame["age"] > 55) & (frame["dose"] > 0.1) ^ (rng.random(n) < 0.05)
    return frame.assign(ill=np.where(ill, "yes", "no"))


RULE = RuleSet(
    (Clause((Literal("age", ">", 55.0), Literal("dose", ">", 0.1))),), ("yes",), "dnf", "no"
)


@pytest.fixture
def served(tmp_path, monkeypatch):
    """A folder with a file of more rows than the pages show, and a database with the same."""
    import duckdb

    folder = tmp_path / "files"
    folder.mkdir()
    people().to_parquet(folder / "people.parquet")
    place = tmp_path / "cases.duckdb"
    with duckdb.connect(str(place)) as link:
        link.execute(f"CREATE TABLE \"<b>*all*\" AS SELECT * FROM '{folder}/people.parquet'")
    lines = ['["sales *1*"]', f'url = "duckdb://{place}?read_only=True"', "tables = ['<b>*all*']"]
    (tmp_path / "tables.toml").write_text("\n".join(lines))
    monkeypatch.setattr(server_tables.sources, "SAMPLE_ROWS", SAMPLE)
    monkeypatch.setenv("RULEKIT_DATA_ROOT", str(folder))
    monkeypatch.setenv("RULEKIT_TABLES", str(tmp_path / "tables.toml"))
    return tmp_path


def sample(app, name):
    """Open a table of the server, and wait for its sample."""
    app.selectbox(key="server_file").set_value(name).run()
    app.button(key="server_open").click().run()
    app = finished(app)
    assert not app.error, app.error[0].value
    return app


def with_rule(app):
    """Choose the target and take a rule by hand."""
    state = app.session_state["app"]
    state = replace(state, table=state.table.with_roles({"ill": "target"}, positive_label="yes"))
    rule = {"model": FixedRuleClassifier(RULE).fit(*state.training), "rule_json": to_json(RULE)}
    setting = {"setting": {"edited": "by hand"}, "rule_selected": True}
    app.session_state["app"] = replace(state, **rule, **setting)
    return app


def wrong():
    frame = people()
    return int((RULE.predict(frame) != frame["ill"]).sum())


@pytest.mark.slow
def test_sample_is_marked_on_every_page_and_counted_whole(open_app, served):
    app = sample(open_app("data"), "people.parquet")
    state = app.session_state["app"]
    assert 0.96 * SAMPLE < state.table.n_rows < 1.04 * SAMPLE
    message = f"sample: {state.table.n_rows:,} of {N:,} rows"
    assert message in text(app)
    with_rule(app)
    for page in ("data", "models", "rules"):
        app.switch_page(f"pages/{page}.py").run()
        assert OF_THE_SAMPLE in text(app)
        assert message in text(app)
    words = f"Wrong on all {N:,} rows of people.parquet"
    assert words in text(finished(app))
    assert f"({wrong():,} rows)" in text(app)
    assert not app.error


@pytest.mark.slow
def test_connection_table_opens_by_name_without_showing_its_address(open_app, served, monkeypatch):
    monkeypatch.setattr(server_tables, "AT_ONCE_ROWS", 0)
    app = sample(open_app("data"), "<b>*all* of sales *1*")
    assert "cases.duckdb" not in text(app)
    assert "cases.duckdb" not in str(app.session_state["app"].options)
    with_rule(app).switch_page("pages/rules.py").run()
    assert "Wrong on all" not in text(app)
    app.button(key="count_all_rows").click().run()
    assert f"({wrong():,} rows)" in text(finished(app))
    assert "cases.duckdb" not in text(app)


@pytest.mark.slow
def test_unreadable_table_gives_one_sentence_and_loses_nothing(open_app, served):
    app = open_app("data", sample="iris")
    (served / "files" / "people.parquet").write_bytes(b"PAR1")
    app.selectbox(key="server_file").set_value("people.parquet").run()
    app.button(key="server_open").click().run()
    finished(app)
    assert "'people.parquet' is not a Parquet file" in errors(app)
    assert str(served) not in text(app)
    assert app.session_state["app"].table.name.startswith("iris")


def test_broken_connections_file_gives_one_sentence_and_keeps_files(open_app, served):
    (served / "tables.toml").write_text('[a]\nurl = "x://u:hush@h"\ntables = ["t"]\n')
    app = open_app("data")
    assert "holds a secret" in errors(app)
    assert "hush" not in text(app)
    assert len(app.selectbox(key="server_file").options) == 1


@pytest.mark.slow
def test_differently_read_column_is_reported_before_counting(open_app, served):
    app = with_rule(sample(open_app("data"), "people.parquet"))
    app.session_state["app"].options["categories"] = ["age"]
    app.switch_page("pages/rules.py").run()
    assert "'age' of the sample is read as categories here" in errors(app)
    assert "Error, training rows" in {m.label for m in app.metric}  # the page goes on below


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["Short rule", "Every combination"])
def test_rule_learned_from_all_rows_is_marked(open_app, served, kind):
    app = with_rule(sample(open_app("data"), "people.parquet"))
    app.switch_page("pages/models.py").run()
    app.selectbox(key="whole_kind").set_value(kind).run()
    app.button(key="whole_file").click().run()
    words = f"{kind}, learned from all {N:,} rows of people.parquet"
    finished(app)
    assert not app.error
    assert words in text(app)
    model = app.session_state["app"].model
    assert model.n_conditions_ >= 2
    app.switch_page("pages/rules.py").run()
    assert words in text(app)
    assert f"Wrong on all {N:,} rows" in text(finished(app))
    frame = people()
    errors = int((model.predict(frame.drop(columns="ill")) != frame["ill"]).sum())
    assert f"({errors:,} rows)" in text(app)
