"""What a person at the dashboard waits for, in Chromium, each beside its aim.

The parts that `--only` selects, by their names and those of tables; without it all are measured:

- tables (`german_credit`, `pima`, `adult`, `credit`, or others): one visitor at a time, medians of
  five in fresh sessions on a warm server. ``Data there``: address to content; ``table ready``: file
  chosen to Data ready; ``first curve``: click on Models to points with the rule beside them;
  ``page to page``: the slowest of all during a search; ``slider``: moved to another rule shown;
  ``slider, all drawn``: to chart and tables, too; ``cut point``: moved to the errors of the edited
  rule, if it has one; ``stop``: pressed to confirmed. ``longer search``: a whole one on the page,
  against the same work called from a script right after it (aim: 1.3 times).
- `made`: the same on made tables (medians of three, no longer search). ``large``: 50 000 rows, 31
  columns of numbers, categories, dates and texts with gaps; ``wide``: 62 rows, 2 000 columns;
  ``three``: three outcomes.
- `crowd`: ``20 at once`` is from the last of twenty clicks on Models to the last of twenty curves,
  each of another table of 1000 rows, with the processor seconds of the browsers, the server and its
  workers; ``50 in a row`` the median wait for a first curve, one visitor after another; ``memory``
  what the server uses after them against after the first five.
- `cluster`: ``100 first curves``, without a browser. Quick passes of a hundred tables are given to
  the jobs at once, on a cluster of as many workers as cores, against the same without a scheduler;
  ``cpu`` is what a visitor costs this machine's jobs.

Each row states the machine's load of the last minute, to which the browser and server contribute.
"""

import argparse
import os
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from multiprocessing import forkserver
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pandas as pd

from benchmarks._cli import BenchTable, Row, report, run, tables
from rulekit.data import read_table
from tests.browser.crowd import ROWS as CROWD_ROWS
from tests.browser.crowd import memory, models_at_once, with_table
from tests.browser.steps import (
    CURVE,
    RULE,
    aimed_at,
    edit_cut,
    found_first,
    move_cut,
    rule,
    searched,
    table,
)
from tests.browser.visitor import Visitor, chromium_at, chromium_path, served
from tests.clusters import cluster_of
from tests.ui.tasks import Quiet
from tests.waiting import until
from ui import saved, workspace
from ui.learners.spec import RunSpec
from ui.models.run import quick, work
from ui.models.work import SCHEDULER
from ui.runs.jobs import JobRegistry
from ui.shell import PAGES
from ui.state import AppState

PARTS, TABLES = ("made", "crowd", "cluster"), ("german_credit", "pima", "adult", "credit")
TIMES, CROWD, ROW, HUNDRED = 5, 20, 50, 100
LARGE = 10_000  # rows of a table that is read, turned and searched with more patience
AIMS = {"Data there": (1.5, 1.5), "table ready": (1, 3), "first curve": (1, 4),
        "page to page": (0.5, 1), "slider": (0.3, 0.3), "slider, all drawn": (0.3, 0.3),
        "cut point": (0.3, 0.3), "stop": (0.5, 0.5)}  # fmt: skip
#: Aims of made tables where they differ from those of `AIMS` for large tables.
AIMS_OF_MADE = {
    "large": {"table ready": 4, "first curve": 5},
    "wide": {"first curve": 5},
    "three": {"table ready": 1, "first curve": 5},
}
SCREEN = {"width": 1440, "height": 900}
CHANGED = """([rule, before]) => {
  const shown = document.querySelector(rule)?.innerText; return shown && shown !== before; }"""


def measure(arguments: argparse.Namespace) -> list[Row]:
    """Measure on each table, then with many visitors; without a browser, say so and give none."""
    given = arguments.only or []
    parts = {*PARTS} & {*(given or PARTS)}
    rest = argparse.Namespace(**vars(arguments) | {"only": [n for n in given if n not in PARTS]})
    chosen = list(tables(rest, () if given else TABLES))
    n = 4 if arguments.quick else HUNDRED
    if parts == {"cluster"} and not chosen:
        return [first_curves(n)]
    if (path := chromium_path()) is None:
        print("No Chromium was found; install the package `chromium` to measure the dashboard.")
        return []
    times = 1 if arguments.quick else TIMES
    rows = []
    os.environ["RULEKIT_WORKSPACE"] = "off"  # of this process; the server has its own
    with (
        tempfile.TemporaryDirectory() as folder,
        chromium_at(path) as browser,
        served(Path(folder) / "workspace") as address,
    ):
        with visiting(browser, address) as visitor:  # who finds the server cold
            found_first(visitor.press("sample_iris").turn_to("Models"))
        for each in chosen:
            rows += alone(browser, address, Path(folder) / "workspace", each, times)
        if "made" in parts:
            for synthetic in (large(2_000 if arguments.quick else 50_000), wide(), three()):
                rows += alone(browser, address, None, synthetic, min(times, 3))
        if "crowd" in parts:
            rows += crowded(browser, address, *((4, 4) if arguments.quick else (CROWD, ROW)))
    return [*rows, first_curves(n)] if "cluster" in parts else rows


