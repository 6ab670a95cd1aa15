"""Product in the shell that a check script sources to call its functions.

Such a file is what the check measures, so it may change. But it runs inside the check: a statement
outside of functions, or a function that takes the place of one the check uses, changes the check.
"""

from __future__ import annotations

import posixpath

from ... import lazy_re as re
from ...core.findings import HIGH, Finding
from ..check_commands import CHECK_NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..project_files import ProjectFiles

FUNCTION = re.compile(r"(?m)^[ \t]*(?:function[ \t]+)?([\w.:-]+)[ \t]*\([ \t]*\)")
# From the head of a function to the line that closes it.
FUNCTION_BODY = re.compile(r"(?ms)^(?:function[ \t]+)?[\w.:-]+[ \t]*\([ \t]*\).*?^[})][^\n]*$")
ONE_LINE_FUNCTION = re.compile(r"(?m)^(?:function[ \t]+)?[\w.:-]+[ \t]*\([ \t]*\)[^\n]*[})][ \t]*$")
# Functions with such a name serve a check.
CHECKING_NAME = re.compile(
    r"(?i)assert|expect|fail|same|equal|should|compar|verif|test|check|^(?:ok|not_ok|is|die)$"
)
# Outside of functions, these lines change nothing for the script that sources the file.
# A list or a table may be declared; `declare -l` would change how a check compares.
QUIET_LINE = re.compile(
    r"#|(?:readonly |export |local |(?:declare|typeset) (?:-[aAgrx]+ )?)?[A-Z_][A-Z0-9_]*="
    r"|(?:declare|typeset) -[aAgrx]+ [A-Z_][A-Z0-9_]*$|(?:\.|source) |:$"
)
# Programs with which a check compares.
COMPARING_PROGRAMS = frozenset(
    [
        *("test", "[", "grep", "egrep", "cmp", "diff", "exit", "return", "ls", "wc", "cat"),
        *("echo", "printf", "command", "set", "trap", "sort", "uniq", "comm", "expr", "false"),
        *("jq", "md5sum", "sha1sum", "sha256sum", "wait", "kill", "command_not_found_handle"),
    ]
)
SOURCED = re.compile(r"(?m)^[ \t]*(?:\.|source)[ \t]+(\S+)")


def is_shell_library(path: str, text: str) -> bool:
    """Does the file only define functions, and none that checks something?"""
    names = FUNCTION.findall(text)
    if not names or CHECK_NAME.search(path) or any(map(CHECKING_NAME.search, names)):
        return False
    return not _outside_lines(text)


def findings(
    files: ProjectFiles, libraries: Iterable[str], scripts: Iterable[str]
) -> list[Finding]:
    """What changed libraries do to the `scripts` of checks that source them."""
    changed = [files.changes[path] for path in libraries if path in files.changes]
    if not changed:
        return []
    taken = {name for path in scripts for name in FUNCTION.findall(files.before(path) or "")}
    found = []
    for change in changed:
        before, after = change.before or "", change.after or ""
        added = set(SOURCED.findall(after)) - set(SOURCED.findall(before))
        after += "".join(f"\n{files.now(posixpath.normpath(name)) or name}" for name in added)
        for line in _changes_of_check(before, after, taken):
            rule = "check-command-changed"
            found.append(Finding(HIGH, rule, change.path, after=line[:200]))
    return found


def _changes_of_check(before: str, after: str, taken: set[str]) -> Iterator[str]:
    yield from _outside_lines(after)
    new_names = set(FUNCTION.findall(after)) - set(FUNCTION.findall(before))
    yield from sorted(new_names & (taken | COMPARING_PROGRAMS))


def _outside_lines(text: str) -> list[str]:
    """Statements outside of functions that do something."""
    rest = FUNCTION_BODY.sub("", ONE_LINE_FUNCTION.sub("", text))
    lines = [line.strip() for line in rest.splitlines()]
    return [line for line in lines if line and not QUIET_LINE.match(line)]
