"""Write the generated parts of these pages: tables, included functions, and the whole of cli.md.

python docs/generate.py            rewrites what differs
python docs/generate.py --check    writes nothing; names each stale page and exits 1 if there is one
"""

from __future__ import annotations

import ast
import json
import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path

from environment_variables import VARIABLES

from loopwright.agents.registry import AGENT_NAMES, known_names, load_about
from loopwright.cli import exits
from loopwright.cli.command_parser import command_parser
from loopwright.cli.commands import agents
from loopwright.cli.commands.completion import action_parsers
from loopwright.cli.main import GROUPS, overview_text
from loopwright.core import events, mirror_events
from loopwright.core.discovery import backlog
from loopwright.core.discovery import events as discovery_events
from loopwright.core.pausing import events as pausing_events
from loopwright.core.person import events as person_events
from loopwright.core.plan import events as plan_events
from loopwright.core.prices import PRICES
from loopwright.core.proof import demand_events, dispute_events, strength_events
from loopwright.core.proof import events as proof_events
from loopwright.core.record import KINDS, Record
from loopwright.core.replies import events as replies_events
from loopwright.core.runner import events as runner_events
from loopwright.core.session import events as session_events
from loopwright.core.status import TRANSITIONS
from loopwright.sandbox.profiles import RULES
from loopwright.store import config
from loopwright.store.presets import built_in_presets

DOCS = Path(__file__).resolve().parent
GENERATED = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end generated -->)", re.S)
INCLUDED = re.compile(r"(<!-- include: (\S+) (\w+) -->\n).*?(<!-- end include -->)", re.S)
START_STATUSES = ("running", "asking")  # drive/new_loop.py: a loop that asks first starts in asking
EVENT_MODULES = {
    "Turns and checks": events,
    "Lease and session": session_events,
    "Claims of the agent": replies_events,
    "Questions and orders": person_events,
    "Pauses and ends": pausing_events,
    "State file": mirror_events,
    "Baseline and proof": proof_events,
    "Disputes and looks": dispute_events,
    "Demands of the spec": demand_events,
    "Strength of the checks": strength_events,
    "Runner": runner_events,
    "Plans": plan_events,
    "Discovery loops": discovery_events,
}

SETTINGS = {
    "limits.iterations": "most iterations; one turn of the agent is one iteration",
    "limits.dollars": "most dollars that the agent may cost",
    "limits.minutes": "most minutes of running time; pauses and questions do not count",
    "limits.stuck": "pause after this many iterations without progress",
    "limits.rethink": "after this many iterations without progress, ask for another approach",
    "limits.unchanging_calls": "end a turn of `loop run` after so many tool calls without a change",
    "limits.crashes": "crashes of an agent in a row; then a fallback takes over or the loop pauses",
    "limits.same_error": "pause when one tool call fails this often with the same error",
    "limits.same_file": "pause when one file is edited this often in one iteration",
    "limits.idle": "pause after this many turns without a tool call, a changed file or a claim "
    "(discovery: without any change)",
    "limits.dry": "a discovery loop ends after this many explorations in a row that found nothing",
    "limits.transient": "pause after this many transient faults (network, overload) in a row",
    "limits.looks": "a person decides after a held-out check or the reviewer has answered "
    "this often",
    "limits.wait": "most minutes in total that a runner waits for usage limits and network faults",
    "check.timeout": "seconds that one check may take",
    "check.retries": "how often a failing check is re-run on the same tree; "
    "it passes if more than half of its runs pass, and is then flaky",
    "proof.strength": "what follows from thin work: `off`, `report`, `once` or `strict`, like "
    "`--strength`; only your own file sets it",
    "shape": "`auto` scores the spec; `tool` asks nothing; `colleague` asks at the three gates",
    "sandbox.use": "where agents and checks run, like `--sandbox`; only your own file sets it",
    "sandbox.allow_read": "paths that they may also read, separated by `:`; only your own file",
    "sandbox.allow_write": "paths that agents may also write, separated by `:`; only your own file",
    "sandbox.network": "`open` or `closed` for agents; a project may close it",
    "sandbox.memory": "gigabytes that a turn or a check may use with all that it starts; "
    "the default is half of the machine's memory if that is less",
    "sandbox.processes": "how many processes and threads a turn or a check may have at once",
    "sandbox.disk": "gigabytes that a turn or a check may write",
    "eyes.dollars": "most dollars that one question to a second agent may cost; only your own file",
    "eyes.minutes": "most minutes that it may take; only your own file",
    "notify": "a shell command that `loop run` runs on pause, question, end and error, "
    "or an address such as ntfy://topic; only your own file can set it",
    "quiet_hours": "two times such as 22:00-07:00; no notification is sent between them",
    "plan.progress": "`on` ticks proven tasks in the plan's own files; `off` leaves them alone",
}


