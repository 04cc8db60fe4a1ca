"""The tests' own eyes: an action is over when its run is, however quick; a timer's run is none."""

import pytest

from tests.browser.visitor import served
from tests.browser.wire import DRAWN, STEADY

# A timer that asks for a run just when a short run ends makes Streamlit drop what that run drew
# (its issue 9921), so the timer is slow beside the runs.
SCRIPT = """
import time
from collections import Counter
import streamlit as st

st.title("Counting")
state = st.session_state.setdefault("counts", Counter())

@st.fragment(run_every=2)
def ticking():
    state['ticks'] += 1
    state['inner'] += st.button("inner", key="inner")
    st.text(f"inner {state['inner']}, ticks {state['ticks']}")

if st.button("again", key="again"):
    state['again'] += 1
    st.rerun()
state['quick'] += st.button("quick", key="quick")
if st.button("slow", key="slow"):
    time.sleep(0.5)
    state['slow'] += 1
st.text(f"quick {state['quick']}, slow {state['slow']}, again {state['again']}, end")
st.html('<div class="st-key-deaf"><button>deaf</button></div>')
ticking()
"""


def test_each_press_is_a_completed_run_and_a_deaf_button_is_reported(visit, tmp_path):
    script = tmp_path / "counting.py"
    script.write_text(SCRIPT)
    with served(tmp_path / "workspace", str(script)) as address:
        visitor = visit("/", address=address)
        devtools = visitor.page.context.new_cdp_session(visitor.page)
        devtools.send("Emulation.setCPUThrottlingRate", {"rate": 4})  # a quarter as fast
        for k in range(1, 16):
            visitor.press("quick")
            assert f"quick {k}, slow 0, again 0, end" in visitor.text()
        for k in (1, 2):
            visitor.press("slow").press("again").press("inner")
            assert f"quick 15, slow {k}, again {k}, end" in visitor.text()
            assert f"inner {k}, ticks" in visitor.text()
        with pytest.raises(pytest.fail.Exception, match="twice: the button 'deaf'"):
            visitor.press("deaf")
        visitor.leave()


def test_page_is_steady_after_a_fade_in_a_closed_expander(chromium):
    page = chromium.new_page()
    style = "<style>p { transition: opacity 0.5s 0.5s }</style>"
    page.set_content(f"{style}<details open><p>fading</p></details>")
    page.evaluate(DRAWN)
    page.evaluate("() => { document.querySelector('p').style.opacity = 0; }")
    assert page.evaluate("document.getAnimations().length") == 1
    assert page.evaluate(STEADY) is False
    page.evaluate("() => { document.querySelector('details').open = false; }")
    page.wait_for_function(STEADY)
    page.close()
