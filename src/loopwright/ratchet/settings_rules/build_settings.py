"""Finds loosened settings in files that are read line by line: build tools and some runners.

For each kind of file: lines that ask for less, lines whose loss asks for less, and numbers that may
only grow or only shrink.
"""

from __future__ import annotations

import posixpath
from typing import NamedTuple

from ... import lazy_re as re
from ...core.findings import HIGH, MEDIUM, Finding
from ...repo.baseline import Change
from ..project import lost_lines, new_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..project import Project


class BuildFile(NamedTuple):
    name: re.Pattern[str]
    forgives: re.Pattern[str]  # new lines: failures do not count, or tests do not run
    narrows: re.Pattern[str]  # new lines: fewer tests or rules
    demands: re.Pattern[str]  # lost lines that asked for something
    floors: re.Pattern[str]  # a number after it may not shrink
    ceilings: re.Pattern[str]  # a number after it may not grow


NEVER = re.compile(r"(?!)")


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern) if pattern else NEVER


def _build_file(
    name: str,
    forgives: str = "",
    narrows: str = "",
    demands: str = "",
    floors: str = "",
    ceilings: str = "",
) -> BuildFile:
    return BuildFile(*map(_words, (name, forgives, narrows, demands, floors, ceilings)))


FILES = (
    _build_file(
        r".*\.gradle(?:\.kts)?",
        forgives=r"\b(?:is)?[iI]gnoreFailures(?:\.set\(| *= *| +)true|\b(?:isE|e)nabled *= *false"
        r"|onlyIf *\{ *(?:false|!)|failOnNo\w+ *= *false|failOnViolation *= *false"
        r"|allWarningsAsErrors(?:\.set\(| *= *)false|abortOnError *= *false"
        r"|warningsAsErrors *= *false",
        narrows=r"\bexclude\b *[('\"]|exclude(?:s|Tags|TestsMatching|Categories|Engines)\b"
        r"|include(?:s|Tags|TestsMatching|Categories)\b|maxRetries|\bsetIncludes\b",
        demands=r"dependsOn.*(?:[vV]erification|[tT]est|[lL]int|detekt|checkstyle|spotless)"
        r"|useJUnitPlatform|useTestNG|-Werror",
        floors=r"minimum",
        ceilings=r"maxRetries|maxFailures|maxWarnings|maxErrors|maxHeap(?!)",
    ),
    _build_file(
        r"pom\.xml|.*\.pom|maven\.config|gradle\.properties|jvm\.config",
        forgives=r"<(?:skip\w*|maven\.test\.(?:skip\w*|failure\.ignore)|testFailureIgnore)>\s*true"
        r"|<(?:haltOnFailure|failsOnError|failOnViolation|failOnError|failIfNoTests"
        r"|failIfNoSpecifiedTests|failOnWarning)>\s*false|-Dmaven\.test\.(?:skip|failure\.ignore)"
        r"|-DskipTests|<phase>\s*none",
        narrows=r"<exclude(?:s|dGroups|ClassNamePatterns)?>|<groups>|<test>|<includes?>"
        r"|<excludesFile>",
        demands=r"<goal>(?:check|verify|integration-test|test)<|<artifactId>(?:maven-(?:surefire"
        r"|failsafe|checkstyle|pmd|enforcer)|jacoco-maven|spotbugs-maven)-plugin<",
        floors=r"<minimum>",
        ceilings=r"<rerunFailingTestsCount>|<maxAllowedViolations>",
    ),
    _build_file(
        r"Cargo\.toml|clippy\.toml|\.clippy\.toml|nextest\.toml",
        forgives=r"\bautotests *= *false",
        narrows=r"required-features *=|default-filter *=|= *['\"]allow['\"]|level *= *\"allow\"",
        demands=r"\[\[test\]\]|= *['\"](?:deny|forbid)['\"]|level *= *\"(?:deny|forbid)\"",
        ceilings=r"retries *=|[\w-]+-threshold *=|terminate-after *=",
    ),
    _build_file(
        r"\.golangci\.ya?ml",
        forgives=r"issues-exit-code: *0|\btests: *false|new: *true|disable-all: *true",
        narrows=r"exclude[\w-]*:|skip-(?:dirs|files):|disable:",
        demands=r"- *[a-z]+$|enable-all: *true",
        ceilings=r"(?:max|min)[\w-]*:",
    ),
    _build_file(
        r"phpunit(?:\.dist)?\.xml(?:\.dist)?|phpstan(?:\.dist)?\.neon(?:\.dist)?|psalm\.xml",
        forgives=r"(?:failOn\w+|beStrict\w+|requireCoverageMetadata)=\"false\""
        r"|stopOnDefect=\"false\"",
        narrows=r"<exclude>|excludePaths|ignoreErrors|<ignoreFiles>|<group>",
        demands=r"<directory|failOn\w+=\"true\"|beStrict\w+=\"true\"",
        floors=r"level:",
        ceilings=r"errorLevel=\"",
    ),
    _build_file(
        r"\.rubocop(?:_todo)?\.yml",
        narrows=r"Enabled: *false|Exclude:|DisabledByDefault: *true",
        demands=r"Enabled: *true|NewCops: *enable",
        ceilings=r"Max:",
    ),
    _build_file(
        r"\.rspec",
        narrows=r"--(?:tag|exclude-pattern|pattern|example|only-failures|dry-run)",
        demands=r"--fail-if-no-examples",
    ),
    _build_file(
        r"\.pre-commit-config\.yaml",
        forgives=r"--exit-zero|stages: *\[ *manual|- *manual\b|\|\| *true",
        narrows=r"exclude:|\bskip:",
    ),
    _build_file(
        r"Directory\.Build\.props|.*\.csproj|.*\.runsettings",
        forgives=r"<(?:TreatWarningsAsErrors|EnforceCodeStyleInBuild)>\s*false"
        r"|<(?:IsTestProject)>\s*false|<RunAnalyzers>\s*false",
        narrows=r"<NoWarn>|<TestCaseFilter>|<WarningsNotAsErrors>|<Exclude>",
        demands=r"<TreatWarningsAsErrors>\s*true|<Nullable>\s*enable",
        floors=r"<Threshold>",
    ),
)
# A limit that moves a little with each feature, as the size of a file: a person may decide.
LARGE, SMALL_SHARE = 20.0, 0.1
# A profile of cargo with which tests are built, and the checks that it can lose.
TEST_PROFILE = re.compile(r"\[profile\.(?:dev|test)\b")
PROFILE_CHECK = re.compile(r"(?:overflow-checks|debug-assertions)\s*=\s*false")
NUMBER = re.compile(r"\d+(?:\.\d+)?")


