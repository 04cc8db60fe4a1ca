"""What the guide tells a newcomer to type is typed; what it claims of learners is asked of them."""

import ast
import builtins
import inspect
import re
import shutil
import socket
import subprocess
import textwrap
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import rulekit
from docs.guide import building
from rulekit import from_json, load_sample
from tests.databases import connected, served

GUIDE = Path(__file__).parents[1] / "docs" / "guide"
EXAMPLE = re.compile(r"^\.\. runs::( shell)?\n\n((?:   .*\n|\n)+)", re.MULTILINE)


def examples(page):
    """Return (whether for the shell, text) of the examples of a page, in order."""
    matches = EXAMPLE.findall((GUIDE / f"{page}.rst").read_text(encoding="utf-8"))
    return [(bool(shell), textwrap.dedent(text).strip()) for shell, text in matches]


@pytest.fixture(scope="module")
def followed(tmp_path_factory):
    """The six tasks done word for word in an empty folder; what was printed, by what was typed."""
    page = building.Page(tmp_path_factory.mktemp("followed"))
    said = {}
    for shell, text in examples("tasks"):
        said[text] = page.shell(text) if shell else page.python(text)
    return SimpleNamespace(folder=page.folder, names=page.names, said=said)


def printed(followed, *words):
    """What the one example that holds these words printed."""
    (text,) = [said for typed, said in followed.said.items() if all(w in typed for w in words)]
    return text


def rule_in(followed, name):
    return from_json((followed.folder / name).read_text(encoding="utf-8"))


