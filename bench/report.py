"""The table and the verdict of a benchmark run: values in, text out."""

from __future__ import annotations

from statistics import median
from typing import Any

Rows = dict[str, dict[str, Any]]

BASE, NO_LOOP, ACTIVE, BLOCK = (
    "python3 -I -S -c pass",
    "door, no loop",
    "door, active loop",
    "door, active, status block",
)
GIT, GIT_EDIT = "door, active, git 2000 files", "door, active, git 2000 files, one edited"
IMPROVING = "door, active, a discovery loop of 20 items"
GIT_ALONE = "git ls-files alone, 2000 files"
SHELL, OURS = "shell", "loop run"  # who drives the agent


def summed_up(times: dict[str, list[float]], surprises: dict[str, str]) -> Rows:
    """Minima and medians in milliseconds, and how often the bare interpreter fits in."""
    base = times[BASE]
    return {
        name: {
            "min": min(found),
            "median": median(found),
            "x_min": min(found) / min(base),
            "x_median": median(found) / median(base),
            **({"surprise": surprises[name]} if surprises[name] else {}),
        }
        for name, found in times.items()
    }


def verdict(rows: Rows, modules: dict[str, dict[str, list[str]]]) -> list[str]:
    """Four lines, one for each target."""

    def times(one: str, other: str) -> str:
        low, mid = (rows[one][kind] / rows[other][kind] for kind in ("min", "median"))
        return f"{mid:.2f}x ({low:.2f}x by minima)"

    sizes = [name for name in rows if name.startswith("transcript ")]
    tree = {f"loopwright.repo.{name}" for name in ("tree", "plumbing", "walk")}  # with its git call
    apart = {"loopwright", *tree}  # that one is the version
    code = {name: [m for m in found["code"] if m not in apart] for name, found in modules.items()}
    return [
        f"no loop: {times(NO_LOOP, BASE)}; target 1.1x",
        f"active: {times(ACTIVE, BASE)}, with a status block {times(BLOCK, BASE)}; target 2x. "
        f"In git, 2000 files: {times(GIT, BASE)}, one edited {times(GIT_EDIT, BASE)}; "
        f"the git call alone {rows[GIT_ALONE]['median']:.1f} ms",
        f"own modules with code, the tree apart: {len(code[ACTIVE])}, with a status block {len(code[BLOCK])}; target 15",
        f"flat: transcript {sizes[-1].removeprefix('transcript ')} to 10 KB {times(sizes[-1], sizes[0])}; "
        f"journal 10,000 to 10 lines {times('journal 10000 lines', 'journal 10 lines')}, "
        f"of the most replayed lines to ten {times('journal 10047 lines', 'journal 9994 lines')}; target 1.1x",
    ]


def as_markdown(found: dict[str, Any]) -> str:
    lines = [
        found["machine"],
        "",
        "| case | min ms | median ms | x min | x median |",
        "|---|--:|--:|--:|--:|",
    ]
    for name, row in found["rows"].items():
        numbers = (
            f"{row['min']:.2f} | {row['median']:.2f} | {row['x_min']:.2f} | {row['x_median']:.2f}"
        )
        lines.append(
            f"| {name} | {numbers} |" + (f" {row['surprise']}" if "surprise" in row else "")
        )
    for name, kinds in found["modules"].items():
        lines += ["", f"{name}: {len(kinds['code'])} modules with code: {', '.join(kinds['code'])}"]
        lines += [f"{len(kinds['markers'])} empty package markers: {', '.join(kinds['markers'])}"]
    return "\n".join([*lines, "", *(f"- {line}" for line in found["verdict"])])


def runner_as_markdown(found: dict[str, Any]) -> str:
    """The two tables of bench/runner.py."""
    alone, together = found["alone"], found["together"]
    lines = [
        f"{found['machine']}; {alone['rounds']} rounds of {alone['iterations']} iterations, {alone['failures']} failures",
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
    for kind, words in (
        ("Pss", "its share of shared pages"),
        ("Rss", "shared pages counted in full"),
    ):
        if memory:
            lines.append(
                f"| MB of memory each, {words} | {memory[SHELL][kind]:.1f} | {memory[OURS][kind]:.1f} |"
            )
    return "\n".join([*lines, f"| failures | | {together['failures']} |"])
