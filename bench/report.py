"""The tables and the verdict of a benchmark run, as text."""

from __future__ import annotations

from statistics import median
from typing import Any

Rows = dict[str, dict[str, Any]]

UNCOUNTED_MODULES = {
    "loopwright",
    *(f"loopwright.repo.{name}" for name in ("tree", "plumbing", "walk")),
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


def summarize(times: dict[str, list[float]], surprises: dict[str, str]) -> Rows:
    """Minimum and median in milliseconds, and as multiples of the bare interpreter."""
    base = times[BASE]
    rows: Rows = {}
    for name, measured in times.items():
        rows[name] = {
            "min": min(measured),
            "median": median(measured),
            "x_min": min(measured) / min(base),
            "x_median": median(measured) / median(base),
        }
        if surprises[name]:
            rows[name]["surprise"] = surprises[name]
    return rows


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
    lines = [
        results["machine"],
        "",
        "| case | min ms | median ms | x min | x median |",
        "|---|--:|--:|--:|--:|",
    ]
    for name, row in results["rows"].items():
        numbers = (
            f"{row['min']:.2f} | {row['median']:.2f} | {row['x_min']:.2f} | {row['x_median']:.2f}"
        )
        surprise = f" {row['surprise']}" if "surprise" in row else ""
        lines.append(f"| {name} | {numbers} |{surprise}")
    for name, kinds in results["modules"].items():
        lines += ["", f"{name}: {len(kinds['code'])} modules with code: {', '.join(kinds['code'])}"]
        lines += [f"{len(kinds['markers'])} empty package markers: {', '.join(kinds['markers'])}"]
    return "\n".join([*lines, "", *(f"- {line}" for line in results["verdict"])])


def runner_as_markdown(results: dict[str, Any]) -> str:
    """The two tables of bench/runner.py."""
    alone, together = results["alone"], results["together"]
    lines = [
        f"{results['machine']}; {alone['rounds']} rounds of {alone['iterations']} iterations, "
        f"{alone['failures']} failures",
        "",
        "| one iteration, median | shell ms | loop run ms | more ms | x |",
        "|---|--:|--:|--:|--:|",
    ]
    rows = {**alone["rows"], "start, and the first iteration": alone["start"]}
    for name, row in rows.items():
        bare, ours = row[SHELL], row[OURS]
        lines.append(
            f"| {name} | {bare:.2f} | {ours:.1f} | {ours - bare:.1f} | {ours / bare:.1f} |"
        )
    head = f"{together['loops']} at once, {together['iterations']} iterations each"
    lines += ["", f"| {head} | shell | loop run |", "|---|--:|--:|"]
    rate, memory = together["rate"], together["memory"]
    lines.append(f"| iterations per second, in all | {rate[SHELL]:.0f} | {rate[OURS]:.0f} |")
    for kind, words in MEMORY_KINDS.items() if memory else ():
        shell, ours = memory[SHELL][kind], memory[OURS][kind]
        lines.append(f"| MB of memory each, {words} | {shell:.1f} | {ours:.1f} |")
    return "\n".join([*lines, f"| failures | | {together['failures']} |"])
