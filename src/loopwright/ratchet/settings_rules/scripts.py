"""Compares the commands by which a project checks itself: what was dropped, narrowed or hidden."""

from __future__ import annotations

import posixpath

from ... import lazy_re as re
from ...checks.commands import CALLERS, CHECK_NAME, MAKEFILE, SHELL_SHEBANG, Command, commands_in
from ...checks.settings_files import is_settings_file
from ...checks.shell_text import only_cleans_up
from ...checks.test_files import is_test_file
from ...core.findings import HIGH, MEDIUM, Finding
from ...repo.baseline import Change
from . import settings
from .unused_linters import is_all_known, soften_unused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...checks.reach import Reach
    from ..project import Project

FORGIVING_RULES = ("command-failure-forgiven", "failures-forgiven")
HARMLESS = re.compile(
    r"(?:echo|printf|mkdir|cd|set|true|:|exit)\b"
    r"|\S+ (?:-\S+ )*(?:install|ci|sync|add|mod|fetch|update)\b"
)
IRRELEVANT_OPTION = re.compile(  # it does not change what is proven
    r"-[vqsx]+|-r\w+|-n|--(?:verbose|ci|(?:no-)?colou?rs?|tb|durations|reporters?|cov-?\w*|cov"
    r"|coverage\w*|junit-?xml|maxfail|bail|exitfirst|numprocesses|dist|cache[\w-]*|output-format"
    r"|show-\S+|pretty|workers|maxWorkers|runInBand|silent|parallel|no-header)(?:=.*)?"
)
CLUSTER = re.compile(r"-[a-zA-Z]{2,}")  # several options in one word: `-lr`
# Options with which a runner finds more tests than without them.
WIDENING = {"prove": frozenset(("-r", "--recurse"))}
HARMLESS_STEP = re.compile(
    rf"{HARMLESS.pattern}|(?:set|export|local|readonly|date|pwd|rm -rf?|touch|wait)\b"
    r"|(?:mktemp|dirname|basename)\b|(?:fi|done|then|else)\b|\w+=|[\[{}()]|\w+\(\)"
)
ENDS_AT_ERROR = re.compile(r"(?m)^\s*set\s+-\w*e|\A#!.*\s-\w*e")
# Their failure says nothing, so it does not matter what comes after them.
SETS_VARIABLE = re.compile(r"(?:export|readonly|declare|typeset|local|unset|umask|alias)\b")
LAYOUT_OR_COMMENT = re.compile(r"(?m)(?:^|[ \t])[ \t]*(?:#|//)(?:[ \t].*)?$|\s+")
PROGRAM_SUFFIXES = (".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php")


def find(project: Project) -> list[Finding]:
    """What was loosened in the scripts among the changes; less weighs what no check runs."""
    reach = project.reach
    # Sourced by scripts that end at the first error.
    strict = strict_files(project, reach)
    changes = list(project.changes.values())
    found = loosened_commands(changes, reach, strict)
    found = soften_unused(found, project, reach, MEDIUM)
    if not is_all_known(project, reach):
        return found
    # Commands of a file that no check runs: a question at most.
    return [
        finding.but(severity=MEDIUM)
        if finding.severity == HIGH and finding.file not in reach.files
        else finding
        for finding in found
    ]


def loosened_commands(
    changes: Sequence[Change], reach: Reach, strict: frozenset[str] = frozenset()
) -> list[Finding]:
    """What was loosened in commands: those of scripts, makefiles, manifests and CI."""
    linted = reach.linted.keys() - reach.scripts.keys()  # they decide no result
    named, entries = frozenset(reach.files) - linted, frozenset(reach.entries)
    before, after = list[Command](), list[Command]()
    for change in changes:
        before += commands_in(change.path, change.before, change.path in strict)
        after += commands_in(change.path, change.after, change.path in strict)
    checks = dict[tuple[str, str, tuple[str, ...]], Command]()  # each once, however often it runs
    for command in before:
        if command.kind and not command.failure_ignored_by:
            checks.setdefault((command.path, command.entry, command.words), command)
    found: list[Finding] = []
    for command in checks.values():
        found += _weaker_findings(command, before, after, command.path in named)
    deleted = {change.path for change in changes if change.after is None}
    found = [finding for finding in found if not _names_deleted_files(finding, deleted)]
    for change in changes:
        here = [finding for finding in found if finding.file == change.path]
        if change.path not in named or any(finding.severity == HIGH for finding in here):
            continue
        rewritten = _rewritten_findings(change.path, before, after, entries)
        if _is_changed_program(change):
            rewritten.append(Finding(HIGH, "check-program-changed", change.path))
        if rewritten:
            found = [finding for finding in found if finding not in here] + rewritten
        elif not here:
            found += _other_step_findings(change, before, after, entries)
    # Of findings with one key, the first counts.
    return list({finding.key: finding for finding in reversed(found)}.values())[::-1]


