"""Export: take the rule away, checked against the model row by row."""

import streamlit as st

from rulekit.plots.wording import capital, plural
from ui.cache import kept
from ui.escape import file_name, md
from ui.export.formats import FORMATS, bundle, checked, record_text, shown_page
from ui.models.run import keep_up
from ui.picked import looked_at_test_rows, needed_model
from ui.shell import guard, header, sentences
from ui.state import app_state
from ui.workspace import change

guard("export")
header("export")
keep_up()
model = needed_model()
state = app_state()
key = repr((state.fit_key, state.rule_json))
stem = f"rule for {state.target if state.several else state.positive}"

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
    st.caption(f"{capital(form.purpose)}.")
    if obstacle := form.obstacle(model):
        st.info(f"{obstacle} The other formats hold the rule as it is.")
    else:
        if form.rendered and len(state.testing[0]):
            looks = looked_at_test_rows()
            state = app_state()
            st.caption(
                "It tells the error on the test rows, which have now been looked at for "
                f"{plural(looks, 'rule')}."
            )
        key += repr((chosen, state.wording, record_text(state, model)))
        text = kept("export", key, lambda: form.write(state, model))
        if form.verified:
            found = kept("verified", key, lambda: checked(state, model, form))
            (st.success if found.ok else st.error)(md(found.sentence, 300))
        else:
            st.caption(form.unchecked)
        if form.rendered:
            st.iframe(shown_page(text), height=620, alt="The report, as a browser will show it")
        else:
            height = 420 if text.count("\n") > 24 or len(text) > 3000 else "content"
            st.code(text, language=form.language, wrap_lines=True, height=height)
        st.download_button(
            f"Download {form.name}",
            data=text,
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
