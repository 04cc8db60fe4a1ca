"""People who log in, at a provider that this test runs: what is theirs, and what is not."""

import re
from urllib.parse import urlsplit

import pytest

from tests.browser.provider import CLIENT, SECRET, provided
from tests.browser.visitor import Visitor, served


@pytest.fixture
def known_here(tmp_path, monkeypatch):
    """The address of a dashboard for people who log in, and that of their provider."""
    with provided() as provider:
        secrets = tmp_path / "secrets.toml"
        secrets.write_text(
            f"""
[auth]
redirect_uri = "http://127.0.0.1:{{port}}/oauth2callback"
cookie_secret = "a long text that nobody guesses"
client_id = "{CLIENT}"
client_secret = "{SECRET}"
server_metadata_url = "{provider}/.well-known/openid-configuration"
"""
        )
        monkeypatch.setenv("RULEKIT_LOGIN", "on")
        monkeypatch.setenv("STREAMLIT_SECRETS_FILES", str(secrets))
        with served(tmp_path / "workspace") as address:
            yield address, provider


@pytest.fixture
def enter(chromium, known_here):
    """Return a function that opens a path in a new browser, up to the request to log in."""
    address, provider = known_here
    visitors = []

    def entered(path="/"):
        visitor = Visitor.of(chromium, address, viewport={"width": 1280, "height": 1000})
        visitors.append(visitor)
        return visitor.go(path)

    yield entered
    for visitor in visitors:
        visitor.leave()
    requested = {f"{u.scheme}://{u.netloc}" for v in visitors for u in map(urlsplit, v.outside)}
    assert requested == {provider}
    assert [v.complaints for v in visitors] == [[]] * len(visitors)


def logged_in(visitor, name):
    visitor.click("log_in")
    visitor.wire.reset()
    visitor.page.get_by_role("link", name=name).click()
    visitor.page.locator("h1", has_text="What is to be predicted").wait_for()
    return visitor.ready()


def test_an_analysis_belongs_to_the_person_who_logged_in(enter):
    ada = enter("/rules")
    ada.reads("This dashboard is for people who are known here.")
    assert not ada.page.get_by_test_id("stTopNavLink").count()
    logged_in(ada, "ada").press("sample_iris").page.wait_for_url(re.compile("analysis="))
    address = urlsplit(ada.page.url)
    path = f"{address.path}?{address.query}"

    ben = logged_in(enter("/"), "ben")
    ben.go(path).reads("it is another person's")
    assert "150 rows" not in ben.text()
    assert address.query not in ben.page.url

    elsewhere = logged_in(enter("/"), "ada")
    elsewhere.go(path).reads("150 rows")

    ada.click("log_out")
    ada.reads("This dashboard is for people who are known here.")
    ada.go(path).reads("This dashboard is for people who are known here.")
