"""The Data page in a real browser: an upload, hostile names, a bad file."""

import csv
import io

from tests.browser.visitor import served

HOSTILE = [
    "![x](http://evil.test/p.png)",
    "<img src=http://evil.test/q.png>",
    ":material/home: :red[x] $y_1$",
    "https://evil.test www.evil.test",
    "=HYPERLINK(1) <= >= ->",
]


def table(names, n_rows=40):
    sink = io.StringIO()
    writer = csv.writer(sink)
    writer.writerow([*names, "<b>ill</b>"])
    for k in range(n_rows):
        values = [(k * (3 + j)) % (7 + j) + k / 100 for j in range(len(names))]
        writer.writerow([*values, "*yes*" if k % 3 == 0 else "[no](http://evil.test)"])
    return sink.getvalue().encode()


def test_hostile_names_are_shown_literally_and_fetch_nothing(visit):
    visitor = visit("/").upload("![t](http://evil.test/t.png).csv", table(HOSTILE))
    visitor.press("use_suggestion")
    visitor.reads("![t](http://evil.test/t.png).csv")
    visitor.reads("[no](http://evil.test)")
    visitor.reads("*yes*")
    assert visitor.page.locator("[data-testid=stMain] a[href*=evil]").count() == 0
    visitor.turn_to("Binning")
    visitor.page.locator(".js-plotly-plot .bars").first.wait_for()
    assert visitor.page.locator("[data-testid=stMain] img").count() == 0
    assert visitor.page.locator("[data-testid=stMain] a[href*=evil]").count() == 0


# Give a file right after the first message that the page sends with an upload field: the key.
GIVE_WITH_KEY = """
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (...data) {
  send.apply(this, data);
  const field = document.querySelector("input[type=file]");
  if (window.given || !field) return;
  window.given = true;
  const files = new DataTransfer();
  files.items.add(new File(["age,ill\\n" + "1,no\\n2,yes\\n".repeat(20)], "first.csv"));
  setTimeout(() => {
    field.files = files.files;
    field.dispatchEvent(new Event("change", {bubbles: true}));
  });
};
"""


def test_a_file_given_while_the_browsers_key_arrives_is_read(visit):
    for _ in range(6):  # more than half of them were lost
        visitor = visit("/")
        visitor.page.add_init_script(GIVE_WITH_KEY)
        visitor.page.goto(visitor.address)
        visitor.page.get_by_role("combobox", name="Target column").first.wait_for()
        visitor.reads("first.csv · 40 rows")


def test_file_of_the_server_with_a_backslash_keeps_its_name(visit, tmp_path, monkeypatch):
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / r"salaries\.csv").write_bytes(table(["age"]))
    monkeypatch.setenv("RULEKIT_DATA_ROOT", str(tmp_path / "tables"))
    with served(tmp_path / "workspace") as address:
        visitor = visit("/", address=address)
        name = visitor.page.get_by_role("combobox", name="Table on this server")
        assert name.input_value() == r"salaries\.csv"
        opener = visitor.page.locator(".stButton button", has_text="Open")
        with visitor.action():
            visitor.until_sent(opener.click, "Open")
        visitor.reads(r"salaries\.csv · 40 rows")
        visitor.leave()


def test_a_returning_visitor_renames_opens_and_forgets_saved_analyses(visit):
    def turn_to_list():
        with visitor.action():
            visitor.page.get_by_role("tab", name="Load another table").click()

    visitor = visit("/").press("sample_iris")
    visitor.page.wait_for_url("**/data?analysis=*")
    turn_to_list()
    visitor.page.get_by_text("more_horiz").first.click()
    name = visitor.page.get_by_role("textbox", name="Name")
    with visitor.action():
        name.fill("Flowers")
        name.press("Enter")
    visitor.go("/").reads("Your saved analyses")
    with visitor.action():
        visitor.page.get_by_role("button", name="Flowers").first.click()
    visitor.page.wait_for_url("**/data?analysis=*")
    visitor.reads("iris · 150 rows")
    turn_to_list()
    visitor.page.get_by_text("more_horiz").first.click()
    with visitor.action():
        visitor.page.get_by_text("Forget: delete it from this machine").click()
    with visitor.action():
        visitor.page.get_by_role("button", name="Yes, delete table, settings and results").click()
    visitor.reads("No table yet")
    assert "Your saved analyses" not in visitor.text()
    assert "not on this machine" not in visitor.text()
    assert "analysis=" not in visitor.page.url
