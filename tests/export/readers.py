"""Readers of the Markdown and HTML exports, which give back the text form."""

import re
from html.parser import HTMLParser


def from_markdown(markdown: str) -> str:
    """Turn the Markdown form of a rule back into the text form."""
    lines = []
    for line in markdown.split("\n"):
        if re.match(r"\d+\. |\*\*", line):
            lines.append(_plain(line))
    return "\n".join(lines)


def _plain(line: str) -> str:
    """Drop emphasis and fences of one line, and keep what stands in code spans as it is."""
    found, at = [], 0
    while at < len(line):
        fence = re.compile("`+").match(line, at)
        if fence is None:
            stop = line.find("`", at)
            stop = len(line) if stop < 0 else stop
            found.append(line[at:stop].replace("**", ""))
            at = stop
            continue
        close = re.compile(f"(?<!`){fence[0]}(?!`)").search(line, fence.end())
        assert close is not None, line
        inner = line[fence.end() : close.start()]
        padded = inner.startswith(" ") and inner.endswith(" ") and inner.strip(" ")
        found.append(inner[1:-1] if padded else inner)
        at = close.end()
    return "".join(found)


def from_html(page_text: str) -> str:
    """Turn the page of a rule back into the text form."""
    reader = _LineReader()
    reader.feed(page_text)
    return "\n".join("".join(line) for line in reader.lines)


class _LineReader(HTMLParser):
    """Collects the text of the elements of class "line"."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[list[str]] = []
        self.inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "span" and ("class", "line") in attrs:
            self.inside = True
            self.lines.append([])

    def handle_endtag(self, tag: str) -> None:
        if tag == "span":
            self.inside = False

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.lines[-1].append(data)
