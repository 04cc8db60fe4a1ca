"""Choice of the export format: three first, the others folded by audience."""

import streamlit as st

from rulekit.style.wording import capital
from ui.escape import md
from ui.export.formats import FORMATS

FORMAT = "_export_format"  # session key of the chosen format
CODE = "code"  # the choice of one of the formats in `LANGUAGES`
LANGUAGES = tuple(name for name, form in FORMATS.items() if form.name.startswith("SQL"))
LANGUAGES += ("python",)
CHOICES: dict[str, tuple[str, str]] = {  # label and caption
    name: (form.name, capital(f"{form.purpose}.")) for name, form in FORMATS.items()
} | {
    "text": ("Text for a document", "The rule in a few lines, also for an e-mail."),
    "xlsx": ("Excel", "A workbook that computes itself: type a case, and its prediction appears."),
    CODE: ("SQL or Python", "For a database, or a function without dependencies."),
}
FIRST = ("text", "xlsx", CODE)
AUDIENCES = {
    "For readers": ("markdown", "report", "html", "sheet", "latex"),
    "For analysts": ("csv", "json", "script"),
    "For decision services": ("pmml", "dmn"),
}


def choose_format() -> str:
    """Show the formats; return the chosen one, which the address contains."""
    requested = st.query_params.get("export_format", "")
    if requested and requested not in FORMATS:
        st.warning(f"Unknown format in the address: {md(requested, 60)}. Select one below.")
    if FORMAT not in st.session_state:
        st.session_state[FORMAT] = requested if requested in FORMATS else FIRST[0]
    chosen = st.session_state[FORMAT]
    st.query_params["export_format"] = chosen  # the format's key; display names may change
    _choices("Format", FIRST, CODE if chosen in LANGUAGES else chosen)
    for audience, names in AUDIENCES.items():
        title = f"{audience}: {', '.join(FORMATS[name].name for name in names)}"
        with st.expander(title, expanded=chosen in names):
            _choices(audience, names, chosen)
    return chosen


def choose_language(chosen: str) -> None:
    """Show the languages of a rule that is written as code."""
    if chosen in LANGUAGES:
        st.session_state["export_language"] = chosen
        st.selectbox(
            "Language",
            LANGUAGES,
            format_func=lambda name: FORMATS[name].name,
            key="export_language",
            on_change=_choose,
            args=("export_language",),
        )


def _choices(label: str, names: tuple[str, ...], chosen: str) -> None:
    """Show some formats; none is marked if the chosen one is elsewhere."""
    key = f"export_{label}"
    st.session_state[key] = chosen if chosen in names else None
    st.radio(
        label,
        names,
        format_func=lambda name: CHOICES[name][0],
        captions=[CHOICES[name][1] for name in names],
        key=key,
        on_change=_choose,
        args=(key,),
        label_visibility="visible" if names == FIRST else "collapsed",
    )


def _choose(key: str) -> None:
    """Select the format of a field; of code, the first language."""
    value = st.session_state[key]
    st.session_state[FORMAT] = LANGUAGES[0] if value == CODE else value
