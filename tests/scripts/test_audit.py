"""What the gate says of the audit: weak, sound, or that nobody could tell."""

import json
import re

import pytest

from scripts.audit import verdict

WEAK = {"id": "CVE-1", "fix_versions": ["2.1"]}


def answer(*packages):
    return json.dumps({"dependencies": list(packages)})


def known(name, *vulns):
    return {"name": name, "version": "2.0", "vulns": list(vulns)}


def unknown(name):
    return {"name": name, "skip_reason": "not found"}


@pytest.mark.parametrize(
    ("code", "out", "err", "fails", "said"),
    [
        (0, answer(known("a"), known("b")), "", 0, "2 packages, no known weakness."),
        (1, answer(known("a"), known("b", WEAK)), "", 1, "b 2.0: CVE-1, mended in 2.1"),
        (1, answer(unknown("a"), known("b", WEAK)), "", 1, "b 2.0: CVE-1, mended in 2.1"),
        (0, answer(unknown("a"), unknown("b")), "", 0, "2 of 2 packages are unknown"),
        (0, answer(unknown("rulekit-dashboard"), known("a")), "", 0, "no known weakness"),
        (1, "", "x\nrequests.exceptions.ConnectionError: no", 0, "Not audited: .*ConnectionError"),
        (1, "", "ImportError: pip_audit", 1, "pip-audit failed: ImportError"),
        (0, "", "", 1, "pip-audit failed: it said nothing"),
    ],
)
def test_a_verdict_is_never_better_than_what_was_asked(code, out, err, fails, said):
    found, words = verdict(code, out, err)
    assert found == fails
    assert re.search(said, words)
