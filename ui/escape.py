"""Data-derived text made safe: a column may be called ``![x](http://a.site/p.png)``.

Streamlit reads Markdown in labels, captions, sentences, metrics and options. Whatever comes from
a table, a file name or an error goes through `md` before it is put there. Text meant to be copied
(rules, SQL) goes into ``st.code`` or a table instead, which show it as it is: `md` leaves
invisible characters behind.
"""

import re

SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~$:^=&@/])")
JOINER = "\u2060"  # takes no room, breaks what would be read as an icon, an arrow or a link
BROKEN = (
    (":", ":" + JOINER),
    ("www", "w" + JOINER + "ww"),
    ("<\\=", "<" + JOINER + "\\="),
    (">\\=", ">" + JOINER + "\\="),
    ("\\-\\>", "\\-" + JOINER + "\\>"),
    ("\\<\\-", "\\<" + JOINER + "\\-"),
)


def md(text: object, limit: int = 120) -> str:
    """Return text that Streamlit shows literally wherever it reads Markdown.

    Parameters
    ----------
    text : object
        Shown as `str`; line breaks and tabs become spaces.
    limit : int, default=120
        Longer text is cut and ends in an ellipsis.

    Returns
    -------
    str
    """
    line = re.sub(r"[\r\n\t]+", " ", str(text))
    line = line if len(line) <= limit else line[: limit - 1] + "…"
    line = SPECIAL.sub(r"\\\1", line)
    for risky, safe in BROKEN:
        line = line.replace(risky, safe)
    return line


def file_name(stem: str, suffix: str) -> str:
    """Return a download's name from our own words: letters, digits, dots and dashes only."""
    clean = re.sub(r"[^A-Za-z0-9]+", "-", stem).strip("-").lower()[:40]
    return f"{clean or 'rulekit'}.{suffix}"
