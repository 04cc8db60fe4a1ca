"""The page that answers, opened in Chromium without a network."""

import numpy as np
import pandas as pd
import pytest

from rulekit import BoxSearchClassifier, RuleClassifier, load_sample
from rulekit.data import list_samples
from rulekit.export import to_app, to_report
from tests.browser.looks import findings

DROP = """async (drop, text) => {
  const data = new DataTransfer();
  data.items.add(new File([text], "cases.csv"));
  const given = { dataTransfer: data, bubbles: true, cancelable: true };
  drop.dispatchEvent(new DragEvent("drop", given));
}"""


@pytest.fixture
def learned():
    X, y = load_sample("credit").xy("risk")
    return RuleClassifier(max_conditions=4, positive_label="high").fit(X, y), X, y


def predictions(page, folder, X):
    """Drop a file of rows on the page, save the scored file, and return its predictions."""
    X.to_csv(folder / "cases.csv", index=False)
    page.locator("#drop").evaluate(DROP, (folder / "cases.csv").read_text("utf-8"))
    with page.expect_download() as download:
        page.get_by_role("link", name="Save the scored file").click()
    scored = pd.read_csv(download.value.path(), encoding="utf-8-sig")
    assert len(scored) == len(X)
    return scored["prediction"].tolist()


def test_page_predicts_every_row_of_the_samples_offline(chromium, tmp_path):
    context = chromium.new_context(offline=True)
    page = context.new_page()
    for sample in list_samples():
        X, y = load_sample(sample.name).xy()
        model = BoxSearchClassifier(random_state=0).fit(X, y)
        (tmp_path / "rule.html").write_text(to_app(model, (X, y)), "utf-8")
        page.goto((tmp_path / "rule.html").as_uri())
        assert predictions(page, tmp_path, X) == model.predict(X).tolist(), sample.name
    context.close()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1200), ("dark", 390)])
def test_page_answers_a_case_and_scores_a_file_offline(chromium, tmp_path, learned, scheme, width):
    model, X, y = learned
    (tmp_path / "rule.html").write_text(to_app(model, (X, y), title="Risk"), "utf-8")
    size = {"width": width, "height": 900}
    context = chromium.new_context(viewport=size, color_scheme=scheme, offline=True)
    page, complaints = context.new_page(), []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: complaints.append(request.url))
    page.goto((tmp_path / "rule.html").as_uri())
    complaints.remove((tmp_path / "rule.html").as_uri())

    answer = page.get_by_role("status").first
    for column in model.rule_set_.schema.columns:
        field = page.get_by_label(column.name, exact=True)
        value = X[column.name].iloc[0]
        field.select_option(value) if column.levels else field.fill(str(value))
    assert answer.locator("strong").inner_text() == model.predict(X.iloc[:1])[0]
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement !== document.body")
    field = page.locator("input[inputmode=decimal]").first
    field.fill("many")
    assert field.get_attribute("aria-invalid") == "true"
    assert answer.inner_text() == "Correct the marked fields."
    page.get_by_role("button", name="Clear").click()
    assert answer.inner_text().startswith("Enter a case.")
    assert page.locator("[aria-current]").count() == 0
    assert predictions(page, tmp_path, X) == model.predict(X).tolist()

    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert not findings(page)
    page.emulate_media(media="print")
    assert not page.locator("#files").is_visible()
    assert answer.is_visible()
    assert [c for c in complaints if not c.startswith("blob:")] == []
    context.close()


def test_a_report_of_long_names_fits_a_narrow_page_and_splits_no_number(chromium):
    X = pd.DataFrame({"mean_concentration_of_glucose_in_blood_before_a_meal": np.arange(400)})
    names = {False: "a_class_without_any_space_in_its_long_name", True: "another_class_without_any"}
    y = (X > 150).iloc[:, 0].map(names)
    page = chromium.new_page(viewport={"width": 390, "height": 900})
    page.set_content(to_report(RuleClassifier(max_conditions=2).fit(X, y), (X, y)))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    wraps = "all => all.map(e => getComputedStyle(e).overflowWrap)"
    assert set(page.locator("td.n").evaluate_all(wraps)) == {"normal"}
    page.close()
