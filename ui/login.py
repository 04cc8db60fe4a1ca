"""Login: with ``RULEKIT_LOGIN=on`` every page requires one."""

# Streamlit connects to the provider by OpenID Connect and stores the user in a signed cookie for 30
# days, without asking the provider again. The guide lists its settings, in ``secrets.toml`` (or the
# file of ``--secrets.files``). A proxy has to forward the websocket ``/_stcore/stream``, and its
# cookies.
#
# Analyses then belong to the person, identified by the provider's address and its ``sub``, instead
# of to the browser: they are listed in any browser, and their address opens nothing for others.

import hashlib
import importlib.util
import os

import streamlit as st
from streamlit.errors import StreamlitAuthError

from ui.escape import md
from ui.streamlit_private import check_login_settings

OWNER = "_owner"  # in the session: the digest of the analyses' owner
NEEDED = ("authlib", "httpx")


def is_on() -> bool:
    """Whether visitors have to log in; any value except on and off is rejected."""
    if (setting := os.environ.get("RULEKIT_LOGIN", "off")) not in ("on", "off"):
        raise ValueError(f"RULEKIT_LOGIN must be on or off; it is {setting[:60]!r}. Correct it.")
    return setting == "on"


def trouble() -> str | None:
    """Return why login cannot work; None if everything is configured."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        return (
            f"RULEKIT_LOGIN=on needs {missing[0]}, which is not installed: "
            'pip install "rulekit-dashboard[app,login]".'
        )
    try:
        check_login_settings()
    except StreamlitAuthError as error:
        return (
            "RULEKIT_LOGIN=on requires a login provider, and none is configured: "
            f"{' '.join(str(error).split())} Write redirect_uri, cookie_secret, client_id, "
            "client_secret and server_metadata_url there under [auth], or set RULEKIT_LOGIN=off."
        )
    return None


def require() -> None:
    """Stop the page unless the user is logged in; called before anything is shown."""
    if not is_on():
        return
    if (wrong := trouble()) is not None:
        st.error(md(wrong, 900))
        st.stop()
    if not st.user.is_logged_in:
        st.title("Rulekit", anchor=False)
        st.write("This dashboard is for people who are known here.")
        st.button("Log in", key="log_in", type="primary", on_click=st.login)
        st.stop()
    person = hashlib.sha256(f"{st.user['iss']}\n{st.user['sub']}".encode()).hexdigest()
    if st.session_state.get(OWNER, person) != person:
        st.session_state.clear()  # another user's analysis
    st.session_state[OWNER] = person


def line() -> None:
    """Show who is logged in, with a button to log out."""
    if is_on():
        name = st.user.get("email") or st.user.get("name") or st.user["sub"]
        st.button("Log out", "log_out", md(str(name), 120), st.logout, type="tertiary")
