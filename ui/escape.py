"""Escaping of text from data: a column may be called ``![x](http://a.site/p.png)``."""

# Streamlit reads Markdown in labels, captions, sentences, metrics and options of radio and
# segmented controls, but not in those of ``st.selectbox`` and ``st.multiselect``. Every text from a
# table, a file name or an error is escaped by `md` where Markdown is read. Rules and text for
# copying are shown by ``st.text``, ``st.code`` or a table, without changes: `md` adds invisible
# characters.

import logging
import re
from functools import lru_cache
from pathlib import PurePath

SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~$:^=&@/])")
CODE = re.compile(r"`[\w-][^`]*`")
JOINER = "\u2060"  # has no width, and breaks what would be read as an icon, an arrow or a link
BROKEN = (
    (":", ":" + JOINER),
    ("www", "w" + JOINER + "ww"),
    ("<\\=", "<" + JOINER + "\\="),
    (">\\=", ">" + JOINER + "\\="),
    ("\\-\\>", "\\-" + JOINER + "\\>"),
    ("\\<\\-", "\\<" + JOINER + "\\-"),
)
log = logging.getLogger("rulekit.dashboard")


def md(text: object, limit: int = 120) -> str:
    """Return text that Streamlit shows literally wherever it reads Markdown."""
    return _escape(str(text), limit)


@lru_cache(8192)  # lists of columns are drawn again in every run
def _escape(text: str, limit: int) -> str:
    line = re.sub(r"[\r\n\t]+", " ", text)
    line = line if len(line) <= limit else line[: limit - 1] + "…"
    line = SPECIAL.sub(r"\\\1", line)
    for risky, safe in BROKEN:
        line = line.replace(risky, safe)
    return re.sub(r"^(?=\s)|(?<=\s)$", JOINER, line)  # bold text may not end in a space


def page_words(error: object) -> str:
    """Return a message without what it says to callers of the library: parameters in backticks."""
    sentence, newline, lines = str(error).partition("\n")
    plain = sentence
    if CODE.search(sentence):
        plain = re.sub(r" \([^()]*`[^()]*\)", "", sentence)
    if not CODE.search(plain):
        return plain + newline + lines
    log.warning("shown in part: %s", error)
    parts = re.split(r"(?<=[.;])\s+", plain)
    for_people = [part for part in parts if not CODE.search(part)]
    if not for_people:  # the reason is better than none: its parameters as words
        words = re.sub(r"`([^`]*)`", lambda code: code[1].replace("_", " "), parts[0])
        for_people = [words[:1].upper() + words[1:]]
    return re.sub(";$", ".", " ".join(for_people)) + newline + lines


def forget() -> None:
    """Drop the texts that are kept escaped, of all sessions."""
    _escape.cache_clear()


def file_name(words: str, suffix: str, table: str = "") -> str:
    """Return a download's name, a table's name first: letters, digits, dots and dashes only."""
    stem = f"{PurePath(table).stem[:30]} {words}"
    clean = re.sub(r"[^A-Za-z0-9]+", "-", stem).strip("-").lower()[:80]
    return f"{clean or 'rulekit'}.{suffix}"
