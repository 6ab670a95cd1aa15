"""The tables and the verdict of a benchmark run, as text."""

from __future__ import annotations

import json
import os
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from timing import Timing

RESULTS = Path(__file__).resolve().parent / "results.json"  # docs/generate.py reads it
Rows = dict[str, dict[str, Any]]

UNCOUNTED_MODULES = {
    "loopwright",
    *(f"loopwright.repo.{name}" for name in ("tree", "git_tree", "plumbing", "walk")),
}
MEMORY_KINDS = {"Pss": "its share of shared pages", "Rss": "shared pages counted in full"}

# The cases of bench/hook.py.
BASE = "python3 -I -S -c pass"
NO_LOOP = "hook, no loop"
ACTIVE = "hook, active loop"
BLOCK = "hook, active, status block"
GIT = "hook, active, git 2000 files"
GIT_EDIT = "hook, active, git 2000 files, one edited"
DISCOVERY = "hook, active, a discovery loop of 20 items"
GIT_ALONE = "git ls-files alone, 2000 files"
# What drives the agent in bench/runner.py.
SHELL = "shell"
OURS = "loop run"


def describe_machine(rounds: int) -> str:
    """What the figures depend on. The load says whether to read the clock or the processor time."""
    version = f"CPython {platform.python_version()}"
    load = f"load {os.getloadavg()[0]:.0f}" if hasattr(os, "getloadavg") else "load unknown"
    return f"{platform.system()}, {os.cpu_count()} cores, {load}, {version}, {rounds} rounds"


def save_tables(name: str, machine: str, tables: dict[str, Any]) -> None:
    """Write the tables of one benchmark into the file from which the docs are generated."""
    saved = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    date = datetime.now(UTC).date().isoformat()
    saved[name] = {"date": date, "machine": machine, "tables": tables}
    RESULTS.write_text(json.dumps(saved, indent=1, ensure_ascii=False) + "\n", "utf-8")
    print(f"{name}: written to {RESULTS.name}; `make docs` fills the pages", file=sys.stderr)


def table_text(table: dict[str, Any]) -> str:
    """A table as Markdown."""
    head, rows = table["head"], table["rows"]
    lines = [head, ["---", *("--:" for _ in head[1:])], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def summarize(times: dict[str, list[Timing]]) -> Rows:
    """Minimum and median in milliseconds, and as multiples of the bare interpreter."""
    rows: Rows = {}
    bare = {kind: [getattr(timing, kind) for timing in times[BASE]] for kind in Timing._fields}
    for name, measured in times.items():
        clock = [timing.clock for timing in measured]
        processor = [timing.processor for timing in measured]
        rows[name] = {
            "min": min(clock),
            "median": median(clock),
            "x_min": min(clock) / min(bare["clock"]),
            "x_median": median(clock) / median(bare["clock"]),
            "x_processor_min": min(processor) / min(bare["processor"]),
            "x_processor": median(processor) / median(bare["processor"]),
        }
    return rows


def times_table(what: str, rows: Rows) -> dict[str, Any]:
    """Every row beside the bare interpreter."""
    head = [
        *(what, "median ms", "x bare Python by minima", "by medians"),
        *("processor time: x by minima", "by medians"),
    ]
    kinds = ("x_min", "x_median", "x_processor_min", "x_processor")
    cells = [
        [name, f"{row['median']:.1f}", *(f"{row[kind]:.2f}" for kind in kinds)]
        for name, row in rows.items()
    ]
    return {"head": head, "rows": cells}


def verdict(rows: Rows, modules: dict[str, dict[str, list[str]]]) -> list[str]:
    """Four lines that compare the figures with their targets."""

    def times(name: str, base: str) -> str:
        low, mid = (rows[name][kind] / rows[base][kind] for kind in ("min", "median"))
        return f"{mid:.2f}x ({low:.2f}x by minima)"

    sizes = [name for name in rows if name.startswith("transcript ")]
    largest = sizes[-1].removeprefix("transcript ")
    code = {name: counted_modules(kinds["code"]) for name, kinds in modules.items()}
    return [
        f"no loop: {times(NO_LOOP, BASE)}; target 1.1x",
        f"active: {times(ACTIVE, BASE)}, with a status block {times(BLOCK, BASE)}; target 2x. "
        f"In git, 2000 files: {times(GIT, BASE)}, one edited {times(GIT_EDIT, BASE)}; "
        f"the git call alone {rows[GIT_ALONE]['median']:.1f} ms",
        f"own modules with code, the tree apart: {len(code[ACTIVE])}, "
        f"with a status block {len(code[BLOCK])}",
        f"flat: transcript {largest} to 10 KB {times(sizes[-1], sizes[0])}; "
        f"journal 10,000 to 10 lines {times('journal 10000 lines', 'journal 10 lines')}, "
        "of the most replayed lines to ten "
        f"{times('journal 10047 lines', 'journal 9994 lines')}; target 1.1x",
    ]


def counted_modules(names: list[str]) -> list[str]:
    """Without the package itself, which holds the version, and without the code of the tree."""
    return [name for name in names if name not in UNCOUNTED_MODULES]


def as_markdown(results: dict[str, Any]) -> str:
    lines = [results["machine"], "", table_text(times_table("case", results["rows"]))]
    lines += [f"{name}: {what}" for name, what in results["surprises"].items()]
    for name, kinds in results["modules"].items():
        lines += ["", f"{name}: {len(kinds['code'])} modules with code: {', '.join(kinds['code'])}"]
        lines += [f"{len(kinds['markers'])} empty package markers: {', '.join(kinds['markers'])}"]
    return "\n".join([*lines, "", *(f"- {line}" for line in results["verdict"])])


def runner_tables(results: dict[str, Any]) -> dict[str, Any]:
    """The two tables of bench/runner.py."""
    alone, together = results["alone"], results["together"]
    rows = {**alone["rows"], "start, and the first iteration": alone["start"]}
    cells = []
    for name, row in rows.items():
        cells.append([name])
        for kind in Timing._fields:
            bare, ours = (getattr(row[side], kind) for side in (SHELL, OURS))
            cells[-1] += [f"{bare:.2f}", f"{ours:.1f}", f"{ours - bare:.1f}"]
    head = [
        *("one iteration, median", "shell ms", "loop run ms", "more ms"),
        *("processor: shell ms", "loop run ms", "more ms"),
    ]
    memory = together["memory"]
    many = []
    for kind, words in (("steady_rate", "after their start"), ("rate", "their start included")):
        rate = together[kind]
        many.append([f"iterations per second, {words}", f"{rate[SHELL]:.0f}", f"{rate[OURS]:.0f}"])
    for kind, words in MEMORY_KINDS.items() if memory else ():
        shell, ours = memory[SHELL][kind], memory[OURS][kind]
        many.append([f"MB of memory each, {words}", f"{shell:.1f}", f"{ours:.1f}"])
    many.append(["failures", "", str(together["failures"])])
    title = f"{together['loops']} at once, {together['iterations']} iterations each"
    return {
        "alone": {"head": head, "rows": cells},
        "together": {"head": [title, "shell", "loop run"], "rows": many},
    }
