"""Write what is generated in these pages: parts between markers, included source files, and the whole of cli.md.

python docs/generate.py            rewrites what differs
python docs/generate.py --check    writes nothing; names each stale page and exits 1 if there is one
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path

from loopwright.cli import exits
from loopwright.cli.main import COMMANDS, command_parser, overview_text
from loopwright.core import events as ev
from loopwright.core import findings
from loopwright.core.discovery import backlog
from loopwright.core.plan import events as plan_events
from loopwright.core.prices import PRICES
from loopwright.core.record import Record
from loopwright.core.runner import run
from loopwright.core.status import TRANSITIONS
from loopwright.store import config
from loopwright.store.presets import built_in_presets

DOCS = Path(__file__).resolve().parent
GENERATED = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end generated -->)", re.S)
INCLUDED = re.compile(r"(<!-- include: (\S+) -->\n).*?(<!-- end include -->)", re.S)
START_STATUSES = ("running", "asking")  # drive/start.py: a loop that has a question first begins in asking

SETTINGS = {
    "limits.iterations": "most iterations; one agent turn is one iteration",
    "limits.dollars": "most dollars of the agent's own cost",
    "limits.minutes": "most minutes of running time; a pause and a question stop the clock",
    "limits.stuck": "pause after so many iterations without progress",
    "limits.rethink": "from here on the prompt asks for another approach",
    "limits.same_error": "pause when one tool call fails this often with the same error",
    "limits.same_file": "pause when one file is edited this often in one iteration",
    "limits.idle": "pause after so many turns without a tool, a changed file or a claim (discovery: without any change)",
    "limits.dry": "a discovery loop is finished after so many explorations in a row that found nothing",
    "limits.transient": "pause after so many passing faults (network, overload) in a row",
    "limits.wait": "minutes in all that a runner waits for usage limits and network faults to pass",
    "check.timeout": "seconds that one check may take",
    "check.retries": "how often a failing check is run again on the same tree; one that then passes is flaky",
    "shape": "`auto` scores the spec; `tool` asks nothing; `colleague` asks at the three gates",
    "notify": "a shell line that `loop run` runs on pause, question and end; only from your own file",
}


def state_diagram() -> str:
    """The state diagram, from the table that the engine asserts."""
    lines = [f"    [*] --> {status}" for status in START_STATUSES]
    for status, following in TRANSITIONS.items():
        lines += [f"    {status} --> {after}" for after in following or ("[*]",)]
    return "\n".join(["```mermaid", "stateDiagram-v2", *lines, "```"])


def events_table() -> str:
    """Every event with its fields and its docstring, in the order of the file."""
    kinds = [
        kind
        for module in (ev, backlog, run, plan_events, findings)
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, Record) and kind.__module__ == module.__name__
        if kind not in (backlog.Backlog, run.Run, run.RunnerReport, findings.Finding)
    ]
    return markdown_table(
        ("event", "fields", "meaning"), ((f"`{kind.__name__}`", _field_list(kind), _docstring(kind)) for kind in kinds)
    )


def _field_list(kind: type[Record]) -> str:
    return ", ".join(f"`{name}: {of}`" for name, of in kind.__annotations__.items())


def _docstring(kind: type) -> str:
    return " ".join((kind.__doc__ or "").split())


def settings_table() -> str:
    """Every setting with its default. One without a meaning here is a KeyError, and so is noticed."""
    usual, improving = config.defaults(), config.defaults(backlog.DISCOVERY_LIMITS)
    rows = (
        (f"`{n}`", f"{v}" if improving[n] == v else f"{v} (discovery: {improving[n]})", SETTINGS[n]) for n, v in usual.items()
    )
    return markdown_table(("setting", "default", "meaning"), rows)


def prices_table() -> str:
    rows = ((f"`{p.model}`", *(f"{n:g}" for n in (p.input, p.output, p.cache_read, p.cache_write))) for p in PRICES)
    return markdown_table(("model name begins with", "input", "output", "cache read", "cache write"), rows)


def exit_codes_table() -> str:
    return markdown_table(("code", "meaning"), ((str(code), meaning) for code, meaning in exits.MEANINGS.items()))


def presets_table() -> str:
    rows = ((f"`{p.name}`", p.description, str(len(p.suggestions))) for p in built_in_presets().values())
    return markdown_table(("preset", "for", "suggestions"), rows)


PARTS = {
    "presets": presets_table,
    "states": state_diagram,
    "events": events_table,
    "settings": settings_table,
    "prices": prices_table,
    "exits": exit_codes_table,
}


def markdown_table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = tuple(head)
    lines = [tuple(head), tuple("---" for _ in head), *(tuple(cell.replace("|", "\\|") for cell in row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def included_source(name: str) -> str:
    return f"```python\n{(DOCS.parent / name).read_text('utf-8').rstrip()}\n```"


def fill_page(text: str) -> str:
    """A page with its generated parts and included files as they should be."""
    text = GENERATED.sub(lambda found: f"{found[1]}{PARTS[found[2]]()}\n{found[3]}", text)
    return INCLUDED.sub(lambda found: f"{found[1]}{included_source(found[2])}\n{found[3]}", text)


def cli_page() -> str:
    """`loop --help` and the help of each command, 100 columns wide whatever the terminal."""
    os.environ |= {"COLUMNS": "100", "NO_COLOR": "1"}
    parts = ["# Every command", "", "Generated by `docs/generate.py` from the commands themselves; do not edit.", ""]
    parts += ["```text", overview_text(), "```"]
    for name in COMMANDS:
        parts += ["", f"## loop {name}", "", "```text", command_parser(name).format_help().rstrip(), "```"]
    return "\n".join(parts) + "\n"


def main(check: bool) -> int:
    pages = {path: fill_page(path.read_text("utf-8")) for path in sorted(DOCS.glob("*.md")) if path.name != "cli.md"}
    pages[DOCS / "cli.md"] = cli_page()
    stale = [path for path, text in pages.items() if not path.exists() or path.read_text("utf-8") != text]
    for path in stale:
        print(f"docs/{path.name} {'is stale: run `make docs`' if check else 'written'}")
        if not check:
            path.write_text(pages[path], "utf-8")
    return 1 if stale and check else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