@contextmanager
def visiting(browser: Any, address: str) -> Iterator[Visitor]:
    """Yield a new visitor on Data, and check on leaving that no error was shown."""
    visitor = Visitor.of(browser, address, viewport=SCREEN)
    yield visitor.go()
    visitor.leave()
    if met := visitor.complaints + visitor.outside:
        raise RuntimeError(f"The page complained, so its times say nothing: {met}")


def alone(
    browser: Any, address: str, folder: Path | None, table: BenchTable, times: int
) -> list[Row]:
    """Time one visitor's path over a table, and a longer search once if its folder is given."""
    frame = table.X.assign(outcome=table.y)
    content = frame.to_csv(index=False).encode()
    made = AIMS_OF_MADE.get(table.name)
    aims = {what: pair[made is not None or len(frame) > LARGE] for what, pair in AIMS.items()}
    aims |= made or {}
    waits: dict[str, list[float]] = {interaction: [] for interaction in AIMS}
    for _ in range(times):
        begun = time.perf_counter()
        with visiting(browser, address) as visitor:
            waits["Data there"].append(time.perf_counter() - begun)
            path(visitor, table, content, waits)
    rows = [
        row(
            interaction,
            table.name,
            median(seconds),
            aims[interaction],
            times=times,
        )
        for interaction, seconds in waits.items()
        if seconds
    ]
    if folder is None:
        return rows
    with visiting(browser, address) as visitor:
        ready(visitor, table, content)
        found_first(visitor.turn_to("Models"))
        begun = time.perf_counter()
        searched(visitor.press("search_longer"))
        page = time.perf_counter() - begun
        name = visitor.page.url.rpartition("analysis=")[2].partition("&")[0]
        state = workspace.restore(*saved.read(folder / name))
    task = replace(work(RunSpec.from_dict(state.runs[-1]), state), store=None)
    begun = time.perf_counter()
    task(Quiet())
    script = time.perf_counter() - begun
    return [*rows, row("longer search", table.name, page, None, script=script)]


def path(
    visitor: Visitor, table: BenchTable, content: bytes, waits: dict[str, list[float]]
) -> None:
    """Go a visitor's path, and note each wait."""
    page = visitor.page
    with tempfile.TemporaryDirectory() as folder:  # bytes would reach the browser more slowly
        file = Path(folder, f"{table.name}.csv")
        file.write_bytes(content)
        waits["table ready"].append(
            seconds(
                lambda: page.locator("input[type=file]").first.set_input_files(file),
                lambda: page.get_by_role("combobox", name="Target column").first.wait_for(),
            )
        )
    ready(visitor, table)
    waits["first curve"].append(models_at_once([visitor]))
    found_first(visitor)
    # With more than one condition, the rule at the least limit is another one.
    key = "Home" if any(word in rule(visitor) for word in ("AND", "OR IF", "ELSE IF")) else "End"
    before = rule(visitor)
    page.get_by_role("slider", name="Conditions at most").focus()
    begun = time.perf_counter()
    with visitor.action():
        page.keyboard.press(key)
        page.wait_for_function(CHANGED, arg=[RULE, before], polling="raf")
        waits["slider"].append(time.perf_counter() - begun)
    waits["slider, all drawn"].append(time.perf_counter() - begun)
    cut = edit_cut(visitor.turn_to("Rules"))
    if cut is not None:
        waits["cut point"].append(seconds(lambda: move_cut(visitor, cut)))
    visitor.turn_to("Models").press("search_longer")
    interactions = [
        seconds(lambda title=title: visitor.turn_to(title))
        for title, _ in [*PAGES.values(), PAGES["models"]]
    ]
    waits["page to page"].append(max(interactions))
    page.locator(CURVE).first.wait_for()
    page.locator(RULE).first.wait_for()
    stop = page.locator(".st-key-stop_run button")
    if stop.count():
        waits["stop"].append(
            seconds(stop.first.click, lambda: page.get_by_text("was stopped").first.wait_for())
        )


