"""Finds new lines in files that builds and runners read, if they ask for less or load something.

One row for each kind of file: its name, the pattern of a line, the rule, a line with it, and a line
that looks like it and is everyday work. tests/ratchet/test_line_settings.py tries every row. Files
whose settings can be parsed are in settings.py.
"""

from __future__ import annotations

from typing import NamedTuple

from ... import lazy_re as re
from ...core.findings import MEDIUM, Finding
from ..project import new_lines
from .makefiles import ASSIGNS_RUNNER_VARIABLE, RUNNER_VARIABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..project import Project

FORGIVES, NARROWS, LOADS = "failures-forgiven", "tests-excluded", "runner-setting-changed"


class LineSetting(NamedTuple):
    files: str  # a pattern for the end of a path
    line: str
    rule: str
    example: str
    look_alike: str


ROWS = (
    LineSetting(
        r".*\.gradle(?:\.kts)?|gradle\.properties",
        r"\b(?:is)?[iI]gnoreFailures(?:\.set\(| *= *| +)true|\b(?:isE|e)nabled *= *false"
        r"|onlyIf *\{ *(?:false|!)|failOn\w+ *= *false|abortOnError *= *false|skipTests"
        r"|[wW]arningsAsErrors(?:\.set\(| *= *)false",
        FORGIVES,
        "ignoreFailures = true",
        "ignoreFailures = false",
    ),
    LineSetting(
        r".*\.gradle(?:\.kts)?",
        r"\b(?:exclude|include)(?:s|Tags|TestsMatching|Categories|Engines)\b|\bmaxRetries\b"
        r"|^exclude *[('\"]",
        NARROWS,
        "excludeTestsMatching 'shop.*'",
        "implementation(libs.a) { exclude(group: 'b') }",
    ),
    LineSetting(
        r"pom\.xml|.*\.pom|maven\.config|jvm\.config",
        r"<(?:skip\w*|maven\.test\.(?:skip\w*|failure\.ignore)|testFailureIgnore)>\s*true"
        r"|<(?:haltOnFailure|fail(?:s?On|IfNo)\w+)>\s*false|<phase>\s*none"
        r"|-Dmaven\.test\.(?:skip|failure\.ignore)|-DskipTests",
        FORGIVES,
        "<skipTests>true</skipTests>",
        "<skipTests>false</skipTests>",
    ),
    LineSetting(
        r"pom\.xml|.*\.pom",
        r"<exclude(?:dGroups|ClassNamePatterns|sFile)>|<groups>|<test>|<exclude>.*[tT]est",
        NARROWS,
        "<excludedGroups>slow</excludedGroups>",
        "<exclude>org.slf4j</exclude>",
    ),
    LineSetting(
        r"\.golangci\.ya?ml",
        r"issues-exit-code: *0|\btests: *false|disable-all: *true",
        FORGIVES,
        "issues-exit-code: 0",
        "issues-exit-code: 1",
    ),
    LineSetting(
        r"\.golangci\.ya?ml",
        r"exclude[\w-]*:|skip-(?:dirs|files):",
        NARROWS,
        "skip-dirs:",
        "enable:",
    ),
    LineSetting(
        r"phpunit(?:\.dist)?\.xml(?:\.dist)?|phpstan(?:\.dist)?\.neon(?:\.dist)?|psalm\.xml",
        r"(?:failOn\w+|beStrict\w+|requireCoverageMetadata)=\"false\"|<exclude>|excludePaths"
        r"|ignoreErrors|<ignoreFiles>|<group>",
        NARROWS,
        "<exclude>tests/Db</exclude>",
        "<directory>tests</directory>",
    ),
    LineSetting(
        r"\.rubocop(?:_todo)?\.yml",
        r"Enabled: *false|Exclude:|DisabledByDefault: *true",
        NARROWS,
        "Enabled: false",
        "Enabled: true",
    ),
    LineSetting(
        r"\.rspec",
        r"--(?:tag|exclude-pattern|pattern|example|only-failures|dry-run)",
        NARROWS,
        "--tag ~slow",
        "--color",
    ),
    LineSetting(
        r".*\.csproj|.*\.runsettings|Directory\.Build\.props",
        r"<(?:TreatWarningsAsErrors|IsTestProject|RunAnalyzers)>\s*false|<TestCaseFilter>",
        NARROWS,
        "<IsTestProject>false</IsTestProject>",
        "<IsTestProject>true</IsTestProject>",
    ),
    LineSetting(
        r"\.pre-commit-config\.yaml",
        r"--exit-zero|stages: *\[ *manual|- *manual\b|\|\| *true",
        FORGIVES,
        "stages: [manual]",
        "stages: [commit]",
    ),
    # Assertions are taken out of all that is built, tests included.
    LineSetting(
        r"CMakeLists\.txt|.*\.cmake|meson\.build|configure(?:\.ac|\.in)?|SConstruct"
        r"|BUILD(?:\.bazel)?",
        r"(?i)^(?!.*(?:release|minsize|relwith|bench)).*"
        r"(?:-D\s*NDEBUG\b|defin(?:e|es|itions)\W.*\bNDEBUG\b|\bb_ndebug\s*=\s*true)",
        "strictness-switched-off",
        "add_definitions(-DNDEBUG)",
        "set(CMAKE_C_FLAGS_RELEASE -DNDEBUG)",
    ),
    LineSetting(
        r"noxfile\.py",
        r"success_codes|external *= *True|\.skip\(",
        LOADS,
        "session.run('pytest', success_codes=[0, 1])",
        "session.run('pytest')",
    ),
    LineSetting(
        r"\.npmrc|\.yarnrc(?:\.yml)?",
        r"(?i)(?:script-?shell|if-present|ignore-scripts|node-options|shell-emulator)\b",
        LOADS,
        "script-shell=/bin/true",
        "save-exact=true",
    ),
    LineSetting(
        r"\.env(?:\.\w+)?|\.envrc",
        ASSIGNS_RUNNER_VARIABLE.pattern,
        LOADS,
        "PYTEST_ADDOPTS=-x",
        "NAME=shop",
    ),
    LineSetting(
        r"\.claude/settings(?:\.local)?\.json",
        rf"[\"']{RUNNER_VARIABLE}[\"'] *:",
        LOADS,
        '"PYTEST_ADDOPTS": "-x"',
        '"model": "a"',
    ),
    LineSetting(
        r"\.cargo/config(?:\.toml)?",
        r"(?:runner|rustc(?:-[\w-]+)?|rustflags|linker|rustdoc|path) *=",
        LOADS,
        'runner = "true"',
        "jobs = 2",
    ),
    LineSetting(r"rust-toolchain(?:\.toml)?", r"path *=", LOADS, "path = 'rust'", "channel = '1'"),
    LineSetting(
        r"go\.mod|go\.work", r"^replace\b|=> *\.", LOADS, "replace a => ./b", "require a v1.0.0"
    ),
    LineSetting(
        r"requirements[\w-]*\.txt|Pipfile",
        r"^(?:-e +)?(?:\./|file:|\.\./)",
        LOADS,
        "-e ./pytest",
        "pytest==8.0",
    ),
    LineSetting(r"\.testmondata", r"", LOADS, "SQLite", ""),
)


def is_line_settings(path: str) -> bool:
    return any(_is_read_by(row, path) for row in ROWS)


def find(project: Project) -> Iterator[Finding]:
    for change in project.changes.values():
        rows = [row for row in ROWS if _is_read_by(row, change.path)]
        if not rows or change.after is None:
            continue
        for number, line in new_lines(change.before, change.after, ("#", "//", "<!--")):
            row = next((row for row in rows if re.search(row.line, line)), None)
            if row is not None:
                yield Finding(MEDIUM, row.rule, change.path, number, after=line[:200])


def _is_read_by(row: LineSetting, path: str) -> bool:
    parts = 2 if "/" in row.files else 1
    return bool(re.fullmatch(row.files, "/".join(path.split("/")[-parts:])))
