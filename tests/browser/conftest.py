"""A real server and a real Chromium: each visit stays on this machine and meets no error."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.browser.visitor import Visitor, chromium_at, chromium_path, served


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(item.fspath).parent == Path(__file__).parent:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def chromium():
    """The browser; skips where there is none, unless RULEKIT_REQUIRE_BROWSER is set."""
    result = chromium_path()
    if result is None:
        sentence = "no Chromium was found; install the package `chromium` to run this test"
        if os.environ.get("RULEKIT_REQUIRE_BROWSER"):
            pytest.fail(f"{sentence} (RULEKIT_REQUIRE_BROWSER is set)")
        pytest.skip(sentence)
    with chromium_at(result) as browser:
        yield browser


@pytest.fixture(scope="session")
def shared_workspace(tmp_path_factory) -> Path:
    """The folder of the analyses of the shared dashboard."""
    return tmp_path_factory.mktemp("served") / "workspace"


@pytest.fixture(scope="session")
def server(shared_workspace) -> Iterator[str]:
    """The address of a dashboard that all tests of this session share; it logs no stack."""
    with served(shared_workspace) as address:
        yield address
    logs = [path.read_text() for path in shared_workspace.parent.glob("*.log")]
    assert logs, "no log of a server was found"
    assert all(logs), "a server logged nothing, not even its start"
    for log in logs:
        assert "(most recent call last)" not in log, log[-5000:]


@contextmanager
def visits(chromium, request) -> Iterator[Callable[..., Visitor]]:
    """Yield a function that opens a path as a new visitor; no visitor may meet an error."""
    visitors = []

    def opened(path="/", *, address=None, height=1400, **options):
        address = address or request.getfixturevalue("server")
        viewport = {"width": 1280, "height": height}
        visitor = Visitor.of(chromium, address, **{"viewport": viewport, **options})
        visitors.append(visitor)
        return visitor.go(path)

    yield opened
    for visitor in visitors:
        visitor.leave()
    assert [v.outside for v in visitors] == [[]] * len(visitors)
    assert [v.complaints for v in visitors] == [[]] * len(visitors)


@pytest.fixture
def visit(chromium, request):
    """Return a function that opens a path as a new visitor of one test; see `visits`."""
    with visits(chromium, request) as opened:
        yield opened


@pytest.fixture(scope="module")
def visit_once(chromium, request):
    """Return a function that opens a path as a visitor whom the tests of a module share."""
    with visits(chromium, request) as opened:
        yield opened
