"""What looks for bad looks finds them: words that meet, cover, leave or are cut, faint words."""

from tests.browser import looks
from tests.browser.visitor import served

SCRIPT = """
import plotly.graph_objects as go
import streamlit as st

st.title("Bad looks")
figure = go.Figure(go.Scatter(x=[0, 1], y=[0, 1], mode="markers", marker={"size": 14}))
figure.add_annotation(x=1, y=1, text="covering", showarrow=False)
for word in ("first", "second"):
    figure.add_annotation(x=0.5, y=0.5, text=word, showarrow=False)
st.plotly_chart(figure)
bars = go.Figure(go.Bar(x=[10], y=["a"], orientation="h", text=["far too long"],
                        textposition="outside"))
bars.update_xaxes(range=[0, 10])
st.plotly_chart(bars)
st.html('<p style="width:4em;overflow:hidden;white-space:nowrap">Words without room</p>'
        '<p style="color:#ddd;background:#fff">faint</p>')
"""


def test_bad_looks_are_found(visit, tmp_path):
    script = tmp_path / "bad.py"
    script.write_text(SCRIPT)
    with served(tmp_path / "workspace", str(script)) as address:
        visitor = visit("/", address=address)
        visitor.page.locator(".barlayer text").first.wait_for()
        result = looks.find_covered(visitor.page)
        assert result == [
            '"Words without room" is cut',
            '"covering" covers a point',
            '"far too long" leaves its figure',
            '"first" meets "second"',
        ]
        (faint,) = looks.findings(visitor.page)
        assert faint.startswith("color-contrast: ")
        assert "faint" in faint
        visitor.leave()
