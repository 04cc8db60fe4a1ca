"""What README, CONTRIBUTING, guide and decisions name in backticks is there."""

import importlib.util
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *(ROOT / "docs" / "decisions").glob("*.md"),
        *(ROOT / "docs" / "guide").glob("*.rst"),
    ]
)
#: Not in the source: created by users, or names of other programs.
ELSEWHERE = {
    *(
        ".rulekit/",
        ".streamlit/secrets.toml",
        ".streamlit/config.toml",
        "datasets.json",
        "literals.csv",
    ),
    *("postScriptGC",),
}
MADE = {"build", "dist", "results"}
#: Stand for any name, in instructions.
ANY = re.compile(r"NAME|ROOM|rulekit/a/b\.py|tests/a/test_b\.py|(pages|ui)/name")
BLOCKS = re.compile(
    r"```.*?```|^\.\. (?:runs|code-block)::[^\n]*\n\n(?:   [^\n]*\n|\n)+", re.DOTALL | re.MULTILINE
)


@cache
def source() -> tuple[set[Path], frozenset[str]]:
    """Return files and folders of the source, and all words of its code."""
    tops = [ROOT / ".ci", *(top for top in ROOT.iterdir() if top.name[0] not in "._")]
    results = (f for top in tops if top.name not in MADE for f in (top, *top.rglob("*")))
    files = [f.relative_to(ROOT) for f in results if f.is_file()]
    code = [f for f in files if f.suffix == ".py" or f.name in ("Makefile", "pyproject.toml")]
    mine = Path(__file__).relative_to(ROOT)
    texts = ((ROOT / f).read_text(encoding="utf-8") for f in code if f != mine)
    words = frozenset(word for text in texts for word in re.findall(r"\w+", text))
    return {*files, *(folder for f in files for folder in f.parents)}, words


def alternatives(text: str) -> list[str]:
    """Write "a/{b,c}.py" as "a/b.py" and "a/c.py"."""
    outcome = re.search(r"\{([^{}]*)\}", text)
    if outcome is None:
        return [text]
    before, after = text[: outcome.start()], text[outcome.end() :]
    return [one for part in outcome[1].split(",") for one in alternatives(before + part + after)]


def is_there(text: str) -> bool:
    """Whether a path, a module that is run, or a name exists; anything else is not asked."""
    places, words = source()
    if text.startswith("python -m "):
        return importlib.util.find_spec(text.split()[2]) is not None
    if "/" in text and re.fullmatch(r"[\w./*-]+", text):
        return any(place.match(text.rstrip("/")) for place in places)
    if re.fullmatch(r"[\w-]+\.(py|md|rst|toml|json|cff|txt|csv)", text):
        return any(place.name == text for place in places)
    if re.fullmatch(r"[A-Za-z_][\w.]*(\(.*\))?", text):
        return set(re.findall(r"\w+", text.split("(")[0])) <= words
    return True


def result(page: Path) -> list[str]:
    text = BLOCKS.sub("", page.read_text(encoding="utf-8"))
    text = re.sub(r":doc:`[^`]*`", "", text)
    matches = re.findall(r"`+([^`\n]+)`+", text)
    return [one for text in matches for one in alternatives(text) if not ANY.search(one)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_names_on_a_page_exist(page):
    assert [name for name in result(page) if name not in ELSEWHERE and not is_there(name)] == []


def test_no_exception_is_defined_but_never_raised():
    assert set().union(*map(result, PAGES)) >= ELSEWHERE