def python_examples(path):
    """Return the Python blocks of a page of the guide, or of the README."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    matches = re.findall(
        r"^\.\. (?:runs::|code-block:: python)\n\n((?:   .*\n|\n)+)", text, re.MULTILINE
    )
    return [textwrap.dedent(block) for block in matches]


@pytest.mark.parametrize(
    "path", [GUIDE.parents[1] / "README.md", *sorted(GUIDE.glob("*.rst"))], ids=lambda p: p.name
)
def test_each_example_imports_the_names_it_uses(path):
    assigned = set(dir(builtins))  # by earlier examples of the page, too
    for text in python_examples(path):
        all_nodes = list(ast.walk(ast.parse(text)))
        names = [node for node in all_nodes if isinstance(node, ast.Name)]
        imports = [node for node in all_nodes if isinstance(node, ast.Import | ast.ImportFrom)]
        imported = {alias.asname or alias.name for node in imports for alias in node.names}
        used = {node.id for node in names if isinstance(node.ctx, ast.Load)}
        assigned |= {node.id for node in names if isinstance(node.ctx, ast.Store)}
        assert used <= imported | assigned, text


def table_in(followed, name):
    return pd.read_csv(followed.folder / name)


@pytest.mark.slow
def test_a_rule_of_four_conditions_is_learned_that_fears_misses(followed):
    rule, model = rule_in(followed, "rule.json"), followed.names["model"]
    assert rule.n_conditions <= 4
    assert model.n_conditions_ <= 4
    loans = table_in(followed, "loans.csv")
    said = printed(followed, "rulekit learn loans.csv", "--cost-miss 5", "-o rule.json")
    wrong = [int(n) for n in re.findall(r"Wrong on (\d+) of", said)]
    assert sum(wrong) == (rule.predict(loans) != loans["risk"]).sum()
    costs = [float(c) for c in re.findall(r"A hundred \w+ rows cost ([\d.]*\d)", said)]
    answers, truth = rule.predict(loans), loans["risk"]
    misses = ((truth == "high") & (answers == "low")).sum()
    alarms = ((truth == "low") & (answers == "high")).sum()
    assert np.dot(costs, [4.9, 2.1]) == pytest.approx(5 * misses + alarms, abs=0.05)


@pytest.mark.slow
def test_one_case_is_explained_and_the_change_named_does_turn_it(followed):
    loans = table_in(followed, "loans.csv")
    rule, case = rule_in(followed, "rule.json"), loans.iloc[[4]]
    (answer,) = rule.predict(case)
    assert f"Predicted {answer}: " in printed(followed, "rulekit explain")
    result = followed.names["found"]
    assert result.sentence in printed(followed, "from rulekit import explain")
    changed = case.copy()
    for change in result.counterfactual.changes:
        changed[change.feature] = change.new
    model = followed.names["model"]
    assert model.predict(changed)[0] != model.predict(case)[0]


@pytest.mark.slow
def test_two_rules_are_compared_by_the_rows_they_answer_differently(followed):
    loans = table_in(followed, "loans.csv")
    before, after = (rule_in(followed, n).predict(loans) for n in ("rule.json", "short.json"))
    said = printed(followed, "rulekit compare")
    assert f"{(before != after).sum()} of 700 rows get another answer" in said
    assert f"Wrong after: {(after != loans['risk']).sum()} of 700" in said


@pytest.mark.slow
def test_the_file_for_postgresql_answers_there_as_the_rule_does(followed):
    loans = table_in(followed, "loans.csv")
    kinds = {"i": "bigint", "f": "double precision"}
    columns = ", ".join(f'"{n}" {kinds.get(loans[n].dtype.kind, "text")}' for n in loans)
    cells = loans.astype(object).where(loans.notna(), None)
    with served() as place, connected(place) as link, link.cursor() as cursor:
        cursor.execute(f"CREATE TABLE loans ({columns})")
        cursor.executemany(
            f"INSERT INTO loans VALUES ({', '.join(['%s'] * len(loans.columns))})",
            cells.values.tolist(),
        )
        cursor.execute((followed.folder / "answers.sql").read_text(encoding="utf-8"))
        names = [column.name for column in cursor.description]
        answered = pd.DataFrame(cursor.fetchall(), columns=names).set_index("loan_id")
    result = answered.loc[loans["loan_id"], "prediction"]
    assert result.tolist() == followed.names["model"].predict(loans).tolist()


@pytest.mark.slow
def test_three_outcomes_are_distinguished(followed):
    rule = rule_in(followed, "wine.json")
    X, y = load_sample("wine").xy("cultivar")
    assert set(rule.predict(X)) == set(y)
    said = printed(followed, "rulekit learn sample:wine")
    assert sum(map(int, re.findall(r"Wrong on (\d+) of", said))) == (rule.predict(X) != y).sum()
    assert set(followed.names["three"].predict(X)) == set(y)


@pytest.mark.slow
def test_next_months_table_is_scored(followed):
    new = table_in(followed, "next_month.csv")
    answers = pd.read_excel(followed.folder / "answers.xlsx", engine="calamine")["answer"].tolist()
    assert answers == rule_in(followed, "rule.json").predict(new).tolist()
    scored = followed.names["scored"].table()["answer"].tolist()
    assert scored == followed.names["model"].predict(new).tolist()


@pytest.mark.slow
def test_commands_of_the_readme_work(tmp_path):
    readme = (GUIDE.parents[1] / "README.md").read_text(encoding="utf-8")
    (commands,) = [b for b in re.findall(r"```sh\n(.*?)```", readme, re.S) if "rulekit learn" in b]
    loans = load_sample("credit").frame
    said = building.Page(tmp_path).shell(commands)
    assert {path.name for path in tmp_path.iterdir()} == {"rule.json", "predictions.xlsx"}
    assert "CASE" in said
    rule = from_json((tmp_path / "rule.json").read_text(encoding="utf-8"))
    (answer,) = rule.predict(loans.iloc[[11]])
    assert f"Row 12: Predicted {answer}" in said
    answers = pd.read_excel(tmp_path / "predictions.xlsx", engine="calamine")["answer"]
    assert answers.tolist() == rule.predict(loans).tolist()


def test_every_setting_of_the_server_that_is_named_is_read():
    root = GUIDE.parents[1]
    result = [root / "README.md", *GUIDE.glob("*.rst")]
    code = [root / "app.py", *(root / "ui").rglob("*.py"), *(root / "rulekit").rglob("*.py")]
    named, read = (
        {name for file in files for name in re.findall(r"\bRULEKIT_[A-Z_]+", file.read_text())}
        for files in (result, code)
    )
    assert named
    assert named <= read


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed")
def test_nginx_takes_the_example_of_a_proxy(tmp_path):
    page = (GUIDE / "sharing.rst").read_text(encoding="utf-8")
    (block,) = re.findall(r"code-block:: nginx\n\n((?:   .*\n|\n)+)", page)
    server = re.sub(r"/etc/(ssl|nginx)", str(tmp_path), block)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        server = server.replace("443", f"127.0.0.1:{free.getsockname()[1]}")
    make = "req -x509 -newkey rsa:2048 -nodes -subj /CN=a -keyout rules.key -out rules.pem"
    subprocess.run(["openssl", *make.split()], cwd=tmp_path, check=True, capture_output=True)
    (tmp_path / "rules.users").touch()
    whole = f"pid {tmp_path}/pid;\nevents {{}}\nhttp {{\naccess_log off;\n{server}}}\n"
    (tmp_path / "nginx.conf").write_text(whole, encoding="utf-8")
    requested = ["nginx", "-t", "-e", str(tmp_path / "log"), "-c", str(tmp_path / "nginx.conf")]
    done = subprocess.run(requested, capture_output=True, text=True, check=False)
    assert "test is successful" in done.stderr


def learners_table():
    """Return the rows of the table of learners: what is claimed of each, by column."""
    text = (GUIDE / "learners.rst").read_text(encoding="utf-8")
    table = text[text.index(".. list-table::") : text.index("*Gaps*")]
    cells = [row.split("\n     -") for row in table.split("   * -")[1:]]
    head, *body = [[cell.strip() for cell in row] for row in cells]
    return {row[1].strip("`"): dict(zip(head, row, strict=True)) for row in body}


@pytest.mark.parametrize(("name", "claims"), learners_table().items())
def test_table_of_learners_equals_their_capabilities(name, claims):
    kind = getattr(rulekit, name)
    tested = kind(rulekit.from_text("OTHERWISE a")) if name == "FixedRuleClassifier" else kind()
    tags = tested.__sklearn_tags__()
    assert (claims["Gaps"] == "yes") == tags.input_tags.allow_nan
    assert (claims["Weights"] == "yes") == (
        "sample_weight" in inspect.signature(kind.fit).parameters
    )
    assert (claims["Classes"] == "any") == tags.classifier_tags.multi_class
    constraints = {"constraints"} if claims["Constraints"] in ("yes", "some") else set()
    assert constraints == {"constraints"} & set(tested.get_params())


def test_the_table_of_learners_names_them_all():
    result = {n for n in rulekit.__all__ if n.endswith("Classifier") or n == "LPSVM"}
    assert set(learners_table()) == result
