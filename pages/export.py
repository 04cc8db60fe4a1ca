"""Export: download the rule, checked against the model row by row."""

import streamlit as st

from rulekit.export import to_text
from rulekit.style.wording import plural
from ui.cache import kept
from ui.escape import file_name, md
from ui.export.formats import DATABASES, FORMATS, bundle, checked, offer, record_text, shown_page
from ui.picked import looked_at_test_rows, needed_model
from ui.shell import guard, header, sentences, two_columns
from ui.state import app_state
from ui.workspace import change

guard("export")
header("export")
PREVIEW = 440  # height in pixels: the box and the button above it fit on one screen
model = needed_model()
state = app_state()
stem = f"rule for {state.target if state.several else state.positive}"

left, right = two_columns()
requested = st.query_params.get("export_format", "")
with left:
    if requested and requested not in FORMATS:
        st.warning(f"Unknown format in the address: {md(requested, 60)}. Select one below.")
    if requested in FORMATS and "export_format" not in st.session_state:
        st.session_state.export_format = "sql" if requested in DATABASES else requested
        if requested in DATABASES:
            st.session_state.export_database = requested
    offered = [name for name in FORMATS if name not in DATABASES or name == "sql"]
    chosen = st.radio(
        "Format",
        offered,
        format_func=lambda name: FORMATS[name].name,
        captions=[offer(state, model, FORMATS[name]) for name in offered],
        key="export_format",
        persist_state="session",
    )
    if chosen == "sql":
        chosen = right.selectbox(
            "Database",
            list(DATABASES),
            format_func=DATABASES.get,
            key="export_database",
            persist_state="session",
        )
    st.query_params["export_format"] = chosen  # the format's key; display names may change
form = FORMATS[chosen]
with right, sentences():
    st.header(form.name, anchor=False)
    if obstacle := form.obstacle(model):
        st.info(f"{obstacle} The other formats contain the rule unchanged.")
    else:
        looks = looked_at_test_rows() if chosen == "report" and len(state.testing[0]) else 0
        state = app_state()
        key = repr((state.fit_key, state.rule_json, chosen, state.wording))
        key += record_text(state, model)
        text = kept("export", key, lambda: form.write(state, model))
        if form.verified:
            check = checked(state, model, form)
            (st.success if check.ok else st.error)(md(check.sentence, 300))
        else:
            st.caption(form.unchecked)
        st.download_button(
            f"Download {form.name}",
            data=text,
            file_name=file_name(stem, form.suffix),
            mime=form.mime,
            on_click="ignore",
            type="primary",
            key="download_format",
        )
        if looks:
            st.caption(
                f"It contains the error on the test rows, now shown for {plural(looks, 'rule')}."
            )
        if form.rendered:
            st.iframe(shown_page(text), height=PREVIEW, alt="The page, as a browser will show it")
        elif isinstance(text, bytes):
            st.caption("The file opens in a spreadsheet; it contains this rule:")
            st.code(to_text(model), language=None, wrap_lines=True)
        else:
            # the box scrolls; its copy button works with the keyboard
            long = text.count("\n") > 20 or len(text) > 1400
            with st.container(height=PREVIEW if long else "content", border=False):
                st.code(text, language=form.language, wrap_lines=True)

together, record = st.tabs(["Everything together", "Run record"])
with together, sentences():
    notes = st.text_area(
        "Notes that go into the run record",
        value=state.notes,
        key="export_notes",
        placeholder="Purpose, decisions, what to watch",
    )
    if notes != state.notes:
        change(notes=notes)
        state = app_state()
    st.download_button(
        "Download all formats and the run record (zip)",
        data=lambda: bundle(state, model),
        file_name=file_name(stem, "zip"),
        mime="application/zip",
        on_click="ignore",
        key="download_zip",
    )
with record, sentences():
    st.caption("What is needed to repeat this: data, decisions, settings, seeds, versions.")
    st.download_button(
        "Download the run record (JSON)",
        data=lambda: record_text(state, model),
        file_name=file_name("run record", "json"),
        mime="application/json",
        on_click="ignore",
        key="download_record",
    )
    st.code(record_text(state, model), language="json", wrap_lines=True)