def strict_files(files: Project, reach: Reach) -> frozenset[str]:
    """The files that the scripts of checks source, if one of these ends at the first error."""
    texts = [files.before(path) or "" for path in reach.scripts if path not in reach.sourced]
    is_strict = any(map(ENDS_AT_ERROR.search, texts))
    return frozenset(reach.sourced) if is_strict else frozenset()


def _names_deleted_files(finding: Finding, deleted: set[str]) -> bool:
    """Does a command only leave out files that are gone?"""
    if finding.rule != "fewer-files-included":
        return False
    left_out = {*finding.before.split()} - {*finding.after.split()}
    return bool(left_out) and left_out <= deleted


def _weaker_findings(
    command: Command, before: list[Command], after: list[Command], named: bool
) -> list[Finding]:
    """How a check proves less than before, in its entry or, if it moved, wherever it is now."""
    program = command.words[0]
    old_here = [c for c in before if _is_same_place(c, command)]
    new_here = [c for c in after if _is_same_place(c, command)]
    same = new_here or [c for c in after if c.words[0] == program]
    arguments = {word for word in command.words if not word.startswith("-")}
    fewer = 0 < len(new_here) < len(old_here)
    if not same or (fewer and not any(arguments <= {*c.words} for c in same)):
        return _removed_findings(command, before, after, named)
    equal = [c for c in same if c.words == command.words]
    candidates = {(c.words, c.failure_ignored_by): c for c in equal or same}.values()
    best = min((_loosened_findings(command, new) for new in candidates), key=_weight)
    if len(new_here) > len(old_here):
        # It was split. Each part runs less, but together they may run everything.
        return [finding for finding in best if finding.rule in FORGIVING_RULES]
    return best


def _is_same_place(command: Command, other: Command) -> bool:
    return (command.path, command.entry, command.words[0]) == (
        other.path,
        other.entry,
        other.words[0],
    )


def _weight(findings: list[Finding]) -> tuple[bool, int]:
    return any(finding.severity == HIGH for finding in findings), len(findings)


def _loosened_findings(old: Command, new: Command) -> list[Finding]:
    found = []
    if new.failure_ignored_by:
        after = f"{new} ({new.failure_ignored_by})"
        found.append(_command_finding(HIGH, "command-failure-forgiven", old, new, after))
    old_settings = settings.command_settings(old.words)
    new_settings = settings.command_settings(new.words)
    for _, severity, rule in settings.loosened_settings(old_settings, new_settings, {}):
        found.append(_command_finding(severity, rule, old, new, str(new)))
    return found


def _command_finding(severity: str, rule: str, old: Command, new: Command, after: str) -> Finding:
    return Finding(
        severity=severity,
        rule=rule,
        file=new.path,
        line=new.line,
        before=str(old),
        after=after,
    )


def _removed_findings(
    command: Command, before: list[Command], after: list[Command], named: bool
) -> list[Finding]:
    """A check that is gone, unless its entry was renamed or a tool of its kind replaces it."""
    goal = command.words[0].partition(" ")[2]
    is_renamed = goal in {c.entry for c in before} and goal not in {c.entry for c in after}
    if is_renamed or (not named and _is_replaced(command, before, after)):
        return []
    return [Finding(HIGH, "check-removed", command.path, before=str(command))]


def _is_replaced(command: Command, before: list[Command], after: list[Command]) -> bool:
    """Does a new tool prove what the command proved?"""
    old_programs = {c.words[0] for c in before}
    new = [c for c in after if not c.failure_ignored_by and c.words[0] not in old_programs]
    kinds = {c.kind for c in new}
    if command.kind in kinds or "any" in kinds:
        return True
    return command.kind == "any" and bool(kinds - {""})


