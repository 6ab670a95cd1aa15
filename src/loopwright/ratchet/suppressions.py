"""Finds new comments that switch off a linter, a type checker or coverage for a whole file."""

from __future__ import annotations

from .. import lazy_re as re
from ..core.findings import LOW, MEDIUM, Finding
from ..repo.baseline import Change
from . import languages
from .project_files import new_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WHOLE_FILE = re.compile(
    # Python
    r"^#\s*(?:(?:ruff|flake8):\s*noqa\s*$|mypy:\s*(?:ignore-errors|disable-error-code|allow-)"
    r"|pylint:\s*(?:skip-file|disable-all)|pyright:\s*(?:basic|ignore-errors|false)"
    r"|type:\s*ignore\s*$)"
    # JavaScript and TypeScript
    r"|^(?://|/\*+)\s*(?:@ts-nocheck|eslint-disable\s*(?:\*/|$)|istanbul ignore file"
    r"|[cv]8 ignore (?:file|start)|biome-ignore-all|oxlint-disable\s*(?:\*/|$)"
    r"|tslint:disable\s*(?:\*/|$)|jshint ignore:\s*start)"
    # other languages
    r"|^#!\[allow\(|^//nolint(?::all)?\s*$|^@file:Suppress|^#\s*rubocop:disable\s+all"
    r"|^#pragma warning disable\s*$|^//\s*phpcs:ignoreFile|^//\s*@phpstan-ignore-file"
)
# Rules that are named. In a test file, that takes nothing away from the tests.
NAMED_RULES = re.compile(
    r"#!\[allow\((?!.*\b(?:warnings|all|unused|unreachable_code)\b)|@file:Suppress\((?!.*\ball\b)"
)


def findings(changes: Sequence[Change]) -> Iterator[Finding]:
    """The first such comment of each file that was there before."""
    for change in changes:
        if change.before is None or change.after is None:
            continue
        for number, line in new_lines(change.before, change.after, ()):
            if WHOLE_FILE.match(line):
                is_minor = NAMED_RULES.match(line) and languages.is_test(change.path)
                severity = LOW if is_minor else MEDIUM
                yield Finding(severity, "warning-silenced", change.path, number, after=line[:200])
                break
