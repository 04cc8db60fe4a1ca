"""Export: take the rule away, checked against the model row by row."""

import streamlit as st

from rulekit.export import verify_export
from ui.cache import kept
from ui.escape import file_name, md
from ui.export_formats import FORMATS, bundle, record_text
from ui.picked import needed_model
from ui.shell import guard, header, sentences
from ui.state import app_state, change

guard("export")
header("export")
model = needed_model()
state = app_state()
key = repr((state.fit_key, state.rule_json))
stem = f"rule for {state.positive}"

chosen = st.segmented_control(
    "Format",
    list(FORMATS),
    format_func=lambda name: FORMATS[name].name,
    default="markdown",
    required=True,
    key="export_format",
    bind="query-params",
    persist_state="session",
)
form = FORMATS[chosen]

with st.container(border=True), sentences():
    st.subheader(form.name, anchor=False)
    st.caption(form.purpose.capitalize() + ".")
    text = kept("export", key + chosen, lambda: form.write(model))
    if form.verified:
        X, _ = state.data
        checked = kept("verified", key + chosen, lambda: verify_export(model, X, form.verified))
        (st.success if checked.ok else st.error)(md(checked.sentence, 300))
    else:
        st.caption("This format is for reading only: nothing can execute it, so it is not checked.")
    st.code(
        text,
        language=form.language,
        wrap_lines=True,
        height=420 if text.count("\n") > 24 else "content",
    )
    st.download_button(
        f"Download {form.name}",
        data=lambda: form.write(model),
        file_name=file_name(stem, form.suffix),
        mime=form.mime,
        on_click="ignore",
        type="primary",
        key="download_format",
    )

with st.container(border=True), sentences():
    st.subheader("Everything together", anchor=False)
    st.caption("All formats in one zip file, with the run record: what is needed to repeat this.")
    notes = st.text_area(
        "Notes that go into the record",
        value=state.notes,
        key="export_notes",
        placeholder="Who asked, what was decided, what to watch",
    )
    if notes != state.notes:
        change(notes=notes)
        state = app_state()
    left, right = st.columns(2)
    left.download_button(
        "Download all formats (zip)",
        data=lambda: bundle(state, model),
        file_name=file_name(stem, "zip"),
        mime="application/zip",
        on_click="ignore",
        key="download_zip",
        width="stretch",
    )
    right.download_button(
        "Download the run record (JSON)",
        data=lambda: record_text(state, model),
        file_name=file_name("run record", "json"),
        mime="application/json",
        on_click="ignore",
        key="download_record",
        width="stretch",
    )
    with st.expander("Show the run record"):
        st.code(record_text(state, model), language="json", wrap_lines=True, height=360)
