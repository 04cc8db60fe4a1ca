"""What a page asks of its server and what the server does: read off Streamlit's websocket.

The page's own attributes tell less: a run that begins and ends between two drawings never shows
in them, and a timer's run looks like one that a person asked for.
"""

from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

# The page counts what its own code has been handed: that is some time after it came in.
COUNT_MESSAGES = """
window.WebSocket = class extends WebSocket {
  constructor(...where) {
    super(...where);
    window.messagesHandled = 0;
    this.addEventListener("message", () => { window.messagesHandled += 1; });
  }
};
"""
# Streamlit collects for 10 ms what it draws; then the browser has nothing left to do.
DRAWN = """() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(
  () => requestIdleCallback(done, {timeout: 10000}))))"""
# Whether everything has faded in or out. An animation's promise `finished` is never settled while
# its element is in a closed expander; its `playState` is read off the clock.
STEADY = """() => document.getAnimations().every(
  a => a.playState !== 'running' || a.effect.getComputedTiming().endTime === Infinity)"""


class Wire:
    """The runs of a page's script: requested by an action, running, finished.

    A run answers an action if it began after the action was sent and runs the whole script or its
    fragment; if it ends early, the next run does. Runs of timers (``run_every``) answer none.
    """

    def __init__(self, page: Any):
        self.asked = 0
        self._page = page
        self.reset()
        page.add_init_script(COUNT_MESSAGES)
        page.on("websocket", self._opened)

    def reset(self) -> None:
        """Forget what went on: another document is being opened."""
        self._socket: Any = None
        self._waiting: dict[int, str] = {}  # number of the action -> its fragment, "" for none
        self._answering: set[int] = set()
        self._ended = self._messages = 0

    def still(self) -> bool:
        """Return whether a run has ended, every action is answered, and the page shows it."""
        over = self._ended > 0 and not self._waiting and not self._answering
        return over and self._page.evaluate("window.messagesHandled ?? 0") >= self._messages

    def _opened(self, socket: Any) -> None:
        self.reset()
        self._socket = socket
        socket.on("framesent", lambda frame: self._sent(socket, frame))
        socket.on("framereceived", lambda frame: self._received(socket, frame))

    def _sent(self, socket: Any, frame: bytes) -> None:
        message = BackMsg.FromString(frame)
        if socket is not self._socket or message.WhichOneof("type") != "rerun_script":
            return
        if not message.rerun_script.is_auto_rerun:
            self.asked += 1
            self._waiting[self.asked] = message.rerun_script.fragment_id

    def _received(self, socket: Any, frame: bytes) -> None:
        if socket is not self._socket:
            return
        self._messages += 1
        message = ForwardMsg.FromString(frame)
        kind = message.WhichOneof("type")
        if kind == "new_session":  # one run at a time: an earlier one is over, told or not
            ran = set(message.metadata.run.fragment_ids)
            answered = {n for n, part in self._waiting.items() if not ran or part in ran}
            self._waiting = {n: p for n, p in self._waiting.items() if n not in answered}
            self._answering |= answered
        elif kind == "script_finished":
            self._ended += 1
            if message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                self._answering = set()
