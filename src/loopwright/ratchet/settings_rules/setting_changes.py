"""Judges the change of one setting or command-line option: does it ask for less than before?"""

from __future__ import annotations

from fnmatch import fnmatchcase
from math import inf

from ... import lazy_re as re
from ...core.findings import LOW, MEDIUM
from ...core.record import Record
from ...formats.flat_settings import Settings

LEVELS = {  # of a lint rule, or of a type checker
    "off": 0,
    "0": 0,
    "none": 0,
    "false": 0,
    "warn": 1,
    "1": 1,
    "warning": 1,
    "basic": 1,
    "error": 2,
    "2": 2,
    "strict": 2,
    "allow": 0,
    "deny": 2,
    "forbid": 2,
}
FALSE_WORDS = ("false", "no", "off", "0", "", "none", "null")
# Folders without tests or code of the project, lines that no test can reach, rules about layout.
NOT_PROJECT_CODE = re.compile(
    r"node_modules|^(?!\W*tests?/)(?:.*[/*\\.^])?(?:vendor|third_party|dist|build|out|target"
    r"|coverage|venv|env|site-packages|git|tox|\w*cache\w*|next|nuxt|public|static|assets|docs?"
    r"|examples?|te?mp|test-results|playwright-report|generated|migrations|stories|min\.js|d\.ts)"
    r"(?:$|[/*\\.$])|\.config\.|_pb2|^!|TYPE_CHECKING|pragma|NotImplemented|abstractmethod|overload"
    r"|__main__|^\W*$|(?:if|assert) False|assert_never|__repr__|Protocol|^\.[a-z][\w-]*/?$"
    r"|^(?:E203|E501|W50[34]|COM8\d\d|ISC00[12]|W191|E11[147]|D2\d\d|Q00\d|S101)$"
)
TEST_PATH = re.compile(
    r"(?:^|[/*_.])(?:tests?|specs?|__tests__|__mocks__|conftest|fixtures?)(?:$|[/*_.])"
)
# Files that no test is meant to cover.
UNCOVERED_PATH = re.compile(rf"{TEST_PATH.pattern}|(?:^|[/*_.])bench(?:marks?)?(?:$|[/*_.])")
BROWSER_TEST_PATH = re.compile(r"e2e|playwright|cypress")  # another runner runs them
TEST_RUNNERS = r"(?:pytest|unittest|jest|vitest|mocha|playwright test|go test|cargo test)"
COVERAGE_TOOLS = ("coverage", "nyc", "codecov", "ts")
HARMLESS_WARNING_FILTERS = ("ignore", "default", "once")  # the others make tests fail
PATTERN_SIGNS = "{($"
# Values of runner options that load nothing of the project.
HARMLESS_RUNNER_VALUE = re.compile(
    r"default|verbose|dot|json|junit|tap|html|lcov|text|jsdom|node|happy-dom|edge-runtime|false"
    r"|(?:jest|vitest|ts|babel|@swc|@testing-library|@vitejs|@types|@jest)[\w/@-]*"
    r"|src|\.|\./src|log_\w+=.*"
    r"|(?:<rootDir>|\.)/(?:src|app|lib|packages)/.*\$\d.*|identity-obj-proxy"
    r"|.*__mocks__/(?:file|style)s?Mock\.\w+|xdist|no:cacheprovider|pytest_cov"
    r"|(?:react|vue|svelte|tsconfigPaths|preact)\b.*"
)
PYTEST_DEFAULTS = {  # what is a test if the settings do not say it
    "pytest.python_files": re.compile(r"(?:\*|\*\*/)?(?:tests?_?\*?|\*)\.py|test_\*\.py"),
    "pytest.python_functions": re.compile(r"test_?\*?"),
    "pytest.python_classes": re.compile(r"Test\*?|\*"),
}
NOT_IN_STRICT = re.compile(  # options that `strict` does not switch on
    r"^ts\.(?:noUn|noFall|noImplicit(?:Returns|Override)|exact)"
    r"|^mypy\..*(?:unreachable|_any_(?!generics))"
)
DEFAULT_OF_MYPY = re.compile(r"^mypy\..*(?:strict_optional|warn_no_return)$")  # on unless set
VERSION = re.compile(r"[\d.]+")
RUFF_DEFAULT = ("E", "F")  # without `select`; of E it leaves out what a formatter does
# Families of rules about layout, which a formatter settles.
LAYOUT_RULES = ("Q", "COM", "ISC", "E501")
MAX_NUMBERS = 100
WORSE = "worse"  # as severe as the table says