def state_diagram() -> str:
    """The state diagram, from the table that the engine asserts."""
    lines = [f"    [*] --> {status}" for status in START_STATUSES]
    for status, next_statuses in TRANSITIONS.items():
        lines += [f"    {status} --> {after}" for after in next_statuses or ("[*]",)]
    return "\n".join(["```mermaid", "stateDiagram-v2", *lines, "```"])


def events_table() -> str:
    """Every event with its fields and its docstring, one table for each module of events."""
    parts = []
    for title, module in EVENT_MODULES.items():
        kinds = [kind for kind in vars(module).values() if _is_event(kind, module.__name__)]
        source = f"`{module.__name__.removeprefix('loopwright.').replace('.', '/')}.py`"
        rows = ((f"`{kind.__name__}`", _field_list(kind), _docstring(kind)) for kind in kinds)
        table = markdown_table(("event", "fields", "meaning"), rows)
        parts.append(f"### {title}\n\nDefined in {source}.\n\n{table}")
    return "\n\n".join(parts)


def _is_event(kind: object, module: str) -> bool:
    return isinstance(kind, type) and kind in KINDS.values() and kind.__module__ == module


def _field_list(kind: type[Record]) -> str:
    return ", ".join(f"`{name}: {of}`" for name, of in kind.__annotations__.items())


def _docstring(kind: type) -> str:
    return " ".join((kind.__doc__ or "").split())


def settings_table() -> str:
    """Every setting with its default. A setting without a meaning in SETTINGS is a KeyError."""
    discovery_defaults = config.defaults(backlog.DISCOVERY_LIMITS)
    rows = []
    for name, value in config.defaults().items():
        discovery = discovery_defaults[name]
        difference = "" if discovery == value else f" (discovery: {discovery})"
        rows.append((f"`{name}`", f"{value}{difference}", SETTINGS[name]))
    return markdown_table(("setting", "default", "meaning"), rows)


def prices_table() -> str:
    head = ("model name begins with", "input", "output", "cache read", "cache write")
    rows = []
    for price in PRICES:
        numbers = (price.input, price.output, price.cache_read, price.cache_write)
        rows.append((f"`{price.model}`", *(f"{number:g}" for number in numbers)))
    return markdown_table(head, rows)


def exit_codes_table() -> str:
    rows = ((str(code), meaning) for code, meaning in exits.MEANINGS.items())
    return markdown_table(("code", "meaning"), rows)


def environment_table() -> str:
    rows = ((f"`{name}`", meaning) for name, (_, meaning) in VARIABLES.items())
    return markdown_table(("variable", "meaning"), rows)


def presets_table() -> str:
    presets = built_in_presets().values()
    rows = ((f"`{p.name}`", p.description, str(len(p.suggestions))) for p in presets)
    return markdown_table(("preset", "for", "suggestions"), rows)


def sandbox_table() -> str:
    rows = ((rule.name, rule.agent, rule.check, rule.reviewer, rule.covers) for rule in RULES)
    return markdown_table(("", "agent", "check", "reviewer", "covers"), rows)


def agents_table() -> str:
    """What each agent can do, as its about.py says."""
    rows = []
    for name in known_names():
        about = load_about(name)
        if about.hold or about.headless:
            facts = agents.matrix_row(
                {**about.__dict__, "installed": False, "version": "", "driven": name in AGENT_NAMES}
            )
            rows.append(
                (f"`{name}`", *facts[2:6], f"`{facts[6]}`" if about.commands else "-", *facts[7:])
            )
    return markdown_table(("agent", *agents.COLUMNS[2:]), rows)


