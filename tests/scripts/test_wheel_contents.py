"""What a wheel must hold: nothing is missing, nothing is there by mistake."""

import zipfile

import pytest

from scripts.wheel_contents import complaints, wanted

ABOUT = {"rulekit-1.dist-info/METADATA", "rulekit-1.dist-info/licenses/LICENSE"}


@pytest.mark.parametrize(
    ("more", "less", "message"),
    [
        (set(), set(), []),
        (set(), {"rulekit/py.typed"}, ["rulekit/py.typed is missing."]),
        (
            {"ui/state.py"},
            {"rulekit_dashboard/pages/score.py"},
            ["rulekit_dashboard/pages/score.py is missing.", "ui/state.py does not belong there."],
        ),
        ({"tests/test_common.py"}, set(), ["tests/test_common.py does not belong there."]),
        (set(), {"rulekit-1.dist-info/licenses/LICENSE"}, ["The licence is missing."]),
    ],
)
def test_missing_and_extra_files_of_a_wheel_are_reported(tmp_path, more, less, message):
    with zipfile.ZipFile(tmp_path / "one.whl", "w") as archive:
        for name in (wanted() | ABOUT | more) - less:
            archive.writestr(name, "")
    assert complaints(tmp_path / "one.whl") == message
