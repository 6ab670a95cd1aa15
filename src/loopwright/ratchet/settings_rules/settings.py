"""Finds loosened settings of test runners, coverage, linters and type checkers.

Settings are in files and on command lines; setting_rules.py says which change of a key is worse.
"""

from __future__ import annotations

import posixpath
from fnmatch import fnmatchcase

from ... import lazy_re as re
from ...checks.settings_files import is_settings_file, tool_of_settings
from ...core.findings import LOW, MEDIUM, Finding
from ...formats.flat_settings import Settings, line_of, read
from ...repo.baseline import Change
from .setting_changes import WORSE, SettingChange
from .setting_rules import rule_for
from .unused_linters import soften_unused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..project import Project

KEY_SPELLINGS = {  # one name for a key, in whatever file it is
    r"^tool[.:]": "",
    r"^pytest\.ini_options": "pytest",
    r"^ruff\.lint\.": "ruff.",
    r"^coverage:": "coverage.",
    r"^mypy-.*\.": "mypy.overrides.",
    r"^eslintConfig\.": "eslint.",
    r"^[tj]s\.(?:compilerOptions\.)?": "ts.",
    r"^(?:testenv.*|tox)\.": "tox.",
    r"^vite(?:st)?\.test\.": "vitest.",
    r"^vite\.(?=resolve|plugins)": "vitest.",
}
TEST_NAME = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*(?:_test|[.-](?:test|spec))\.\w+)$")
PYTEST_LIST = re.compile(r"pytest\.(?:norecursedirs|testpaths|pythonpath|python_\w+)")
OPTION_WITH_VALUE = re.compile(  # the value is the next word
    r"-[kmnpoWctgre]|--override-ini|-run|-skip"
    r"|--(?:deselect|ignore\S*|test\w*Patterns?|(?:extend-)?exclude"
    r"|grep\S*"
    r"|filter|config|ext|select|reporter|rule|project|omit|junitxml|rootdir|tb|dist|cov-\w+"
    r"|disable\S*)"
)
LINT_RULES = ("rules-switched-off", "rules-switched-off-in-part", "tests-excluded", "rule-lowered")
QUOTED_WORD = re.compile(r"(?:'[^']*'|\"[^\"]*\"|[^\s'\"])+")


def find(project: Project) -> list[Finding]:
    """What was loosened in settings; less weighs what is about a linter that no check runs."""
    found = loosened_settings_of(list(project.changes.values()))
    return soften_unused(found, project, project.reach, LOW)


def loosened_settings_of(changes: Sequence[Change]) -> list[Finding]:
    """What was loosened in the settings files among the changes."""
    files = []
    for change in changes:
        if is_settings_file(change.path):
            old = _read_settings(change.path, change.before)
            new = _read_settings(change.path, change.after)
            files.append((change, old, new))
    found: list[Finding] = []
    for change, old, new in files:
        if old is not None and new is None:
            found.append(Finding(MEDIUM, "settings-unreadable", change.path))
        if old is None or new is None:
            continue
        moved: Settings = {}
        was: Settings = {}
        for other, before, after in files:
            if other is not change:
                moved |= _added_settings(before or {}, after or {})
                gone = _added_settings(after or {}, before or {})
                was |= _moved_settings(gone, new, _are_neighbours(other.path, change.path))
        was |= old
        for key, severity, rule in loosened_settings(was, new, moved, change.before is None):
            new_files = _new_files_named_by(key.added_words, changes)
            if rule == "coverage-excluded" and new_files:
                severity = MEDIUM
            if rule == "tests-excluded" and new_files and not any(map(TEST_NAME.search, new_files)):
                severity = LOW  # a new or moved folder that holds no tests
            if rule in LINT_RULES and _is_new_tool(key.tool, old, new):
                severity = LOW
            finding = Finding(
                severity=severity,
                rule=rule,
                file=change.path,
                line=_line_of_key(change.after or "", key) if key.name in new else 0,
                before=str(key.but(new=key.old)),
                after=str(key),
            )
            found.append(finding)
    return found


