"""Programs that are not ours and run what was exported: they skip, or fail where they must run."""

import json
import os
import shutil
import subprocess

import pytest


def needed(found, sentence):
    """Skip a test whose program is not there, unless RULEKIT_REQUIRE_ENGINES is set."""
    if found:
        return found
    if os.environ.get("RULEKIT_REQUIRE_ENGINES"):
        pytest.fail(f"{sentence} (RULEKIT_REQUIRE_ENGINES is set)")
    pytest.skip(sentence)


def differing(jobs, found):
    """List where answers are not those of `predict`: job, row, and both."""
    return [
        (job.name, k, a, b)
        for job, answers in zip(jobs, found, strict=True)
        for k, (a, b) in enumerate(zip(job.expected, answers, strict=True))
        if isinstance(a, str) != isinstance(b, str) or a != b
    ]


def run_in_node(script):
    """Run a script in Node; return what it writes, read as JSON."""
    node = needed(shutil.which("node"), "install Node to run JavaScript, Debian's `nodejs`")
    done = subprocess.run([node, "-"], input=script, capture_output=True, encoding="utf-8")
    assert not done.returncode, done.stderr
    return json.loads(done.stdout)
