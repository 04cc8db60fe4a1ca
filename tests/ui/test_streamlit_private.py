"""Streamlit still has its undocumented parts, and uses them for what the dashboard assumes."""

import ast
import importlib
import inspect
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.runtime.uploaded_file_manager import UploadedFileRec
from streamlit.testing.v1 import AppTest

from ui import streamlit_private

ROOT = Path(__file__).parents[2]
DOCUMENTED = {"streamlit", "streamlit.delta_generator", "streamlit.errors"}


def imports(path):
    """The modules of Streamlit that a file imports from, with the names."""
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    return {
        (node.module, name.name)
        for node in nodes
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "streamlit"
        for name in node.names
    }


def test_one_module_alone_imports_undocumented_parts():
    files = [ROOT / "app.py", *(ROOT / "pages").glob("*.py"), *(ROOT / "ui").rglob("*.py")]
    using = {p.name for p in files if {module for module, _ in imports(p)} - DOCUMENTED}
    assert using == {"streamlit_private.py"}


@pytest.mark.parametrize("part", sorted(imports(Path(streamlit_private.__file__))))
def test_undocumented_part_has_not_moved(part):
    module, name = part
    if not hasattr(importlib.import_module(module), name):
        importlib.import_module(f"{module}.{name}")  # ImportError if it is no module either


def test_external_address_is_looked_up_by_the_replaced_function(monkeypatch):
    util = streamlit_private.net_util
    monkeypatch.setattr(util, "get_external_ip", util.get_external_ip)
    assert not inspect.signature(util.get_external_ip).parameters
    streamlit_private.prepare()
    assert util.get_external_ip() is None
    users = importlib.import_module("streamlit.web.server.server_util")
    assert "net_util.get_external_ip" in inspect.getsource(users)


def uploads(manager):
    """The sizes of a manager's files, by session."""
    return {s: [len(f.data) for f in files.values()] for s, files in manager.file_storage.items()}


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 50)), max_size=30))
def test_uploads_are_bounded_per_visitor_and_in_all(added):
    manager = streamlit_private.MemoryUploadedFileManager("/upload")
    for number, (session, size) in enumerate(added):
        file = UploadedFileRec(str(number), "cases.csv", "text/csv", b"x" * size)
        streamlit_private.add_upload(manager, session, file, per_visitor=100, in_all=160)
        sizes = uploads(manager)
        assert sizes[session][-1] == size  # the new one is there
        assert all(sum(each) <= 100 for each in sizes.values())
        assert sum(map(sum, sizes.values())) <= 160


def test_uploads_of_a_visitor_who_left_are_freed(monkeypatch):
    files = streamlit_private.MemoryUploadedFileManager("/upload")
    manager = streamlit_private.WebsocketSessionManager(None, files, ScriptCache(), None)
    for session in ("gone", "here"):
        files.add_file(session, UploadedFileRec("1", "cases.csv", "text/csv", b"x"))
    streamlit_private.free_uploads(manager, "gone")
    assert uploads(files) == {"here": [1]}


def test_no_page_is_drawn_in_a_test():
    assert not streamlit_private.is_in_page()


def test_a_rerun_keeps_the_click_that_came_before_it():
    def script():
        import streamlit as st
        from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx

        from ui.streamlit_private import rerun

        context = get_script_run_ctx()
        if "clicked" in st.session_state:
            st.text(context.query_string)
        else:
            st.session_state["clicked"] = True
            click = RerunData(query_string="to=rules", page_script_hash=context.page_script_hash)
            context.script_requests.request_rerun(click)
            rerun()

    assert AppTest.from_function(script).run().text[0].value == "to=rules"
