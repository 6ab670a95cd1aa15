"""Finds new comments, pragmas and attributes that keep a linter, a type checker, a compiler or
coverage from reporting something.
"""

from __future__ import annotations

from ... import lazy_re as re
from ...checks.code_files import CODE_SUFFIXES
from ...core.findings import LOW, MEDIUM, Finding
from ...repo.baseline import Change
from ..project import new_lines
from ..readers import languages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..project import Project

WHOLE_FILE = re.compile(
    # Python
    r"^#\s*(?:(?:ruff|flake8):\s*noqa\s*$|mypy:\s*(?:ignore-errors|disable-error-code|allow-)"
    r"|pylint:\s*(?:skip-file|disable-all)|pyright:\s*(?:basic|ignore-errors|false)"
    r"|type:\s*ignore\s*$)"
    # JavaScript and TypeScript
    r"|^(?://|/\*+)\s*(?:@ts-nocheck|eslint-disable\s*(?:\*/|$)|istanbul ignore file"
    r"|[cv]8 ignore (?:file|start)|biome-ignore-all|oxlint-disable\s*(?:\*/|$)"
    r"|tslint:disable\s*(?:\*/|$)|jshint ignore:\s*start|stylelint-disable\s*(?:\*/|$)"
    r"|deno-lint-ignore-file)"
    # C and C++
    r"|^#\s*pragma\s+(?:GCC|clang)\s+system_header|^//\s*NOLINTBEGIN\s*$"
    # other languages
    r"|^#!\[(?:allow|expect)\(|^//nolint(?::all)?\s*$|^@file:Suppress|^#\s*rubocop:disable\s+all"
    r"|^#pragma warning disable\s*$|^//\s*phpcs:ignoreFile|^//\s*@phpstan-ignore-file"
    r"|^//\s*swiftlint:disable\s+all|^//\s*lint:file-ignore\b|^<!--\s*markdownlint-disable-file\b"
    r"|^#\s*yamllint disable\s*$|^#\s*shellcheck\s+disable=all\b"
)
# Rules that are named. In a test file, that takes nothing away from the tests.
NAMED_RULES = re.compile(
    r"#!\[allow\((?!.*\b(?:warnings|all|unused|unreachable_code)\b)|@file:Suppress\((?!.*\ball\b)"
)
SILENCING_COMMENT = re.compile(
    # Python, YAML, shell, Perl
    r"#\s*(?:noqa|type:\s*ignore|pyright:\s*(?:ignore|basic)|pylint:\s*(?:disable|skip-file)|nosec"
    r"|pragma:\s*no\s*(?:cover|branch)|(?:ruff|flake8):\s*noqa|mypy:\s*(?:ignore|disable|allow)"
    r"|(?:ty|pyre|pyrefly):\s*ignore|pyre-(?:ignore|fixme)|pytype:\s*disable|nosemgrep"
    r"|fmt:\s*(?:off|skip)|isort:\s*(?:skip|off)|yapf:\s*disable|codespell:ignore|no\s+critic"
    r"|(?:rubocop|shellcheck|yamllint|standard|credo):? ?disable|hadolint ignore|:nocov:)"
    # JavaScript, TypeScript and style sheets
    r"|(?://|/\*|\{/\*)\s*(?:eslint-disable|@ts-ignore|@ts-expect-error|@ts-nocheck"
    r"|istanbul ignore|c8 ignore|v8 ignore|biome-ignore|oxlint-disable|tslint:disable"
    r"|deno-lint-ignore|stylelint-disable|prettier-ignore|jshint ignore)"
    # compiled languages
    r"|@SuppressWarnings\b|@SuppressFBWarnings\b|@Suppress\(|^\s*#!?\[(?:allow|expect)\("
    r"|//\s*(?:nolint|NOLINT|noinspection|NOSONAR|swiftlint:disable|ktlint-disable|lint:ignore"
    r"|revive:disable|ReSharper disable|CHECKSTYLE[: ]OFF|cppcheck-suppress|#nosec)"
    r"|#\s*pragma warning ?(?:disable|\(\s*(?:disable|suppress))"
    r"|#\s*pragma\s+(?:GCC|clang)\s+(?:diagnostic\s+ignored|system_header)"
    r"|_Pragma\(\s*\"(?:GCC|clang)\s+diagnostic\s+ignored|\[SuppressMessage\("
    # PHP, Perl and documents
    r"|@(?:phpstan-ignore|psalm-suppress|codingStandardsIgnore)|phpcs:(?:ignore|disable)"
    r"|^\s*no warnings\b|<!--\s*(?:markdownlint|vale)[ -]?(?:disable|off)"
)
# Code that a linter or a type checker cannot look into.
HIDDEN_CODE = re.compile(
    r"\bno_type_check\b|\bcast\(|(?:->|:)\s*(?:typing\.)?Any\b|\b(?:eval|exec)\(|\bas any\b|: any\b"
    r"|^\w+ *= *lambda\b|^\s*def \w+\([^)]*\)[^:]*: *[^\s#]"
)
STATIC_TOOL = re.compile(
    r"(?:^|[/ ])(?:mypy|dmypy|(?:based)?pyright|pytype|(?:vue-)?tsc|ruff|flake8|pylint|eslint|biome"
    r"|oxlint|svelte-check|coverage|nyc|c8|bandit|javac|kotlinc|golangci-lint|staticcheck|rubocop"
    r"|phpstan|psalm|phpcs|checkstyle|detekt|ktlint|shellcheck|clang-tidy|cppcheck|swiftlint"
    r"|stylelint|tslint|markdownlint(?:-cli2)?|yamllint|hadolint|luacheck|perlcritic)$"
    # a program of the project's own
    r"|(?:^|[/_-])(?:check[_-]?types?|type[_-]?check\w*)(?:\.\w+)?$"
)
# Programs that compile and test as well: their words say that warnings are what fails.
WARNINGS_FAIL = re.compile(
    r"\bclippy\b|-D ?warnings\b|-Werror\b|\bgo vet\b|-warnaserror|\bdotnet format\b"
    r"|\bdeno lint\b|\bperl (?:-\S+ )*-[wc]+\b"
)
# A C compiler is behind every check of such a file, whatever variable of make names it.
COMPILED_WITH_WARNINGS = (".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".m", ".mm")
LINTED_TEXTS = (".md", ".yml", ".yaml", ".css", ".scss", ".less", ".vue", ".svelte")
MAX_SILENCED = 5  # warnings that are reported for one file
MAX_QUOTED = 200


def find(project: Project) -> Iterator[Finding]:
    """New comments that silence a warning. `red` is what the checks reach that failed at the start.

    If a tool that warns failed at the start, silencing it takes the place of the work.
    """
    yield from _whole_file_findings(project.changes.values())
    red = project.red_reach
    looks_at_code = any(STATIC_TOOL.search(program) for program in (*red.programs, *red.files))
    warnings_fail = looks_at_code or any(map(WARNINGS_FAIL.search, red.lines))
    for change in project.changes.values():
        is_linted = change.path.endswith((*CODE_SUFFIXES, *LINTED_TEXTS))
        if change.after is None or not (is_linted or change.path in red.linted):
            continue
        is_compiled = bool(red.programs) and change.path.endswith(COMPILED_WITH_WARNINGS)
        severity = MEDIUM if warnings_fail or is_compiled else LOW
        for number, line in _new_silencing_lines(change, looks_at_code)[:MAX_SILENCED]:
            after = line[:MAX_QUOTED]
            yield Finding(severity, "warning-silenced", change.path, number, after=after)


def _whole_file_findings(changes: Iterable[Change]) -> Iterator[Finding]:
    """The first comment of each file that was there before, if it silences a tool for all of it."""
    for change in changes:
        if change.before is None or change.after is None:
            continue
        for number, line in new_lines(change.before, change.after, ()):
            if WHOLE_FILE.match(line):
                is_minor = NAMED_RULES.match(line) and languages.is_test(change.path)
                severity = LOW if is_minor else MEDIUM
                yield Finding(severity, "warning-silenced", change.path, number, after=line[:200])
                break


def _new_silencing_lines(change: Change, looks_at_code: bool) -> list[tuple[int, str]]:
    old_lines = set(map(str.strip, (change.before or "").splitlines()))
    new = []
    for number, text in enumerate((change.after or "").splitlines(), 1):
        line = text.strip()
        is_hidden = looks_at_code and HIDDEN_CODE.search(text)
        if (is_hidden or SILENCING_COMMENT.search(text)) and line not in old_lines:
            new.append((number, line))
    return new
