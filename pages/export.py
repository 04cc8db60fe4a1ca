"""Export: download the rule; code is run on every row and compared with the model."""

from base64 import b64encode
from functools import partial

import streamlit as st

from rulekit.export import to_json, to_text
from rulekit.style.wording import plural
from ui.cache import compute_once
from ui.escape import file_name, md
from ui.export import formats
from ui.learners.points import scaled
from ui.picked import count_look, require_model
from ui.shell import guard, header, sentences, two_columns
from ui.state import app_state
from ui.workspace import change, make_key

guard("export")
header("export")
PREVIEW = 440  # height in pixels: the box and the button above it fit on one screen
model = scaled(require_model())
state = app_state()
outcome = str(state.target if state.several else state.positive)[:30]

left, right = two_columns()
with left:
    chosen = formats.choose_format()
form = formats.FORMATS[chosen]
with right, sentences():
    st.header(form.name, anchor=False)
    formats.choose_language(chosen)
    if why := formats.obstacle(form, model):
        st.info(f"{why} The other formats contain the rule unchanged.")
    else:
        has_test = chosen in ("report", "app") and len(state.testing[0])
        looks = count_look() if has_test else 0
        state = app_state()
        key = repr((state.fit_key, state.rule_json, chosen, state.wording, state.texts))
        key += formats.record_text(state, model) + to_json(model)
        text = compute_once("export", key, lambda: formats.write_format(chosen, state, model))
        if why := form.why_unchecked:
            st.caption(why)
        else:
            check = formats.verify_format(state, model, chosen)
            (st.success if check.ok else st.error)(md(check.sentence, 300))
        name = file_name(f"{outcome} rule", form.suffix, state.table.name)
        button = {"mime": form.mime, "type": "primary", "key": "download_format"}
        st.download_button(f"Download {form.name}", text, name, on_click="ignore", **button)
        if looks:
            shown = plural(looks, "rule")
            st.caption(f"It contains the error on the test rows, now shown for {shown}.")
        if form.suffix.endswith("html"):
            page = f"data:text/html;charset=utf-8;base64,{b64encode(text.encode()).decode()}"
            st.iframe(page, height=PREVIEW, alt="The page, as a browser will show it")
        elif isinstance(text, bytes):
            st.caption("The file opens in a spreadsheet; it contains this rule:")
            st.code(to_text(model), language=None, wrap_lines=True)
        else:
            long = text.count("\n") > 20 or len(text) > 1400  # then the box scrolls
            with st.container(key="preview", height=PREVIEW if long else "content", border=False):
                st.code(text, language=form.language, wrap_lines=True)

with left.expander("Everything together: all formats, notes, run record"), sentences():
    hint, label = "Purpose, decisions, what to watch", "Notes that go into the run record"
    notes = st.text_area(label, state.notes, key=make_key("export_notes"), placeholder=hint)
    if notes != state.notes:
        change(notes=notes)
        state = app_state()
    files = {
        "download_zip": ("all formats and the run record (zip)", "rule", "zip", formats.bundle),
        "download_record": ("the run record (JSON)", "run record", "json", formats.record_text),
    }
    for key, (words, name, suffix, write) in files.items():
        data, kind = partial(write, state, model), f"application/{suffix}"
        file = file_name(f"{outcome} {name}", suffix, state.table.name)
        st.download_button(f"Download {words}", data, file, kind, key, on_click="ignore")
    st.caption("What is needed to repeat this: data, decisions, settings, seeds, versions.")
    st.code(formats.record_text(state, model), language="json", wrap_lines=True)