# Rows of a benchmark that say the same as their neighbours: sizes in between, parts of a case.
ROWS_LEFT_OUT = {
    *("git ls-files alone, 2000 files", "its first Stop", "hook, active, git 2000 files"),
    *("transcript 10 KB", "transcript 1 MB", "transcript 100 MB"),
    *("journal 10 lines", "journal 9994 lines", "journal 63 lines", "journal 10047 lines"),
    *("the same, and a check", "iterations per second, their start included"),
    *("MB of memory each, shared pages counted in full", "tree kept as a commit"),
    "loop --version",
}


def bench_tables(name: str) -> str:
    """The tables of one benchmark, as the last `make bench` measured them."""
    measured = json.loads((DOCS.parent / "bench" / "results.json").read_text("utf-8"))[name]
    tables = []
    for table in measured["tables"].values():
        rows = [row for row in table["rows"] if row[0] not in ROWS_LEFT_OUT]
        tables.append(markdown_table(table["head"], rows, numbers=True))
    origin = f"`python bench/{name}.py`, {measured['date']}: {measured['machine']}."
    return "\n\n".join([origin, *tables])


PARTS = {
    "bench_hook": lambda: bench_tables("hook"),
    "bench_cli": lambda: bench_tables("cli"),
    "bench_runner": lambda: bench_tables("runner"),
    "bench_tree": lambda: bench_tables("tree"),
    "agents": agents_table,
    "sandbox": sandbox_table,
    "presets": presets_table,
    "states": state_diagram,
    "events": events_table,
    "settings": settings_table,
    "prices": prices_table,
    "exits": exit_codes_table,
    "environment": environment_table,
}


def markdown_table(
    head: Iterable[str], rows: Iterable[Iterable[str]], numbers: bool = False
) -> str:
    """`numbers`: all columns but the first are numbers."""
    head = tuple(head)
    body = (tuple(cell.replace("|", "\\|") for cell in row) for row in rows)
    rule = ("---", *("--:" if numbers else "---" for _ in head[1:]))
    lines = [head, rule, *body]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def included_function(path: str, name: str) -> str:
    """The source of one function of a file, as a code block."""
    text = (DOCS.parent / path).read_text("utf-8")
    functions = (node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef))
    function = next(node for node in functions if node.name == name)
    source = "\n".join(text.splitlines()[function.lineno - 1 : function.end_lineno])
    return f"```python\n{source}\n```"


def fill_page(text: str) -> str:
    """The page with its generated parts and included functions up to date."""
    text = GENERATED.sub(lambda part: f"{part[1]}{PARTS[part[2]]()}\n{part[3]}", text)
    return INCLUDED.sub(
        lambda part: f"{part[1]}{included_function(part[2], part[3])}\n{part[4]}", text
    )


def cli_page() -> str:
    """`loop --help` and the help of each command, 100 columns wide on every terminal."""
    os.environ |= {"COLUMNS": "100", "NO_COLOR": "1"}
    parts = [
        "# Every command",
        "",
        "Generated by `docs/generate.py` from the commands; do not edit.",
        "",
    ]
    parts += ["```text", overview_text(), "```"]
    for group, commands in GROUPS.items():
        parts += ["", f"## {group.capitalize()}"]
        for name in commands:
            parser = command_parser(name)
            text = parser.format_help().rstrip()
            parts += ["", f"### loop {name}", "", "```text", text, "```"]
            for action, action_parser in action_parsers(parser).items():
                text = action_parser.format_help().rstrip()
                parts += ["", f"#### loop {name} {action}", "", "```text", text, "```"]
    return "\n".join(parts) + "\n"


def main(check: bool) -> int:
    paths = [path for path in sorted(DOCS.glob("*.md")) if path.name != "cli.md"]
    pages = {path: fill_page(path.read_text("utf-8")) for path in paths}
    pages[DOCS / "cli.md"] = cli_page()
    stale = [
        path for path, text in pages.items() if not path.exists() or path.read_text("utf-8") != text
    ]
    for path in stale:
        print(f"docs/{path.name} {'is stale: run `make docs`' if check else 'written'}")
        if not check:
            path.write_text(pages[path], "utf-8")
    return 1 if stale and check else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