def _new_files_named_by(patterns: Sequence[str], changes: Sequence[Change]) -> list[str]:
    """The files that the patterns name, if each names some and only such that are new."""
    found: list[str] = []
    for pattern in patterns:
        place = pattern.strip("*/^$")
        named = [
            change
            for change in changes
            if fnmatchcase(f"/{change.path}", f"*/{place}")
            or fnmatchcase(f"/{change.path}", f"*/{place}/*")
        ]
        if not named or any(change.before is not None for change in named):
            return []
        found += [change.path for change in named]
    return found


def _is_new_tool(tool: str, old: Settings, new: Settings) -> bool:
    """Did the project ask nothing of the tool before, and does it ask for rules now?"""
    if any(name.startswith(f"{tool}.") for name in old):
        return False
    for name, words in new.items():
        if re.match(rf"{tool}\.(?:\S+\.)?(?:(?:extend-)?select|extends|strict)", name):
            return True
        if re.match(rf"{tool}\.(?:\S+\.)?rules\.", name) and {"error", "warn"} & {*words}:
            return True
    return False


def _are_neighbours(path: str, other: str) -> bool:
    return posixpath.dirname(path) == posixpath.dirname(other)


def _moved_settings(gone: Settings, new: Settings, are_neighbours: bool) -> Settings:
    """The settings that another file lost and that this one has now.

    Files of one folder serve one project: a setting that moved between them may have another
    value, and is judged where it was.
    """
    there = {key: words for key, words in gone.items() if key in new}
    return {key: new[key] for key, words in there.items() if are_neighbours or new[key] == words}


def _added_settings(before: Settings, after: Settings) -> Settings:
    return {key: words for key, words in after.items() if key not in before}


def _line_of_key(text: str, key: SettingChange) -> int:
    name = "addopts" if " " in key.name else key.name
    first_added = key.added_words[0] if key.added_words else ""
    return line_of(text, name, first_added)


def loosened_settings(
    old: Settings, new: Settings, moved: Settings, is_new_file: bool = False
) -> Iterator[tuple[SettingChange, str, str]]:
    """The keys that ask for less now, with severity and rule. `moved`: keys of other files."""
    for name in dict.fromkeys((*old, *new)):
        key = SettingChange(
            name=name,
            old=old.get(name, ()),
            new=new.get(name, moved.get(name, ())),
            old_settings=old,
            new_settings={**moved, **new},
            is_new_file=is_new_file,
            is_deleted_file=not new,
        )
        rule = rule_for(name) if key.old != key.new else None
        if rule is None:
            continue
        severity = rule.weakens(key)
        if severity:
            yield key, rule.severity if severity == WORSE else severity, rule.rule


def command_settings(words: Sequence[str]) -> Settings:
    """A command line as settings: its options with their values, and the places it is given."""
    values: dict[str, list[str]] = {}
    program, waiting = words[0], list(words[1:])
    while waiting:
        name, _, value = waiting.pop(0).partition("=")
        if not name.startswith("-"):
            name, value = "places", name
        elif not value and waiting and _is_value_of(name, waiting[0]):
            value = waiting.pop(0)
        values.setdefault(f"{program} {name}", []).append(value.strip("\"'") or "true")
    return {key: tuple(words) for key, words in values.items()}


def _is_value_of(option: str, word: str) -> bool:
    if word.isdigit():
        return True
    return bool(OPTION_WITH_VALUE.fullmatch(option)) and not word.startswith("-")


def _read_settings(path: str, text: str | None) -> Settings | None:
    """The settings under one name for each key, and pytest's `addopts` as options."""
    content = read(path, text) if text else {}
    if content is None:
        return None
    tool = tool_of_settings(path)
    settings: Settings = {}
    for key, words in content.items():
        key = f"{tool}.{key}" if tool else key
        for pattern, spelling in KEY_SPELLINGS.items():
            key = re.sub(pattern, spelling, key)
        if PYTEST_LIST.fullmatch(key):  # one string in a TOML file
            words = tuple(word for text in words for word in text.split())
        settings[key] = (*settings.get(key, ()), *words)
    options = QUOTED_WORD.findall(" ".join(settings.get("pytest.addopts", ())))
    return settings | command_settings(["pytest", *options])
