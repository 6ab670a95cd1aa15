"""Product in the shell that a check script sources to call its functions.

Such a file is what the check measures, so it may change. But it runs inside the check: a statement
outside of functions, or a function that takes the place of one the check uses, changes the check.
"""

from __future__ import annotations

import posixpath

from ... import lazy_re as re
from ...checks.shell_functions import FUNCTION, outside_lines
from ...core.findings import HIGH, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..project import Project

# Programs with which a check compares.
COMPARING_PROGRAMS = frozenset(
    [
        *("test", "[", "grep", "egrep", "cmp", "diff", "exit", "return", "ls", "wc", "cat"),
        *("echo", "printf", "command", "set", "trap", "sort", "uniq", "comm", "expr", "false"),
        *("jq", "md5sum", "sha1sum", "sha256sum", "wait", "kill", "command_not_found_handle"),
    ]
)
SOURCED = re.compile(r"(?m)^[ \t]*(?:\.|source)[ \t]+(\S+)")


def find(project: Project) -> list[Finding]:
    """What changed libraries do to the scripts of checks that source them."""
    reach = project.reach
    changed = [project.changes[path] for path in reach.libraries if path in project.changes]
    if not changed:
        return []
    texts = [project.before(path) or "" for path in reach.scripts]
    taken = {name for text in texts for name in FUNCTION.findall(text)}
    found = []
    for change in changed:
        before, after = change.before or "", change.after or ""
        added = set(SOURCED.findall(after)) - set(SOURCED.findall(before))
        after += "".join(f"\n{project.now(posixpath.normpath(name)) or name}" for name in added)
        for line in _changes_of_check(before, after, taken):
            rule = "check-command-changed"
            found.append(Finding(HIGH, rule, change.path, after=line[:200]))
    return found


def _changes_of_check(before: str, after: str, taken: set[str]) -> Iterator[str]:
    yield from outside_lines(after)
    new_names = set(FUNCTION.findall(after)) - set(FUNCTION.findall(before))
    yield from sorted(new_names & (taken | COMPARING_PROGRAMS))
