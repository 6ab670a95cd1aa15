"""The ratchet: what made the work easier to prove since the start, from the files that changed.

A language is one file with `is_test` and `read`, named in LANGUAGES; what its files say is compared in one place for all.
"""

from __future__ import annotations

import re
import shlex

from ..core.findings import HIGH, LOW, MEDIUM, Finding
from ..repo.baseline import Change
from . import javascript, python, scripts, settings
from .compare import compare_suites
from .suite import Suite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    class Language(Protocol):
        def is_test(self, path: str) -> bool: ...
        def read(self, path: str, text: str) -> Suite | None: ...


LANGUAGES: tuple[Language, ...] = (python, javascript)
SOURCE_SUFFIXES = (
    ".py",
    ".pyi",
    ".js",
    ".jsx",
    ".mjs",
    ".cjs",
    ".ts",
    ".tsx",
    ".mts",
    ".cts",
    ".vue",
    ".svelte",
)
SILENCING_COMMENT = re.compile(
    r"#\s*(?:noqa|type:\s*ignore|pyright:\s*ignore|pylint:\s*disable|pragma:\s*no\s*cover|nosec)"
    r"|(?://|/\*)\s*(?:eslint-disable|@ts-ignore|@ts-expect-error|@ts-nocheck|istanbul ignore|c8 ignore|v8 ignore)"
)
FILES_READ_BY = {
    "make": ("Makefile", "makefile", "GNUmakefile"),
    "just": ("justfile", "Justfile"),
    "task": ("Taskfile.yml", "Taskfile.yaml"),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), ("package.json",)),
}


def is_relevant(path: str) -> bool:
    """Could a change of this file make something easier to prove?"""
    tests = any(language.is_test(path) for language in LANGUAGES)
    return (
        tests
        or settings.is_settings_file(path)
        or scripts.is_script_file(path)
        or path.endswith(SOURCE_SUFFIXES)
    )


def findings(changes: Sequence[Change], commands: Sequence[str | tuple[str, ...]]) -> list[Finding]:
    """What was weakened, the grave first. `commands` are those of the checks: what they name is their own wrapper."""
    found = [finding for language in LANGUAGES for finding in _test_findings(language, changes)]
    found += [
        *settings.findings(changes),
        *scripts.findings(changes, files_named_in(commands)),
        *_silenced_warnings(changes),
    ]
    order = (HIGH, MEDIUM, LOW)
    return sorted(
        dict.fromkeys(found),
        key=lambda finding: (order.index(finding.severity), finding.file, finding.line),
    )


def _test_findings(language: Language, changes: Sequence[Change]) -> list[Finding]:
    before: dict[str, Suite] = {}
    after: dict[str, Suite] = {}
    unread = []
    for change in changes:
        if not language.is_test(change.path):
            continue
        was = language.read(change.path, change.before) if change.before is not None else None
        now = language.read(change.path, change.after) if change.after is not None else None
        if was is not None and now is None and change.after is not None:
            unread.append(Finding(MEDIUM, "tests-unreadable", change.path))
            continue
        if was is not None:
            before[change.path] = was
        if now is not None:
            after[change.path] = now
    return [*compare_suites(before, after), *unread]


def files_named_in(commands: Sequence[str | tuple[str, ...]]) -> frozenset[str]:
    """Files that the commands of the checks name, or that the programs they call are known to read."""
    found: set[str] = set()
    for command in commands:
        words = command if isinstance(command, tuple) else _split_command(command)
        found |= {word.removeprefix("./") for word in words if "/" in word or "." in word}
        found |= {file for word in words for file in FILES_READ_BY.get(word, ())}
    return frozenset(found)


def _split_command(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()


def _silenced_warnings(changes: Sequence[Change]) -> list[Finding]:
    """Warnings of linters and type checkers that are told to be quiet where they were not before."""
    found = []
    for change in changes:
        if change.after is None or not change.path.endswith(SOURCE_SUFFIXES):
            continue
        known = set(map(str.strip, (change.before or "").splitlines()))
        lines = enumerate(change.after.splitlines(), 1)
        new = [
            (number, line.strip())
            for number, line in lines
            if SILENCING_COMMENT.search(line) and line.strip() not in known
        ]
        found += [
            Finding(LOW, "warning-silenced", change.path, number, "", line[:200])
            for number, line in new[:5]
        ]
    return found
