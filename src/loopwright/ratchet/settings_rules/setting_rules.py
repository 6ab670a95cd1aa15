"""The rules for settings and command-line options: which change of which key asks for less."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ... import lazy_re as re
from ...core.findings import HIGH, MEDIUM
from .setting_changes import (
    TEST_RUNNERS,
    SettingChange,
    comes_from_folder,
    drops_rules,
    excludes_more,
    forgives_failures,
    includes_less,
    leads_elsewhere,
    loads_more,
    loses_strictness,
    lowers_floor,
    lowers_level,
    raises_ceiling,
    raises_timeout,
    switches_off,
)


class SettingRule(NamedTuple):
    weakens: Callable[[SettingChange], str]
    severity: str
    rule: str  # its id
    keys: re.Pattern[str]  # keys of files (`mypy.strict`) and options of programs (`pytest -k`)


def _keys(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns))


RULES = (  # the first whose keys match counts
    SettingRule(
        lowers_floor,
        HIGH,
        "coverage-floor-lowered",
        _keys(
            r".* --(?:cov-)?fail-under",
            r".*\.fail[_-]under",
            r"codecov\..*target",
            r"(?:jest|vitest|nyc|c8)\b.*\W(?:lines|branches|functions|statements)",
        ),
    ),
    SettingRule(
        raises_ceiling,
        HIGH,
        "threshold-loosened",
        _keys(
            r".*\Wmax-(?:warnings|complexity|branches|args)",
            r"codecov\..*threshold",
            r".*\.maxDiff\w*",
            r"eslint\.(?:\S+\.)?rules\.(?:complexity|max-[\w-]+)",
        ),
    ),
    SettingRule(
        raises_timeout,
        MEDIUM,
        "timeout-raised",
        _keys(
            r"(?:jest|vitest|playwright|mocha|cypress|pytest)\b(?!.*(?:webServer|faulthandler))"
            r".*(?:[tT]imeout\w*|retry|retries|reruns)"
        ),
    ),
    SettingRule(
        loses_strictness,
        HIGH,
        "strictness-switched-off",
        _keys(
            r"mypy\.(?:overrides\.)?(?:strict\w*|disallow_\w+|warn_\w+|check_untyped_defs"
            r"|no_implicit_\w+)",
            r"ts\.(?:strict\w*|no(?:Implicit|Unused|Unchecked|Fallthrough)\w+|exact\w+"
            r"|useUnknown\w+)",
            r"pytest\.(?:xfail_strict|strict\w*)",
            r"(?:playwright|mocha)\.forbid-?[oO]nly",
            r"c8\W+check-?[cC]overage",
            r"nyc\W+check-?[cC]overage",
            r"coverage\.run\.branch",
            r".* (?:--(?:strict|disallow|warn|fail-on)[\w-]*|--check|--list-different"
            r"|--forbid-?[oO]nly|-race|--check-coverage)",
        ),
    ),
    SettingRule(
        forgives_failures,
        HIGH,
        "failures-forgiven",
        _keys(
            r"(?:jest|vitest)\.(?:passWithNoTests|dangerouslyIgnore\w+)",
            r"tox\.ignore_(?:outcome|errors)",
            r"vitest\.allowOnly",
            r"ruff\.exit-zero",
            r"codecov\..*informational",
            r"node --test-(?:only|update-snapshots)",
            r"tsc --(?:noCheck|allowUnreach\w+)",
            r"ts\.(?:noCheck|allowUnreach\w+)",
            r"mypy\.(?:overrides\.)?(?:ignore_errors|allow_\w+|implicit_\w+)",
            r"next\..*ignore(?:BuildErrors|DuringBuilds)",
            r".* (?:--pass-?[wW]ith-?[nN]o-?[tT]ests|--exit-zero|--lf|--last-failed|--co"
            r"|--collect-only|--no-cov|--only-?[cC]hanged|--changed-?[sS]ince|--list-?[tT]ests"
            r"|--dry-run|--update-?[sS]napshots?|--no-run|-fn|-DskipTests"
            r"|--setup-(?:plan|only)|--markers|--fixtures|--help|--version|--ignore-errors|-short"
            r"|--errors-only|--no-config-lookup|--no-eslintrc|--noconftest)",
            r"(?:jest|vitest|playwright test) -u",
            r"eslint --quiet",
        ),
    ),
    SettingRule(  # it is about packages of others
        forgives_failures,
        MEDIUM,
        "failures-forgiven",
        _keys(r"mypy\.ignore_missing_imports", r"mypy --ignore-missing-imports"),
    ),
    SettingRule(
        excludes_more,
        HIGH,
        "tests-excluded",
        _keys(
            r"pytest\.(?:norecursedirs|collect_ignore\w*)",
            r"jest\.(?:test|module)PathIgnorePatterns",
            r"mocha\.(?:ignore|exclude)",
            r"(?:playwright|cypress)\..*(?:testIgnore|excludeSpecPattern)",
            r"vitest\.exclude",
            r"go test -skip",
            r"node --test-(?:name|skip)-pattern",
            r"pytest --ignore",
            r".* --(?:deselect|ignore-glob|ignore-pattern|testPathIgnorePatterns"
            r"|(?:extend-)?exclude|skip|grep-invert)",
            r"(?:pytest|unittest) -[km]",
            r"(?:jest|vitest) -t",
            r"(?:mocha|playwright test) -g",
            r"go test -run",
            r"(?:playwright|mocha)\.grep\w*",
            rf"{TEST_RUNNERS} --(?:test-?[nN]ame-?[pP]attern|testPathPatterns?|grep|fgrep|filter)",
        ),
    ),
    SettingRule(  # files that a linter does not look at
        excludes_more,
        MEDIUM,
        "tests-excluded",
        _keys(
            r"(?:ruff|flake8|mypy|pyright|ts)\.(?:extend-)?exclude",
            r"pyright\.ignore",
            r"eslint\.(?:ignorePatterns|ignores)",
        ),
    ),
    SettingRule(
        excludes_more,
        HIGH,
        "coverage-excluded",
        _keys(
            r"coverage\.(?:run|report)\.(?:omit|exclude_\w+|partial_branches)",
            r"(?:vitest\.coverage|nyc)\.exclude",
            r"codecov\.ignore",
            r"jest\.coveragePathIgnorePatterns",
            r"coverage \w+ --omit",
        ),
    ),
    SettingRule(
        excludes_more,
        MEDIUM,
        "rules-switched-off",
        _keys(
            r"(?:ruff|flake8)\.(?:extend-)?ignore",
            r"(?:ruff check|flake8) --(?:extend-)?ignore",
            r"mypy\W+disable[_-]error[_-]code",
            r"mypy\.(?:overrides\.)?follow_imports",
            r"pylint\..*disable",
            r"eslint --rule",
        ),
    ),
    SettingRule(
        excludes_more,
        MEDIUM,
        "rules-switched-off-in-part",
        _keys(r"(?:ruff|flake8)\.(?:extend-)?per-file-ignores.*"),
    ),
    SettingRule(
        includes_less,
        HIGH,
        "fewer-files-included",
        _keys(
            r"pytest\.(?:testpaths|python_\w+)",
            r"jest\.(?:testMatch|testRegex|roots|collectCoverageFrom)",
            r"vitest\.(?:coverage\.)?include",
            r"mocha\.(?:spec|extension)",
            r"playwright\.(?:testDir|testMatch|projects\.name)",
            r"cypress\..*specPattern",
            r"nyc\.include",
            r"coverage\.(?:run|report)\.(?:source|source_pkgs|include)",
            r"mypy\.(?:files|packages)",
            r"(?:pyright|ts)\.include",
            r".* places",
        ),
    ),
    SettingRule(  # a list of folders may become a pattern
        includes_less,
        MEDIUM,
        "fewer-files-included",
        _keys(
            r"(?:jest|vitest)\.projects",
            r"workspaces(?:\.packages)?",
            r"(?:pnpm-workspace|lerna)\.packages",
            r"deno\.workspace",
            r"(?:Cargo|uv)\.workspace\.(?:default-)?members",
        ),
    ),
    SettingRule(
        excludes_more,
        MEDIUM,
        "fewer-files-included",
        _keys(r"(?:Cargo|uv)\.workspace\.exclude", r"lerna\.ignore"),
    ),
    SettingRule(
        switches_off,
        MEDIUM,
        "tests-excluded",
        _keys(
            r"Cargo\.(?:lib|bin|test|package)\.(?:test|harness|doctest|autotests)",
        ),
    ),
    SettingRule(loads_more, MEDIUM, "tests-excluded", _keys(r"Cargo\.test\.required-features")),
    SettingRule(
        switches_off,
        MEDIUM,
        "strictness-switched-off",
        _keys(r"Cargo\.profile\.(?:dev|test)\.(?:overflow-checks|debug-assertions)"),
    ),
    SettingRule(
        comes_from_folder,
        MEDIUM,
        "runner-setting-changed",
        _keys(r"(?:dev|peer|optional)?[dD]ependencies\..*"),
    ),
    SettingRule(
        drops_rules,
        MEDIUM,
        "rules-dropped",
        _keys(
            r"(?:ruff|flake8)\.(?:extend-)?select",
            r"mypy\.enable_error_code",
            r"eslint\.(?:extends|configs)",
            r"pytest\.filterwarnings",
        ),
    ),
    SettingRule(
        loads_more,
        MEDIUM,
        "runner-setting-changed",
        _keys(
            r"pytest\.(?:pythonpath|cache_dir)",
            r"pytest (?:-p|-o|--override-ini|--import-mode|--rootdir|-c|--confcutdir)",
            r"(?:jest|vitest)\.(?:projects\.|test\.)*(?:setup\w*|globalSetup|resolver"
            r"|globalTeardown"
            r"|runner|testRunner|testEnvironment|environment|reporters?|automock|preset"
            r"|modulePaths|moduleDirectories|roots|snapshotResolver|testNamePattern|workspace"
            r"|moduleNameMapper\..*|transform\..*|alias.*|dependencyExtractor|testMatch|testRegex)",
            r"vitest\.(?:resolve\.alias.*|plugins.*|test\.alias.*)",
            r"mocha\.(?:require|file|import)",
            r"(?:node|mocha|ava|jest|vitest|vitest run) (?:--require|-r|--import|--loader"
            r"|--experimental-loader|--config|-c)",
            r"tox\.(?:setenv|set_env|allowlist_externals|install_command)",
            r"Cargo\.lib\.path",
        ),
    ),
    SettingRule(
        leads_elsewhere,
        MEDIUM,
        "runner-setting-changed",
        _keys(
            r"imports\..*",
            r"ts\.paths\..*",
            r"(?:Cargo|poetry)\.(?:\w+\.)?(?:dev-)?dependencies\.[^.]+\.path",
        ),
    ),
    SettingRule(
        lowers_level,
        MEDIUM,
        "rule-lowered",
        _keys(
            r"eslint\.(?:\S+\.)?rules\.[^.]+",
            r"Cargo\.(?:workspace\.)?lints\..*",
            r"pyright\.(?:report\w+|typeCheckingMode)",
        ),
    ),
)


def rule_for(name: str) -> SettingRule | None:
    return next((rule for rule in RULES if rule.keys.fullmatch(name)), None)
