"""Ask pip-audit whether a package here has a known weakness; say so where nobody can tell.

``python -m scripts.audit``, part of the gate. An index may be out of reach, or answer that it knows
of no package at all, which pip-audit counts as good news; then nothing was shown, and this says it.
"""

import json
import subprocess
import sys
from typing import Any

COMMAND = [sys.executable, "-m", "pip_audit", "--format=json", "--progress-spinner=off"]
UNREACHABLE = ("ConnectionError", "Timeout", "ServiceError", "Max retries", "resolve")
OURS = "rulekit-dashboard"  # not on the index


def verdict(code: int, out: str, err: str) -> tuple[int, str]:
    """Read what pip-audit said.

    Parameters
    ----------
    code : int
        Its exit code.
    out, err : str
        Its answer as JSON, and its complaints.

    Returns
    -------
    tuple of (int, str)
        1 where a package is known to be weak, or pip-audit itself failed; and what to say.
    """
    try:
        packages: list[dict[str, Any]] = json.loads(out)["dependencies"]
    except (ValueError, KeyError):
        last = (err.strip().splitlines() or ["it said nothing"])[-1]
        if any(word in err for word in UNREACHABLE):
            return 0, f"Not audited: no database of weaknesses could be reached ({last})."
        return max(code, 1), f"pip-audit failed: {last}"
    weak = [
        f"{p['name']} {p['version']}: {v['id']}, mended in {', '.join(v['fix_versions']) or 'none'}"
        for p in packages
        for v in p.get("vulns", ())
    ]
    if weak:
        return 1, "\n".join(["Known weaknesses:", *weak])
    others = [p for p in packages if p["name"] != OURS]
    unknown = sum("skip_reason" in p for p in others)
    if unknown:
        told = f"{unknown} of {len(others)} packages are unknown to the index that was asked"
        return 0, f"Not audited, or in part: {told}."
    return 0, f"{len(others)} packages, no known weakness."


def main() -> int:
    """Run it, and print one sentence."""
    done = subprocess.run(COMMAND, capture_output=True, text=True, check=False)
    code, said = verdict(done.returncode, done.stdout, done.stderr)
    print(said)
    return code


if __name__ == "__main__":
    sys.exit(main())