class SettingChange(Record):
    """One key: its old and new words, and the other settings of the file before and after."""

    name: str
    old: tuple[str, ...]
    new: tuple[str, ...]
    old_settings: Settings
    new_settings: Settings
    is_new_file: bool = False
    is_deleted_file: bool = False

    @property
    def added_words(self) -> list[str]:
        known = (*self.old, *self.old_settings.get(self.sibling, ()))
        return [word for word in self.new if word not in known]

    @property
    def sibling(self) -> str:
        """The key that says the same beside it: `flake8.extend-exclude` and `flake8.exclude`."""
        tool, dot, key = self.name.rpartition(".")
        if key.startswith("extend-"):
            return f"{tool}{dot}{key.removeprefix('extend-')}"
        return f"{tool}{dot}extend-{key}"

    @property
    def tool(self) -> str:
        return re.split(r"\W", self.name)[0]

    def __str__(self) -> str:
        return f"{self.name} = {', '.join(self.new)}"[:200] if self.new else ""


# Each of these answers WORSE, a severity of its own, or "" where the change is harmless.


def lowers_floor(key: SettingChange) -> str:
    old, new = _numbers_in(key.old), _numbers_in(key.new)
    if not old:
        return ""
    if not new:
        return "" if key.new else WORSE
    return WORSE if min(new) < min(old) else ""


def raises_ceiling(key: SettingChange) -> str:
    old, new = _numbers_in(key.old), _numbers_in(key.new)
    if not old:
        return ""
    return WORSE if not new or max(new) > max(old) else ""


def raises_timeout(key: SettingChange) -> str:
    old, new = _numbers_in(key.old), _numbers_in(key.new)
    if not new or key.is_new_file:
        return ""
    # The first time-out of a project raises nothing; the first retry does.
    default = 0 if re.search("retr|rerun", key.name) else inf
    return WORSE if max(new) > max(old, default=default) else ""


def loses_strictness(key: SettingChange) -> str:
    strict_key = f"{key.tool} --strict" if " " in key.name else f"{key.tool}.strict"
    strict_words = key.new_settings.get(strict_key, ())
    is_implied = key.name != strict_key and _count_true(strict_words) > 0
    is_implied = is_implied and not NOT_IN_STRICT.search(key.name)
    if not key.new and (is_implied or "ts.extends" in key.new_settings):
        return ""
    if not key.new and DEFAULT_OF_MYPY.search(key.name):
        return ""
    if _count_true(key.old) > _count_true(key.new):
        return WORSE
    opts_out = is_implied and not key.old and not _count_true(key.new)
    # `strict` is new, and a part of the project is not asked for more than before.
    is_first = not _count_true(key.old_settings.get(strict_key, ()))
    return WORSE if opts_out and not is_first else ""


def switches_off(key: SettingChange) -> str:
    """For what is on where the settings do not say it."""
    return WORSE if key.new and not _count_true(key.new) and key.old != key.new else ""


def comes_from_folder(key: SettingChange) -> str:
    """For packages: one that was there comes from a folder of the project now."""
    is_local = any(word.startswith(("file:", "link:", "portal:")) for word in key.added_words)
    return WORSE if key.old and is_local else ""


def forgives_failures(key: SettingChange) -> str:
    return WORSE if _count_true(key.new) > _count_true(key.old) else ""


def excludes_more(key: SettingChange) -> str:
    """For lists of what is excluded."""
    added = [word for word in key.added_words if not NOT_PROJECT_CODE.search(word)]
    if key.name.endswith("ignore"):
        added = _without_new_rules(key, added)
    if key.tool in COVERAGE_TOOLS or "overage" in key.name:
        added = [word for word in added if not UNCOVERED_PATH.search(word)]
    if not added:
        return ""
    if TEST_PATH.search(key.name):
        return LOW
    other_runner = key.tool != "pytest" and all(map(BROWSER_TEST_PATH.search, added))
    return LOW if other_runner else WORSE


def _without_new_rules(key: SettingChange, words: list[str]) -> list[str]:
    """Without the rules that were not asked for before: ignoring those takes nothing.

    Their family was not selected, or it was ignored as a whole.
    """
    selected: set[str] = set()
    for name in ("ruff.select", "ruff.extend-select"):
        selected.update(key.new_settings.get(name, ()))
    new_families = tuple(selected - set(key.old_settings.get("ruff.select", ())))
    return [word for word in words if not word.startswith((*new_families, *key.old))]


