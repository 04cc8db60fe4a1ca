"""Style sheet of the app."""

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
