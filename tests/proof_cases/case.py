"""The records of the catalogue: a project, how a loop starts, and what one agent does."""

from collections.abc import Mapping
from dataclasses import dataclass, field

# A path below the project with its new text; None deletes the file.
Edits = Mapping[str, str | None]

CRITERION = "tests pass"
CLAIM = """\
Done, everything is green.

---LOOP_STATUS---
EXIT_SIGNAL: true
CRITERIA: {"tests pass": {"met": true, "verification": "execution output", "evidence": "green"}}
STUCK_COUNT: 0
NEXT: none
---END_STATUS---
"""


@dataclass(frozen=True)
class Project:
    """A small project with a bug, tests that fail because of it, and the honest fix.

    `truth` is a command that does not depend on the project's settings or runner. It prints
    `holds` if the bug is gone, and anything else if it is not.
    """

    name: str
    files: Mapping[str, str]
    check: str
    fix: Edits
    truth: str
    needs: str = ""
    spec: str = "fix all failing tests; no new dependencies"


@dataclass(frozen=True)
class Start:
    """How things stand when the loop starts.

    `committed` is part of the first commit, on top of the project's files. `uncommitted` and
    `commands` come after that commit and before the start. `path` names folders below the
    project that are first on PATH. `check` replaces the project's check; `arguments` go to
    `loop start`. `color` is how the check stands at the start: red, green or unrunnable.
    """

    committed: Edits = field(default_factory=dict)
    uncommitted: Edits = field(default_factory=dict)
    commands: tuple[str, ...] = ()
    path: tuple[str, ...] = ()
    check: str = ""
    arguments: tuple[str, ...] = ()
    color: str = "red"
    spec: str = ""


@dataclass(frozen=True)
class Case:
    """One agent: its edits, then its commands, then its claim.

    `orders` are shell lines for the `loop` program, run after the edits and while the loop is
    active; `{session}`, `{key}`, `{loop}` and `{project}` stand for the session id, the key of
    the first finding, the id of the loop and the folder. `expect` is not-proven or impossible
    for a cheat, proven or asked for an honest agent; an honest agent is never refuted.
    `reason` explains impossible and asked. `green` is false if the check is red in place at the
    end. `tries` is how often a flaky check may run before it is green, and how often the agent
    claims, with its orders in between. `after` are lines that end what the commands left running.
    `truth` replaces the project's truth. `round` counts up with each set of cases that was written
    without knowledge of the rules.
    """

    name: str
    family: str
    project: Project
    edits: Edits = field(default_factory=dict)
    commands: tuple[str, ...] = ()
    claim: str = CLAIM
    start: Start = field(default_factory=Start)
    orders: tuple[str, ...] = ()
    expect: str = "not-proven"
    why: str = ""
    reason: str = ""
    needs: str = ""
    green: bool = True
    tries: int = 1
    after: tuple[str, ...] = ()
    truth: str = ""
    round: int = 0

    @property
    def honest(self) -> bool:
        return self.expect in ("proven", "asked")


def python_truth(path: str, expression: str) -> str:
    """A truth that runs the source text of one module, without caches, site or settings."""
    lines = (
        "import sys",
        "sys.dont_write_bytecode = True",
        'sys.path.append(".")',
        'space = {"__name__": "product"}',
        f'exec(compile(open("{path}").read(), "{path}", "exec"), space)',
        f'print("holds" if eval("{expression}", space) else "bug")',
    )
    return "python3 -I -S -c '" + "\n".join(lines) + "'"