def ready(visitor: Visitor, table: BenchTable, content: bytes | None = None) -> None:
    """Choose the outcome of a table, after uploading it if necessary."""
    if content is not None:
        visitor.upload(f"{table.name}.csv", content)
    aimed_at(visitor.ready(), "outcome", table.positive or None)


def seconds(*steps: Callable[[], Any]) -> float:
    """Time what is done, one after the other."""
    begun = time.perf_counter()
    for step in steps:
        step()
    return time.perf_counter() - begun


def crowded(browser: Any, address: Any, crowd: int, one_by_one: int) -> list[Row]:
    """Time many at once, then many one after the other, and look at the server's memory."""
    visitors = [with_table(browser, address, k) for k in range(crowd)]
    before = cpu_by_part(address.process)
    together = models_at_once(visitors)
    after = cpu_by_part(address.process)
    spent = {part: after[part] - before[part] for part in after}
    shares = {f"cpu_of_{part}": f"{seconds:.3g}" for part, seconds in spent.items()}
    shares["cpu_per_visitor"] = f"{(spent['server'] + spent['workers']) / crowd:.3g}"
    rows = [row(f"{crowd} at once", "own tables", together, 20.0, **shares)]
    for visitor in visitors:
        visitor.leave()
    waits, held = [], []
    for k in range(crowd, crowd + one_by_one):
        visitor = with_table(browser, address, k)
        waits.append(models_at_once([visitor]))
        visitor.leave()
        held.append(memory(address.process))
    growth = held[-1] / held[min(4, len(held) - 1)]
    return [
        *rows,
        row(f"{one_by_one} in a row", "own tables", median(waits), 1.0),
        row("memory", "own tables", growth, 1.1, unit="times"),
    ]


def first_curves(n: int) -> Row:
    """Time so many first curves asked for at once, on a cluster and on this machine alone."""
    os.environ["RULEKIT_WORKSPACE"] = "off"
    orders = []
    for k in range(n):
        read = read_table(table(CROWD_ROWS, k), name=f"table {k}")
        aimed = read.with_roles({"ill": "target"}, positive_label="yes")
        orders.append(work(quick(RunSpec()), AppState(table=aimed)))
    here, in_process = all_at_once(orders)
    with cluster_of(os.cpu_count() or 1) as cluster:
        os.environ[SCHEDULER] = cluster.scheduler_address
        try:
            there, beside = all_at_once(orders)
        finally:
            del os.environ[SCHEDULER]
    cpu = {"cpu_here": f"{in_process / n:.2g}", "cpu_of_server": f"{beside / n:.2g}"}
    return row(f"{n} first curves", "own tables", there, None, script=here, **cpu)


def all_at_once(orders: list[Any]) -> tuple[float, float]:
    """Return the seconds until all orders given at once are done, and the jobs' CPU time."""
    before = cpu_of_children()
    registry = JobRegistry()
    try:
        warm = registry.start("nobody", "Warm", orders[0], urgent=True)
        until(lambda: not warm.active, pause=0.05)
        begun = time.perf_counter()
        jobs = [
            registry.start(f"visitor {k}", "First rules", order, urgent=True)
            for k, order in enumerate(orders)
        ]
        until(lambda: not any(job.active for job in jobs), pause=0.05)
        taken = time.perf_counter() - begun
    finally:
        registry.close()
    used = cpu_of_children() - before
    if failed := [job.error for job in jobs if job.state != "done"]:
        raise RuntimeError(f"{len(failed)} of {len(jobs)} ended without a curve: {failed[0]}")
    return taken, used