def is_build_file(path: str) -> bool:
    return _file_of(path) is not None


def find(project: Project) -> Iterator[Finding]:
    for change in project.changes.values():
        file = _file_of(change.path)
        if file and change.before is not None and change.after is not None:
            yield from _file_findings(change, file)


def _file_of(path: str) -> BuildFile | None:
    name = posixpath.basename(path)
    return next((file for file in FILES if file.name.fullmatch(name)), None)


def _file_findings(change: Change, file: BuildFile) -> Iterator[Finding]:
    new = new_lines(change.before, change.after, ("//", "<!--"))
    lost = lost_lines(change.before, change.after, ("//", "<!--"))
    for number, line in new:
        quoted = line[:200]
        if file.forgives.search(line):
            yield Finding(HIGH, "failures-forgiven", change.path, number, after=quoted)
        elif file.narrows.search(line) and not _was_narrowed(line, lost, file):
            yield Finding(MEDIUM, "tests-excluded", change.path, number, after=quoted)
        elif PROFILE_CHECK.match(line) and _is_in_test_profile(change.after or "", number):
            rule = "strictness-switched-off"
            yield Finding(MEDIUM, rule, change.path, number, after=quoted)
        yield from _number_findings(change, file, number, line, lost)
    kept = {_key(line) for _, line in new}
    for line in lost:
        if file.demands.search(line) and _key(line) not in kept:
            yield Finding(MEDIUM, "rules-dropped", change.path, before=line[:200])
            return


def _is_in_test_profile(text: str, number: int) -> bool:
    above = (line.strip() for line in reversed(text.splitlines()[:number]))
    header = next((line for line in above if line.startswith("[")), "")
    return bool(TEST_PROFILE.match(header))


def _was_narrowed(line: str, lost: list[str], file: BuildFile) -> bool:
    """Does the line only change, without another word, one that narrowed before?"""
    words = set(re.findall(r"\w+", line))
    return any(words <= set(re.findall(r"\w+", old)) for old in lost if file.narrows.search(old))


def _number_findings(
    change: Change, file: BuildFile, number: int, line: str, lost: list[str]
) -> Iterator[Finding]:
    """A floor that was lowered, or a ceiling that was raised."""
    for pattern, sign, rule in (
        (file.floors, -1, "coverage-floor-lowered"),
        (file.ceilings, 1, "threshold-loosened"),
    ):
        match = pattern.search(line)
        new = _number_after(line, match)
        if match is None or new is None:
            continue
        old = [
            value
            for text in lost
            if (value := _number_after(text, pattern.search(text))) is not None
            and _key(text) == _key(line)
        ]
        start = old[0] if old else (0.0 if sign > 0 and "etr" in line else None)
        if start is not None and (new - start) * sign > 0:
            before = f"{match[0]} {start:g}"
            is_small = start >= LARGE and abs(new - start) <= SMALL_SHARE * start
            severity = MEDIUM if is_small else HIGH
            yield Finding(severity, rule, change.path, number, before=before, after=line[:200])


def _number_after(line: str, match: re.Match[str] | None) -> float | None:
    number = NUMBER.search(line, match.end()) if match else None
    return float(number[0]) if number else None


def _key(line: str) -> str:
    """The line without its numbers and its layout."""
    return re.sub(r"[\d.\s]+", "", line)
