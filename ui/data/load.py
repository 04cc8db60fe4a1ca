"""The Data page's first card: a file or a sample becomes the table; a bad file changes nothing."""

from dataclasses import asdict, dataclass
from typing import Any

import streamlit as st

from rulekit.data import Limits, ParseOptions, list_samples, load_sample, read_with_options
from rulekit.exceptions import RulekitError
from ui import workspace
from ui.escape import md
from ui.shell import problem
from ui.state import app_state

FIRST_SAMPLE = "credit"
TYPES = ["csv", "tsv", "txt", "xlsx", "parquet"]
FOUND = ""  # the choice "find out"
DELIMITERS = {FOUND: "detect", ",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
ENCODINGS = {FOUND: "detect"} | {e: e for e in ("utf-8", "cp1252", "latin-1", "utf-16")}
DECIMALS = {FOUND: "detect", ".": "point", ",": "comma"}
HEADERS = {FOUND: "detect", True: "names", False: "data"}


@dataclass(frozen=True)
class Upload:
    """A file as it was sent: kept in memory for this session, to be read again otherwise."""

    name: str
    content: bytes
    file_id: str

    @property
    def is_text(self) -> bool:
        """Whether delimiter, encoding and decimal mark matter."""
        return not self.content.startswith((b"PAR1", b"PK"))


def upload_card() -> None:
    """Take a file; read it once; on a refusal keep the earlier table and say why."""
    file = st.file_uploader("Upload a file", type=TYPES, key="upload_file")
    st.caption(f"{Limits().sentence()} The file stays on this machine.")
    if file is not None:
        seen = st.session_state.get("upload")
        if seen is None or seen.file_id != file.file_id:
            upload = Upload(file.name[:80], file.getvalue(), file.file_id)
            st.session_state["upload"] = upload
            with st.spinner("Reading the file", show_time=True):
                read(upload, ParseOptions())
            st.rerun()
    if error := st.session_state.get("upload_error"):
        problem(error)
        if app_state().table is not None:
            st.caption(f"The table {md(app_state().table.name, 40)} is still here, unchanged.")


def read(upload: Upload, options: ParseOptions) -> None:
    """Read a file and begin an analysis of it, or leave a sentence that says what is wrong."""
    st.session_state["upload_options"] = options
    try:
        table, found = read_with_options(upload.content, name=upload.name, options=options)
    except (RulekitError, ValueError) as error:
        st.session_state["upload_error"] = str(error)
        return
    st.session_state["upload_error"] = None
    read_as = asdict(found)
    read_as.pop("missing")
    workspace.begin(table, read_as)


def options_card() -> None:
    """Show how the uploaded text file was read; a change reads it again at once."""
    upload: Upload | None = st.session_state.get("upload")
    if upload is None or not upload.is_text:
        return
    asked: ParseOptions = st.session_state.get("upload_options", ParseOptions())
    found = app_state().options
    with st.expander("How the file was read", expanded=bool(st.session_state.get("upload_error"))):
        cells = st.columns(4)
        for cell, name, label, choices in zip(
            cells,
            ("delimiter", "encoding", "decimal", "header"),
            ("Between cells", "Encoding", "Decimal mark", "First row"),
            (DELIMITERS, ENCODINGS, DECIMALS, HEADERS),
            strict=True,
        ):
            _option(cell, upload, asked, name, (label, choices, found.get(name)))
        st.caption("The file's first lines, as they are:")
        st.code(first_lines(upload.content, asked.encoding or found.get("encoding")), None)
        if (table := app_state().table) is not None and not st.session_state.get("upload_error"):
            st.caption("The same lines, as they were read:")
            st.dataframe(table.frame.head(5), hide_index=True, alt="The first five rows.")


def _option(
    cell: Any,
    upload: Upload,
    asked: ParseOptions,
    name: str,
    what: tuple[str, dict[Any, str], Any],
) -> None:
    """Show one reading option; what was detected is named."""
    label, choices, found = what
    key = f"upload_option_{name}_{upload.file_id}"

    def words(value: Any) -> str:
        if value == FOUND and found is not None and not st.session_state.get("upload_error"):
            return f"{choices.get(found, found)} (detected)"
        return choices[value]

    def changed() -> None:
        value = st.session_state[key]
        settings = asdict(asked) | {name: None if value == FOUND else value}
        try:
            options = ParseOptions(**settings)
        except ValueError as error:
            st.session_state["upload_error"] = str(error)
            return
        read(upload, options)

    values = list(choices)
    now = FOUND if getattr(asked, name) is None else getattr(asked, name)
    cell.selectbox(label, values, values.index(now), words, key=key, on_change=changed)


def first_lines(content: bytes, encoding: str | None, n_lines: int = 5) -> str:
    """Return a text file's first lines, each cut at 200 characters."""
    text = content[:20_000].decode(encoding or "utf-8", errors="replace")
    return "\n".join(line[:200] for line in text.splitlines()[:n_lines])


def sample_buttons() -> None:
    """Offer each bundled table in one click."""
    for info in sorted(list_samples(), key=lambda s: s.name != FIRST_SAMPLE):
        st.button(
            f"Try {info.title}",
            key=f"sample_{info.name}",
            on_click=begin_sample,
            args=(info.name,),
            help=f"{info.description} Source: {info.source}. Licence: {info.licence}.",
            type="primary" if info.name == FIRST_SAMPLE else "secondary",
            width="stretch",
        )


def begin_sample(name: str) -> None:
    """Begin an analysis of a bundled table, its target and positive class chosen."""
    st.session_state["upload_error"] = None
    workspace.begin(load_sample(name))
