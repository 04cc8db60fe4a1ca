"""Readers of exports: back to the text form, or to the texts of all cells."""

import io
import re
from html.parser import HTMLParser

import openpyxl


def from_markdown(markdown: str) -> str:
    """Turn the Markdown form of a rule back into the text form."""
    lines = []
    for line in markdown.split("\n"):
        if re.match(r"\d+\. |\*\*", line):
            lines.append(_plain(line))
    return "\n".join(lines)


def _plain(line: str) -> str:
    """Drop emphasis and fences of one line, and keep what stands in code spans as it is."""
    result, at = [], 0
    while at < len(line):
        fence = re.compile("`+").match(line, at)
        if fence is None:
            stop = line.find("`", at)
            stop = len(line) if stop < 0 else stop
            result.append(line[at:stop].replace("**", ""))
            at = stop
            continue
        close = re.compile(f"(?<!`){fence[0]}(?!`)").search(line, fence.end())
        assert close is not None, line
        inner = line[fence.end() : close.start()]
        padded = inner.startswith(" ") and inner.endswith(" ") and inner.strip(" ")
        result.append(inner[1:-1] if padded else inner)
        at = close.end()
    return "".join(result)


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


class Cells(HTMLParser):
    """The tables of a page as rows of texts, all its text, and the colours of its bars."""

    def __init__(self, page):
        super().__init__()
        self.tables, self.colours, self.text, self.inside = [], [], "", False
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
            self.inside = True
        attrs = dict(attrs)
        if tag == "rect":
            self.colours += {attrs["fill"], attrs.get("stroke", "none")} - {"none"}

    def handle_endtag(self, tag):
        self.inside &= tag not in ("td", "th")

    def handle_data(self, data):
        self.text += data
        if self.inside:
            self.tables[-1][-1][-1] += data.strip()


def as_text(content):
    """Text stays what it is; the bytes of a workbook become a list of its cells."""
    if isinstance(content, str):
        return content
    lines = []
    for sheet in openpyxl.load_workbook(io.BytesIO(content)):
        lines.append(f"[{sheet.title}]")
        cells = (cell for row in sheet.iter_rows() for cell in row if cell.value is not None)
        lines += [f"{cell.coordinate} {cell.value!r}" for cell in cells]
    return "\n".join(lines) + "\n"
