"""Finds product code that no longer takes part in a build, and so in no check of it.

A build constraint of Go, a condition of the preprocessor or a `cfg` of Rust around code that was
there leaves that code out. Conditions about systems and ways to build are everyday work.
"""

from __future__ import annotations

from typing import NamedTuple

from ... import lazy_re as re
from ...checks.surroundings import is_product_code
from ...core.findings import MEDIUM, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...repo.baseline import Change
    from ..project import Project


class Condition(NamedTuple):
    """How a language leaves code out, and which of these conditions are usual."""

    suffixes: tuple[str, ...]
    pattern: re.Pattern[str]
    usual: re.Pattern[str]


CONDITIONS = (
    Condition(
        (".go",),
        re.compile(r"//go:build (.+)|// \+build (.+)"),
        re.compile(
            r"\b(?:aix|android|darwin|freebsd|illumos|ios|js|linux|netbsd|openbsd|plan9|solaris"
            r"|wasip1|windows|unix|cgo|gc|386|amd64|arm\w*|mips\w*|ppc64\w*|riscv64|s390x"
            r"|go1\.\d+)\b"
        ),
    ),
    Condition(
        (".rs",),
        re.compile(r"#!?\[(?:cfg\((.*)\)|cfg_attr\((.*),\s*(?:cfg|path|ignore)\b.*\))\]"),
        re.compile(r"\b(?:test|unix|windows|debug_assertions|doc\w*|miri|target_\w+|panic)\b"),
    ),
    Condition(
        (".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".cs", ".swift", ".m"),
        re.compile(r"#\s*(?:if|ifdef|elif)\s+(.*)"),
        re.compile(
            r"\b(?:_\w+|[A-Z0-9]*(?:WIN(?:32|64)|DEBUG|RELEASE|LINUX|APPLE|UNIX|POSIX)\w*|NET\d?\w*"
            r"|(?:HAVE|CONFIG|USE|ENABLE|WITH|UNITY)_\w+|canImport|os|targetEnvironment)\b"
        ),
    ),
)


def find(project: Project) -> Iterator[Finding]:
    """The first such condition of each file of the product that was there before."""
    for change in project.changes.values():
        if change.before is None or change.after is None or not is_product_code(change):
            continue
        condition = next((c for c in CONDITIONS if change.path.endswith(c.suffixes)), None)
        number, line = _leaving_line(change, condition, project) if condition else (0, "")
        if line:
            yield Finding(MEDIUM, "code-left-out", change.path, number, after=line[:200])


def _leaving_line(change: Change, condition: Condition, files: Project) -> tuple[int, str]:
    """Number and text of the first new line that leaves existing code out; 0 and "" if none."""
    known = {line.strip() for line in (change.before or "").splitlines()}
    lines = [line.strip() for line in (change.after or "").splitlines()]
    for number, line in enumerate(lines, 1):
        match = condition.pattern.fullmatch(line) if line not in known else None
        if match is None or condition.usual.search(line):
            continue
        following = next((text for text in lines[number:] if text), "")
        if following in known and not _is_set(next(filter(None, match.groups()), ""), files):
            return number, line
    return 0, ""


def _is_set(condition: str, files: Project) -> bool:
    """Does a changed file, or a manifest of Rust, switch one of its names on?"""
    names = [name for name in re.findall(r"[A-Za-z_][\w-]*", condition) if name != "feature"]
    manifests = [path for path in files.paths if path.endswith("Cargo.toml")][:40]
    texts = [files.now(path) or "" for path in (*files.changes, *manifests)]
    switches = (
        re.compile(rf"#\s*define\s+{name}\b|default\s*=\s*\[[^\]]*\"{name}\"|-D\s*{name}\b")
        for name in names
    )
    return any(switch.search(text) for switch in switches for text in texts)
