"""Finds product that disturbs the check script which runs it.

A function that the check sources sets the variable in which the check counts its failures. A
program that the check runs in a loop over its cases reads the rest of the cases as its own input.
"""

from __future__ import annotations

import posixpath

from ... import lazy_re as re
from ...core.findings import MEDIUM, Finding
from ..project_files import new_lines
from ..surroundings import TEST, surrounding_kind
from .shell_libraries import FUNCTION_BODY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...repo.baseline import Change
    from ..check_reach import Reach
    from ..project_files import ProjectFiles

ASSIGNED = re.compile(
    r"(?:^|[;&|{(]|\bthen\b|\bdo\b|\belse\b)\s*(\w+)\+?="
    r"|\(\(\s*(?:\+\+|--)?(\w+)\s*(?:[-+*/]?=(?!=)|\+\+|--|\)\))|\blet\s+['\"]?(\w+)[-+]?="
)
DECLARED = re.compile(r"\b(?:local|declare|typeset)\b([^;\n]*)")
# A number or a yes or no, by which a check remembers what failed.
COUNTS = re.compile(r"\b(\w+)=(?:['\"]?(?:\d+|true|false|yes|no)['\"]?(?!\S)|\$\(\()")
DECIDES = r"(?:\bexit\b|\breturn\b|\[|\btest\b|\(\(|\bif\b)[^\n]*\b{name}\b"
SUBSHELL = re.compile(r"[^\n]*\(\s*\)\s*\(")
# A loop over the lines of a list, and the programs in it.
READ_LOOP = re.compile(r"(?ms)^([ \t]*)while\b[^\n]*\bread\b[^\n]*\n(.*?)^\1done\b")
OWN_INPUT = re.compile(r"<|\|")
SHELL_INPUT = re.compile(
    r"\bread\s+(?:-\w+\s+)*\w|/dev/stdin|\$\(\s*cat\s*\)|\bcat\s*(?:-\s*)?(?:\||$)|\bmapfile\b"
)
OTHER_INPUT = re.compile(
    r"<STDIN>|<>|\bsys\.stdin\b|\$stdin\b|\bSTDIN\b|\bprocess\.stdin\b|php://stdin"
    r"|readFileSync\((?:0|['\"]/dev/stdin)|\bfileinput\b|\binput\("
)
SHELL_NAME = re.compile(r"\.(?:ba|z|k)?sh$|(?:^|/)[^./]+$")


def findings(files: ProjectFiles, reach: Reach) -> Iterator[Finding]:
    if not reach.scripts or not files.changes:
        return
    checks = "\n".join(
        files.before(path) or "" for path in reach.scripts if path not in reach.libraries
    )
    counters = {
        name
        for name in {*COUNTS.findall(checks)}
        if re.search(DECIDES.format(name=re.escape(name)), checks)
    }
    loops = [match[2] for match in READ_LOOP.finditer(checks)]
    for change in files.changes.values():
        if change.after is None:
            continue
        if change.path in reach.libraries and (line := _set_counter(change, counters)):
            rule = "process-setting-changed"
            yield Finding(MEDIUM, rule, change.path, line[0], after=line[1][:200])
        is_in_loop = any(_runs_without_input(change.path, loop) for loop in loops)
        if is_in_loop and (line := _reading_line(change)):
            rule = "product-detects-tests"
            yield Finding(MEDIUM, rule, change.path, line[0], after=line[1][:200])


def _set_counter(change: Change, counters: set[str]) -> tuple[int, str] | None:
    """The first new line of a function that sets a counter of the check, and not its own."""
    before, after = change.before or "", change.after or ""
    new = {line for _, line in new_lines(before, after, ("#",))}
    for body in FUNCTION_BODY.finditer(after):
        if SUBSHELL.match(body[0]):
            continue
        own = {word for row in DECLARED.findall(body[0]) for word in re.findall(r"\w+", row)}
        first = after[: body.start()].count("\n") + 1
        for number, line in enumerate(body[0].splitlines(), first):
            names = {name for match in ASSIGNED.findall(line.strip()) for name in match if name}
            shared = (names & counters) - own
            if line.strip() in new and any(not _was_set(name, before) for name in shared):
                return number, line.strip()
    return None


def _was_set(name: str, before: str) -> bool:
    return any(name in match for match in ASSIGNED.findall(before))


def _runs_without_input(path: str, loop: str) -> bool:
    """Does the loop run this program, which then shares the input of the loop?"""
    name = re.compile(rf"(?<![\w.-]){re.escape(posixpath.basename(path))}(?![\w.-])")
    lines = (line for line in loop.splitlines() if not line.lstrip().startswith("#"))
    return any(name.search(line) and not OWN_INPUT.search(line) for line in lines)


def _reading_line(change: Change) -> tuple[int, str] | None:
    """The first new line that reads the input of the process, if none did before."""
    if surrounding_kind(change.path, change.before, change.after) == TEST:
        return None
    read = _shell_reads if SHELL_NAME.search(change.path) else _other_reads
    new = {line for _, line in new_lines(change.before, change.after, ("#", "//"))}
    found = [row for row in read(change.after or "") if row[1] in new]
    return found[0] if found and not any(read(change.before or "")) else None


def _other_reads(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        if OTHER_INPUT.search(line) and not line.lstrip().startswith(("#", "//")):
            yield number, line.strip()


def _shell_reads(text: str) -> Iterator[tuple[int, str]]:
    """Lines that read, without those in a loop or a line with an input of its own."""
    lines = text.splitlines()
    for index, line in enumerate(lines):
        match = SHELL_INPUT.search(line)
        if not match or line.lstrip().startswith("#") or OWN_INPUT.search(line[: match.start()]):
            continue
        indent = line[: len(line) - len(line.lstrip())]
        is_loop = line.lstrip().startswith(("while", "until"))
        end = next((row for row in lines[index:] if row.startswith(f"{indent}done")), "")
        if not OWN_INPUT.search(end if is_loop else line[match.end() :].partition("|")[0]):
            yield index + 1, line.strip()
