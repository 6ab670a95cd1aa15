"""What the name and the text of a script, target or recipe say: which criterion it checks."""

from __future__ import annotations

from typing import NamedTuple

from ... import lazy_re as re
from ..commands import Command
from .folder import Way

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# Criterion → the names of scripts for it, best first. `type-check` and `type:check` are one name.
NAMES = {
    "tests pass": (
        *("test", "tests", "test run", "test ci", "ci test", "test unit", "unit test"),
        *("unit tests", "unittest", "unit", "test all", "pytest", "check test", "check"),
    ),
    "lint clean": (
        *("lint", "lint check", "lint ci", "check lint", "test lint", "lint all", "lint js"),
        *("eslint", "ruff", "flake8", "style", "linter"),
    ),
    "no type errors": (
        *("typecheck", "type check", "types check", "check types", "check type", "test types"),
        *("test type", "test typecheck", "lint types", "types", "typing", "check ts", "tsc"),
        *("mypy", "pyright", "ts check", "tsc check"),
    ),
    "build succeeds": ("build",),
}
KIND_OF = {"tests": "tests pass", "lint": "lint clean", "types": "no type errors"}
SAYS_ONLY = frozenset(("echo", "printf", "exit", ":", "help", "@echo"))
WATCHES = re.compile(
    r"--watch(?:All)?(?!\S*=false)(?![\w-])|\b(?:vitest|jest)\s+watch\b|\bnodemon\b"
    r"|\bng test\b(?!.*--(?:no-)?watch[= ]?(?:false)?)|\bkarma start\b(?!.*--single-run)"
)
WATCHES_OUTSIDE_CI = re.compile(r"\b(?:react-scripts|craco|react-app-rewired) test\b")
REWRITES = re.compile(r"--fix(?![\w-])|--write\b|--apply\b")
HOOKS = {"pre-commit", "prek"}
PLAIN_NAME = re.compile(r"[\w.:/-]+")
PLACEHOLDER = "no test specified"


class Script(NamedTuple):
    """A script, target or recipe, with its text and the check commands in it."""

    name: str
    text: str
    commands: tuple[Command, ...] = ()


def script_ways(
    scripts: Iterable[Script], command_for: Callable[[str], str], is_possible: bool
) -> list[Way]:
    """The ways to run checks by scripts that are named after them."""
    by_words: dict[str, Script] = {}
    for script in scripts:
        if not PLAIN_NAME.fullmatch(script.name):
            continue  # the name becomes a word of a shell line
        by_words.setdefault(" ".join(re.split(r"[\W_]+", script.name.lower())), script)
    ways = []
    for criterion, names in NAMES.items():
        fitting = [by_words[name] for name in names if name in by_words]
        fitting = [script for script in fitting if _may_check(script, criterion)]
        ways += [_way_of_script(script, criterion, command_for, is_possible) for script in fitting]
    # A way that rewrites files is the last one: it is never used, but a person may want to know.
    return sorted(ways, key=lambda way: bool(way.reason))


def _way_of_script(
    script: Script, criterion: str, command_for: Callable[[str], str], is_possible: bool
) -> Way:
    command = command_for(script.name)
    if WATCHES_OUTSIDE_CI.search(script.text):
        command = f"CI=true {command}"
    reason = rewriting_reason(script.text, script.commands) if criterion != "tests pass" else ""
    return Way(criterion, command, is_possible, reason)


def rewriting_reason(text: str, commands: Iterable[Command]) -> str:
    """Why this is no check but an editor: its words say so, or it runs all hooks of pre-commit."""
    lines = [" ".join(command.words) for command in commands]
    if rewriting := REWRITES.search("\n".join((text, *lines))):
        return f"it rewrites files ({rewriting[0].strip()})"
    programs = {line.partition(" ")[0] for line in lines}
    return "it runs the hooks of pre-commit, which may rewrite files" if programs & HOOKS else ""


def _may_check(script: Script, criterion: str) -> bool:
    """Does the text not speak against the name?"""
    if PLACEHOLDER in script.text or WATCHES.search(script.text):
        return False
    programs = [command.words[0] for command in script.commands]
    if programs and SAYS_ONLY.issuperset(programs):
        return False
    # `test: lint` checks the style and nothing else.
    kinds = {command.kind for command in script.commands}
    return criterion != "tests pass" or not kinds or not kinds <= {"lint", "types"}