def includes_less(key: SettingChange) -> str:
    """For lists of what is included; an empty list includes everything."""
    if not key.old and re.fullmatch(r"jest\.test(?:Match|Regex)", key.name) and key.new:
        keeps_default = any("test." in word or "__tests__" in word for word in key.new)
        return "" if keeps_default else MEDIUM
    if not key.new or _has_pattern(key.new):
        return ""
    if not key.old and key.name in PYTEST_DEFAULTS:
        keeps_default = any(map(PYTEST_DEFAULTS[key.name].fullmatch, key.new))
        return "" if keeps_default else WORSE
    if not key.old:
        is_runner = re.match(TEST_RUNNERS, key.name)
        return WORSE if is_runner and not key.is_new_file and _all_below_top(key.new) else ""
    gone = [word for word in key.old if word[:1] != "!" and not _is_inside(word, key.new)]
    added_inside = all(_is_inside(word, key.old) for word in key.added_words)
    if gone and (len(key.new) < len(key.old) or added_inside):
        return WORSE
    return WORSE if any(map(_excludes_project_code, key.added_words)) else ""


def _has_pattern(words: tuple[str, ...]) -> bool:
    """Of two such patterns we cannot tell which includes more."""
    return any(sign in word for word in words for sign in PATTERN_SIGNS)


def _all_below_top(words: tuple[str, ...]) -> bool:
    """Does every word name one file or folder below the top folders?"""
    return all("/" in word.strip("./") and "*" not in word for word in words)


def _excludes_project_code(word: str) -> bool:
    if word[:1] != "!" or TEST_PATH.search(word):
        return False
    return not NOT_PROJECT_CODE.search(word[1:])


def drops_rules(key: SettingChange) -> str:
    """For lists of rules: new ones may come, old ones may not go."""
    asked = [word for word in key.old if not word.startswith(HARMLESS_WARNING_FILTERS)]
    selected = (*key.new, *key.new_settings.get(key.sibling, ()))
    if key.name == "ruff.select" and not key.new and selected:
        selected = (*selected, *RUFF_DEFAULT)
    gone = [word for word in asked if not _is_selected(word, selected)]
    if not gone:
        return ""
    if key.tool in ("ruff", "flake8") and all(word.startswith(LAYOUT_RULES) for word in gone):
        return LOW
    successors = (key.tool, "ruff.select")
    if key.is_deleted_file and any(name.startswith(successors) for name in key.new_settings):
        return ""  # the settings moved to another file, or to another linter
    if "extends" in key.name and len(key.new) >= len(key.old):
        return ""  # one shared configuration replaces another
    if "filterwarnings" not in key.name and len(key.added_words) > len(gone):
        return ""  # more families of rules came than went
    return WORSE


def _is_selected(rule: str, selected: tuple[str, ...]) -> bool:
    return "ALL" in selected or rule.startswith(selected)


def lowers_level(key: SettingChange) -> str:
    if _is_replaced_by_plugin_rule(key):
        return ""
    old = [LEVELS[word] for word in key.old if word in LEVELS]
    new = [LEVELS[word] for word in key.new if word in LEVELS]
    if not new:
        return MEDIUM if any(old) else ""
    if not old and max(new) > 0:
        return ""
    default = 0 if key.is_new_file else 1
    return WORSE if max(new) < max(old, default=default) else ""


def _is_replaced_by_plugin_rule(key: SettingChange) -> bool:
    """Does the rule of the same name for another language take over?"""
    ending = "/" + key.name.rpartition(".")[2]
    for name, words in key.new_settings.items():
        if name.endswith(ending) and "error" in words:
            return True
    return False


def _is_inside(word: str, places: tuple[str, ...]) -> bool:
    for place in places:
        if word == place or place.strip("./") == "":
            return True
        if "*" in place and fnmatchcase(word, place.replace("**/", "*")):
            return True
        if word.startswith((f"{place.rstrip('/')}/", f"{place}::")):
            return True
    return False


def _numbers_in(words: tuple[str, ...]) -> list[float]:
    text = " ".join(words).replace("_", "")
    text = re.sub(r"(\d+) \* 1000\b", r"\g<1>000", text)
    return [float(number) for number in re.findall(r"\d+(?:\.\d+)?", text)[:MAX_NUMBERS]]


def _count_true(words: tuple[str, ...]) -> int:
    return sum(word.casefold() not in FALSE_WORDS for word in words)


def loads_more(key: SettingChange) -> str:
    """For what a runner loads before the tests, and where it finds the product."""
    new = [word for word in key.added_words if not HARMLESS_RUNNER_VALUE.fullmatch(word)]
    old = {VERSION.sub("", word) for word in key.old}
    return WORSE if any(VERSION.sub("", word) not in old for word in new) else ""


def leads_elsewhere(key: SettingChange) -> str:
    """For names that lead to files: a new name is fine, another file is not.

    A name that led to one file may lead to others under conditions now.
    """
    above = [words for name, words in key.old_settings.items() if key.name.startswith(f"{name}.")]
    former = {*key.old, *(word for words in above for word in words)}
    return WORSE if former and {*key.new} - former else ""