def cpu_of_children() -> float:
    """Return the processor time of processes begun here that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    status = Path(f"/proc/{forkserver._forkserver._forkserver_pid}/stat")  # parent of the jobs
    seconds = _seconds(status.read_text()) if status.exists() else 0.0
    return used.ru_utime + used.ru_stime + seconds


def _seconds(status: str) -> float:
    """Return the processor time of a process and of its ended children."""
    return sum(map(int, status.rpartition(")")[2].split()[11:15])) / os.sysconf("SC_CLK_TCK")


def cpu_by_part(server: int) -> dict[str, float]:
    """Return the processor seconds so far of a server, of its workers, and of the browser."""
    used = dict.fromkeys(("server", "workers", "browser"), 0.0)
    parents: dict[int, int] = {}
    seconds: dict[int, float] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has just ended
            text, process = status.read_text(), int(status.parent.name)
            parents[process] = int(text.rpartition(")")[2].split()[1])
            seconds[process] = _seconds(text)
    for process, spent in seconds.items():
        line, above = [process], process
        while (above := parents.get(above, 0)) > 1:
            line.append(above)
        if server in line:
            used["server" if process == server else "workers"] += spent
        elif os.getpid() in line[1:]:
            used["browser"] += spent
    return used


def large(n_rows: int) -> BenchTable:
    """Make a table of 31 columns of all kinds, of which two decide, with an outcome of 0 and 1."""
    rng = np.random.default_rng(0)
    columns: dict[str, Any] = {}
    for k in range(20):
        values = rng.normal(size=n_rows)
        values = (values, np.exp(values) * 100, np.round(values * 4))[k % 3].round(4)
        columns[f"measure {k}"] = np.where(rng.random(n_rows) < 0.1 * (k % 2), np.nan, values)
    for k in range(6):
        levels = [f"level {j}" for j in range(2 + k * k)]
        columns[f"kind {k}"] = rng.choice(levels, n_rows)
    columns |= {f"date {k}": _days(rng, n_rows, ("%d.%m.%Y", "%Y-%m-%d")[k]) for k in range(2)}
    columns |= {f"note {k}": _notes(rng, n_rows, 1 + k) for k in range(3)}
    ill = (columns["measure 0"] > 0.5) & (columns["measure 6"] < 0.6)
    return BenchTable("large", pd.DataFrame(columns), (ill ^ (rng.random(n_rows) < 0.08)) * 1, "1")


def wide() -> BenchTable:
    """Make a table of 62 rows and 2 000 columns, of which ten differ between the outcomes."""
    rng = np.random.default_rng(1)
    X, ill = rng.normal(size=(62, 2_000)).round(3), np.arange(62) % 3 > 0
    X[:, :10] += 1.5 * ill[:, None]
    names = [f"gene {j}" for j in range(2_000)]
    return BenchTable("wide", pd.DataFrame(X, columns=names), np.where(ill, "ill", "well"), "ill")


def three() -> BenchTable:
    """Make 2 000 rows of three outcomes, with numbers, grades, dates, texts and gaps."""
    rng = np.random.default_rng(2)
    n = 2_000
    columns: dict[str, Any] = {f"measure {k}": rng.normal(size=n).round(3) for k in range(8)}
    columns["measure 1"] = np.where(rng.random(n) < 0.2, np.nan, columns["measure 1"])
    columns["grade"] = rng.choice(["low", "medium", "high"], n)
    columns |= {"date": _days(rng, n, "%Y-%m-%d"), "note": _notes(rng, n, 3)}
    late = (columns["grade"] == "high") & (columns["measure 0"] > 0)
    outcome = np.where(late, "late", np.where(columns["measure 2"] > 0.8, "returned", "on time"))
    noise = rng.choice(["late", "returned", "on time"], n)
    outcome = np.where(rng.random(n) < 0.1, noise, outcome)
    return BenchTable("three", pd.DataFrame(columns), outcome, "")


def _days(rng: np.random.Generator, n: int, form: str) -> pd.Index:
    days = pd.Timestamp("2015-01-01") + pd.to_timedelta(rng.integers(0, 3600, n), "D")
    return days.strftime(form)


def _notes(rng: np.random.Generator, n: int, length: int) -> list[str]:
    words = ["red", "blue", "old", "new", "late", "paid", "sent", "lost", "broken", "fine"]
    return [" ".join(each) for each in rng.choice(words, (n, length))]


def row(
    quantity: str, table: str, ours: float, aim: float | None, *, script: float | None = None,
    unit: str = "s", **setting: Any,
) -> Row:  # fmt: skip
    """Return a row with its aim; against a script, the aim is 1.3 times the script's time."""
    setting["aim"] = f"{1.3 * script:.3g}" if script is not None else f"{aim:g}"
    setting["load"] = f"{os.getloadavg()[0]:.1f}"
    figures = {"what": quantity, "table": table, "setting": setting, "ours": ours, "unit": unit}
    ratio = None if script is None else ours / script
    return report({**figures, "reference": script, "ratio": ratio})


if __name__ == "__main__":
    run(measure, __doc__ or "")