def _rewritten_findings(
    path: str, before: list[Command], after: list[Command], entries: frozenset[tuple[str, str]]
) -> list[Finding]:
    """The first changed command of a file that a check command runs; new commands are fine."""
    current = [c for c in after if c.path == path]
    if not current:
        return []
    for command in before:
        if command.path != path or not _belongs_to_check(command, entries):
            continue
        same = [c for c in current if c.words[0] == command.words[0]]
        if any(not _differs(command, c) for c in same):
            continue
        new = same[0] if same else Command(path, "", 0)
        equal = [c for c in same if c.words == command.words]
        if equal:
            after_text = f"{equal[0]} ({equal[0].failure_ignored_by})"
            rule = "command-failure-forgiven"
            return [_command_finding(HIGH, rule, command, equal[0], after_text)]
        return [_command_finding(HIGH, "check-command-changed", command, new, str(new))]
    return []


def _other_step_findings(
    change: Change,
    before: list[Command],
    after: list[Command],
    entries: frozenset[tuple[str, str]],
) -> list[Finding]:
    """Steps that a check has gained, and calls of other targets that it has lost."""
    path = change.path
    old = [c for c in before if c.path == path]
    new = [c for c in after if c.path == path and _is_reached(c, entries)]
    if change.before is None or not old:
        return []
    for command in old:
        is_call = command.words[0].split(" ")[0] in CALLERS and _is_reached(command, entries)
        if is_call and all(c.words != command.words for c in new):
            return [Finding(MEDIUM, "check-removed", path, before=str(command))]
    known = {c.words for c in old}
    for command in new:
        proves_more = command.kind and not command.failure_ignored_by
        if command.words in known or proves_more or HARMLESS_STEP.match(str(command)):
            continue
        if only_cleans_up(command.words):
            continue
        if any(not _differs(c, command) for c in old if c.words[0] == command.words[0]):
            continue
        return [Finding(MEDIUM, "check-step-added", path, command.line, after=str(command))]
    return []


def _is_reached(command: Command, entries: frozenset[tuple[str, str]]) -> bool:
    """Does a check run this command? Scripts of npm also run before and after another one."""
    names = {command.entry, command.entry.removeprefix("pre"), command.entry.removeprefix("post")}
    is_entry = any((command.path, name) in entries for name in names)
    return is_entry or command.entry == command.path


def _belongs_to_check(command: Command, entries: frozenset[tuple[str, str]]) -> bool:
    if HARMLESS.match(str(command)) or command.words[0].split(" ")[0] in CALLERS:
        return False
    if (command.path, command.entry) in entries or command.entry == command.path:
        return True
    return bool(CHECK_NAME.search(command.entry))


def _differs(old: Command, new: Command) -> bool:
    is_hidden = new.failure_ignored_by and not old.failure_ignored_by
    if is_hidden and not SETS_VARIABLE.match(str(old)):
        return True
    old_words, new_words = _option_words(old), _option_words(new)
    changed = (old_words ^ new_words) - (WIDENING.get(old.words[0], frozenset()) - old_words)
    return any(not IRRELEVANT_OPTION.fullmatch(word) for word in changed)


def _option_words(command: Command) -> set[str]:
    """The words of a command; for prove, each letter of `-lr` as an option of its own."""
    if command.words[0] != "prove":
        return {*command.words}
    options: set[str] = set()
    for word in command.words:
        options |= {f"-{letter}" for letter in word[1:]} if CLUSTER.fullmatch(word) else {word}
    return options


def _is_changed_program(change: Change) -> bool:
    """Is it a program of the project's own that checks something, with other code than before?"""
    if not change.before or not change.after:
        return False
    if not _is_program(change.path, change.before) or not _is_program(change.path, change.after):
        return False
    before, after = (LAYOUT_OR_COMMENT.sub("", text) for text in (change.before, change.after))
    return before != after


def _is_program(path: str, text: str) -> bool:
    name = posixpath.basename(path)
    if not name.endswith(PROGRAM_SUFFIXES) and "." in name:
        return False
    if is_settings_file(path) or MAKEFILE.fullmatch(name):
        return False
    if is_test_file(path) or SHELL_SHEBANG.match(text):
        return False
    return bool(CHECK_NAME.search(name))
