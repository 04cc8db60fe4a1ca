"""Style sheet of the app, and one function that shows figures."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from rulekit.plots import flow_figure, flow_sentence, flow_table
from ui.escape import file_name
from ui.state import app_state
from ui.words import wording

CSS = """
.stMainBlockContainer { padding: 4.25rem 2rem 2rem; }
.st-key-page_header { justify-content: space-between; column-gap: 2rem; row-gap: 0; }
.st-key-page_header h1, .st-key-two_columns h2 { padding: 0; }
/* Streamlit's faint words, made dark (on a dark page light) enough for WCAG AA */
[data-testid="stCaptionContainer"] { opacity: 0.75; }
[data-testid="stWidgetLabel"] p { color: light-dark(#2F2D2B, #EDEBE8); }
.stApp kbd { opacity: 1; }
.stMarkdown :is(p, li) { text-wrap: pretty; }  /* no line that holds a percent sign alone */
.js-plotly-plot text[style*="rgb(128, 132, 149)"] { fill: #555B66 !important; }
[data-testid="stSliderThumbValue"]:not([disabled]), [data-testid="stTab"][aria-selected="true"],
[data-variant="segmented_control"][data-selected="true"] p,
.stButton button:is([kind="secondary"], [kind="tertiary"]):is(:hover, :focus, :active):enabled p {
  color: light-dark(#005F96, #63B3EE); }
.stText > span { font: 0.875em/1.5 "Source Code Pro", monospace; padding: 1rem;
  white-space: pre-wrap; background: light-dark(#F9FBFC, #161D26);
  border-radius: 0.5rem; }  /* a rule */
.stApp .stCode code .token { color: light-dark(#0A5FA8, #6CB6FF); }
.stApp .stCode code .token:is(.punctuation, .operator, .content, .list) { color: inherit; }
.stApp .stCode code .token:is(.string, .property) { color: light-dark(#0B6B2E, #5FD68B); }
.stApp .stCode code .token:is(.number, .boolean) { color: light-dark(#8A3B00, #FFB070); }
.stApp .stCode code .token:is(.italic, .bold):not(.punctuation) { color: inherit; }
.st-key-upload_file [data-testid="stFileUploaderDropzone"] { min-height: 10rem;
  display: flex; flex-direction: column; align-items: center; justify-content: center; }
.stMultiSelect [data-tag] { max-width: 100%; height: auto; }
.st-key-compare [role="group"] { max-height: none; }
.stMultiSelect [data-tag] > span { max-width: none; white-space: normal; }
.st-key-preview .stCode > div { opacity: 1; visibility: visible; }  /* the copy button */
.st-key-preview .stCode pre { padding-right: 3rem; }
.stApp [data-testid="stSliderTickBar"] { transition: none; }
.stApp [data-testid="stSliderTickBar"] p { color: inherit; }
.stApp:has(.st-key-presenter) .stAppHeader { display: none; }
.stMainBlockContainer:has(.st-key-presenter) { max-width: 52rem; margin: 0 auto; }
@media (max-width: 900px) {
  .stMainBlockContainer { padding: 4.25rem 1rem 2rem; }
  .stDataFrame { margin-top: 1rem; }  /* its toolbar would cover the words above */
  .st-key-two_columns > div > .stHorizontalBlock { flex-direction: column; }
  .st-key-two_columns > div > .stHorizontalBlock > .stColumn { width: 100%; }
}
@media print {
  .stAppHeader, .stButton, .stDownloadButton, .stElementToolbar, .stPlotlyChart button {
    display: none !important; }
  html, body, .stApp, .stApp * { color: #000 !important; background: #fff !important; }
  html, body, #root, .stApp, .stApp :has(.stMainBlockContainer), .stMainBlockContainer {
    position: static; overflow: visible; height: auto; padding: 0; }
}
"""
# a drag and a double click do the same as these buttons, which would cover the legend
CONFIG: dict[str, Any] = {"displaylogo": False, "modeBarButtonsToRemove": ["lasso2d", "select2d"]}
CONFIG["modeBarButtonsToRemove"] += ["zoomIn2d", "zoomOut2d", "autoScale2d"]


def chart(
    figure: go.Figure, key: str, alt: str, *, on_select: str | Callable[[], None] = "ignore"
) -> Any:
    """Show a figure; return the selection, see `get_selected`, unless `on_select` is "ignore"."""
    if on_select != "ignore":
        figure.update_traces(
            unselected={"marker": {"opacity": 0.6}},
            selected={"marker": {"size": 16}},
            selector={"type": "scatter"},
        )
    table = app_state().table
    name = file_name("chart", "png", "" if table is None else table.name)
    picture = {"toImageButtonOptions": {"filename": name.removesuffix(".png")}}
    return st.plotly_chart(
        figure,
        key=key,  # keeps the selection when the data change
        alt=alt,
        theme="streamlit",
        on_select=on_select,
        selection_mode="points",
        config=CONFIG | picture,
    )


def flow_chart(
    model: Any,
    X: Any,
    y: Any,
    key: str,
    *,
    on_select: str | Callable[[], None] = "ignore",
    **options: Any,
) -> pd.DataFrame:
    """Show where the rows go; return the same counts as a table, see `flow_table`."""
    state = app_state()
    words = options.pop("wording", None) or wording(state)
    table = flow_table(model, X, y, wording=words)
    figure = flow_figure(model, X, y, classes=state.classes, wording=words, **options)
    chart(figure, key, flow_sentence(table), on_select=on_select)
    return table


def get_selected(event: Any) -> Any:
    """Return the first selected point's ``customdata`` (its first entry, if a list), or None."""
    points = event["selection"]["points"] if event else []
    if not points or "customdata" not in points[0]:
        return None
    data = points[0]["customdata"]
    if isinstance(data, dict):
        return next(iter(data.values()), None)
    return data[0] if isinstance(data, (list, tuple)) else data
