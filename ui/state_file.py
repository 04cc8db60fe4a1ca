"""An analysis as plain data, for the saved file and the download."""

from dataclasses import asdict
from typing import Any

from rulekit.data import Table
from ui.state import VERSION, AppState, BinningSpec, SplitSpec, Wording

# former names of parameters
FORMER_NAMES = {"doubt": "label_noise", "max_features": "max_variables"}


def to_plain(state: AppState) -> dict[str, Any]:
    """Return everything but the table's cells as JSON values."""
    table = state.table
    return {
        "version": VERSION,
        "name": table.name,
        "digest": table.digest,
        "notes_on_table": list(table.notes),
        "roles": {c.name: c.role for c in table.columns},
        "orders": {name: list(levels) for name, levels in state.orders.items()},
        "positive": table.positive_label,
        "outcomes": state.outcomes,
        "every_class": state.every_class,
        "options": state.options,
        "wording": {name: asdict(w) for name, w in state.wording.items()},
        "split": asdict(state.split),
        "binning": asdict(state.binning),
        "run_settings": state.run_settings,
        "setting": state.setting,
        "sweep_key": state.sweep_key,
        "runs": list(state.runs),
        "rule_selected": state.rule_selected,
        "rule_json": state.rule_json,
        "error": state.error,
        "edits": list(state.edits),
        "edit": state.edit,
        "notes": state.notes,
        "case_notes": state.case_notes,
        "test_looks": state.test_looks,
        "looked_at": list(state.looked_at),
    }


def from_plain(saved: dict[str, Any], table: Table) -> AppState:
    """Build the state from the dict of `to_plain` and a table (KeyError, TypeError if invalid)."""
    table = table.with_roles(saved["roles"], positive_label=saved["positive"])
    for name, levels in saved.get("orders", {}).items():
        table = table.with_order(name, levels)
    binning = dict(saved["binning"])
    binning["cuts"] = tuple((name, tuple(values)) for name, values in binning["cuts"])
    # files saved before the setting existed
    every_gap = [c.name for c in table.columns if c.n_missing]
    binning["missing"] = tuple(binning.get("missing", every_gap))
    return AppState(
        table=table,
        outcomes={str(k): str(v) for k, v in saved.get("outcomes", {}).items()},
        every_class=bool(saved.get("every_class", False)),
        options=saved["options"],
        wording={name: Wording(**w) for name, w in saved["wording"].items()},
        split=SplitSpec(**saved["split"]),
        binning=BinningSpec(**binning),
        looked_at=tuple(saved.get("looked_at", ())),
        runs=tuple(saved.get("runs", ())),
        rule_selected=bool(saved.get("rule_selected", saved.get("in_hand", False))),
        error=saved.get("error"),
        edits=tuple(
            {**v, "setting": _with_new_names(v["setting"])} for v in saved.get("edits", ())
        ),
        edit=int(saved.get("edit", 0)),
        setting=_with_new_names(saved["setting"]),
        **{
            name: saved[name]
            for name in (
                "run_settings",
                "sweep_key",
                "rule_json",
                "notes",
                "case_notes",
                "test_looks",
            )
        },
    )


def _with_new_names(setting: dict[str, Any] | None) -> dict[str, Any] | None:
    """Replace former parameter names in the setting of an older file."""
    return setting and {FORMER_NAMES.get(name, name): value for name, value in setting.items()}
