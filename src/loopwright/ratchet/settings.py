"""Settings of test runners, coverage, linters and type checkers, in files and on command lines: what of them was loosened."""

from __future__ import annotations

import posixpath
import re
from math import inf

from ..core.findings import HIGH, LOW, MEDIUM, Finding
from ..core.record import Record
from ..repo.baseline import Change
from .flat_settings import Settings, line_of, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SETTINGS_FILE = re.compile(  # the tool is the first word of the name, except where a file serves many
    r"\.?(ruff|coverage|pyright|jest|vitest|vite|playwright|cypress|mocha|nyc|ts|js|eslint|next)(?:rc|config|[\w.-]*\.config)"
    r"(?:\.[\w.]+)?|\.?(ruff|codecov)\.(?:toml|ya?ml)|pyproject\.toml|\.?pytest\.ini|setup\.cfg|tox\.ini|\.?mypy\.ini|\.flake8"
    r"|package\.json"
)
KEY_SPELLINGS = {  # one name for a key, wherever it is written
    r"^tool[.:]": "",
    r"^pytest\.ini_options": "pytest",
    r"^ruff\.lint\.": "ruff.",
    r"^coverage:": "coverage.",
    r"^mypy-.*\.": "mypy.overrides.",
    r"^eslintConfig\.": "eslint.",
    r"^[tj]s\.(?:compilerOptions\.)?": "ts.",
    r"^(?:testenv.*|tox)\.": "tox.",
    r"^vite(?:st)?\.test\.": "vitest.",
}
LEVELS = {
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
}
NOT_PROJECT_CODE = re.compile(  # folders without tests or code of the project; lines that no test can reach; rules about looks
    r"node_modules|^(?!\W*tests?/)(?:.*[/*\\.^])?(?:vendor|third_party|dist|build|out|target|coverage|venv|env|site-packages|git|tox"
    r"|\w*cache\w*|next|nuxt|public|static|assets|docs?|examples?|te?mp|test-results|playwright-report|generated|migrations|stories"
    r"|min\.js|d\.ts)(?:$|[/*\\.$])|\.config\.|_pb2|^!|TYPE_CHECKING|pragma|NotImplemented|abstractmethod|overload|__main__|^\W*$"
    r"|assert_never|__repr__|Protocol|^(?:E203|E501|W50[34]|COM8\d\d|ISC00[12]|W191|E11[147]|D2\d\d|Q00\d|S101)$"
)
TEST_PATH = re.compile(
    r"(?:^|[/*_.])(?:tests?|specs?|__tests__|__mocks__|conftest|fixtures?)(?:$|[/*_.])"
)
BROWSER_TEST_PATH = re.compile(r"e2e|playwright|cypress")  # another runner takes them
TEST_RUNNERS = r"(?:pytest|unittest|jest|vitest|mocha|playwright test|go test|cargo test)"
OPTION_WITH_VALUE = re.compile(  # options whose value is the next word
    r"-[kmnpoWctgre]|-run|-skip|--(?:deselect|ignore\S*|test\w*Patterns?|(?:extend-)?exclude|grep\S*|filter|config|ext|select"
    r"|reporter|rule|project|omit|junitxml|rootdir|tb|dist|cov-\w+|disable\S*)"
)
WORSE = "worse"  # as bad as the table says


class SettingChange(Record):
    """One key: what it said and says, and what the file said and says besides."""

    name: str
    old: tuple[str, ...]
    new: tuple[str, ...]
    old_settings: Settings
    new_settings: Settings
    is_new_file: bool = False  # the file was not there before
    is_deleted_file: bool = False  # the file is no more there

    @property
    def added_words(self) -> list[str]:
        return [word for word in self.new if word not in self.old]

    @property
    def tool(self) -> str:
        return re.split(r"\W", self.name)[0]

    def __str__(self) -> str:
        return f"{self.name} = {', '.join(self.new)}"[:200] if self.new else ""


def is_settings_file(path: str) -> bool:
    return bool(SETTINGS_FILE.fullmatch(posixpath.basename(path)))


def findings(changes: Sequence[Change]) -> list[Finding]:
    """What was loosened in the settings files among the changes."""
    files = [
        (one, _read_settings(one.path, one.before), _read_settings(one.path, one.after))
        for one in changes
        if is_settings_file(one.path)
    ]
    found: list[Finding] = []
    for change, was, now in files:
        if was is not None and now is None:
            found.append(Finding(MEDIUM, "settings-unreadable", change.path))
        if was is None or now is None:
            continue
        moved: Settings = {}
        for other, before, after in files:
            if other is not change:
                moved |= {
                    key: said for key, said in (after or {}).items() if key not in (before or {})
                }
        for key, severity, rule in loosened_settings(was, now, moved, change.before is None):
            name = key.name if " " not in key.name else "addopts"
            line = (
                line_of(change.after or "", name, (*key.added_words, "")[0])
                if key.name in now
                else 0
            )
            found.append(
                Finding(severity, rule, change.path, line, str(key.but(new=key.old)), str(key))
            )
    return found


def loosened_settings(
    was: Settings, now: Settings, moved: Settings, fresh: bool = False
) -> Iterator[tuple[SettingChange, str, str]]:
    """The keys that ask for less now, how bad that is, and in words. What moved to another file still stands."""
    for name in dict.fromkeys((*was, *now)):
        key = SettingChange(
            name,
            was.get(name, ()),
            now.get(name, moved.get(name, ())),
            was,
            {**moved, **now},
            fresh,
            not now,
        )
        rule = (
            next((rule for rule in COMPILED_RULES if rule[0].fullmatch(name)), None)
            if key.old != key.new
            else None
        )
        if rule and (worse := rule[1](key)):
            yield key, rule[2] if worse == WORSE else worse, rule[3]


def command_settings(words: Sequence[str]) -> Settings:
    """A command line as settings: its options and their values, and the places that it looks at."""
    found: dict[str, list[str]] = {}
    program, waiting = words[0], list(words[1:])
    while waiting:
        name, _, value = waiting.pop(0).partition("=")
        if not name.startswith("-"):
            name, value = "places", name
        elif (
            not value
            and waiting
            and (
                waiting[0].isdigit()
                or (OPTION_WITH_VALUE.fullmatch(name) and waiting[0][:1] != "-")
            )
        ):
            value = waiting.pop(0)
        found.setdefault(f"{program} {name}", []).append(value.strip("\"'") or "true")
    return {key: tuple(values) for key, values in found.items()}


def _read_settings(path: str, text: str | None) -> Settings | None:
    said = read(path, text) if text else {}
    if said is None:
        return None
    found: Settings = {}
    name = SETTINGS_FILE.fullmatch(posixpath.basename(path))
    tool = (name[1] or name[2]) if name else ""
    for key, words in said.items():
        key = f"{tool}.{key}" if tool else key  # by its one name
        for pattern, better in KEY_SPELLINGS.items():
            key = re.sub(pattern, better, key)
        found[key] = (*found.get(key, ()), *words)
    options = re.findall(
        r"(?:'[^']*'|\"[^\"]*\"|[^\s'\"])+", " ".join(found.get("pytest.addopts", ()))
    )
    return found | command_settings(["pytest", *options])


def _numbers_in(words: tuple[str, ...]) -> list[float]:
    said = re.sub(r"(\d+) \* 1000\b", r"\g<1>000", " ".join(words).replace("_", ""))
    return [float(one) for one in re.findall(r"\d+(?:\.\d+)?", said)[:100]]


def _count_true(words: tuple[str, ...]) -> int:
    return sum(
        word.casefold() not in ("false", "no", "off", "0", "", "none", "null") for word in words
    )


def lowers_floor(key: SettingChange) -> str:
    old, new = _numbers_in(key.old), _numbers_in(key.new)
    return WORSE if old and (min(new) < min(old) if new else not key.new) else ""


def raises_ceiling(key: SettingChange) -> str:
    old, new = _numbers_in(key.old), _numbers_in(key.new)
    return WORSE if old and (not new or max(new) > max(old)) else ""


def raises_timeout(key: SettingChange) -> str:
    old, new = _numbers_in(key.old), _numbers_in(key.new)
    least = max(
        old, default=0 if re.search("retr|rerun", key.name) else inf
    )  # a first time-out is none that was raised
    return WORSE if new and not key.is_new_file and max(new) > least else ""


def loses_strictness(key: SettingChange) -> str:
    whole = f"{key.tool}.strict"
    implied = bool(_count_true(key.new_settings.get(whole, ()))) and key.name != whole
    if not key.new and (implied or "ts.extends" in key.new_settings):
        return ""
    return (
        WORSE
        if _count_true(key.old) > _count_true(key.new)
        or (implied and not key.old and not _count_true(key.new))
        else ""
    )


def forgives_failures(key: SettingChange) -> str:
    return WORSE if _count_true(key.new) > _count_true(key.old) else ""


def excludes_more(key: SettingChange) -> str:
    """A list of what is left out."""
    gained = [word for word in key.added_words if not NOT_PROJECT_CODE.search(word)]
    if key.name.endswith("ignore"):  # what comes with rules that were not asked for before
        chosen = [
            word
            for name in ("ruff.select", "ruff.extend-select")
            for word in key.new_settings.get(name, ())
        ]
        gained = [
            word
            for word in gained
            if not word.startswith(
                tuple(set(chosen) - set(key.old_settings.get("ruff.select", ())))
            )
        ]
    if key.tool in ("coverage", "nyc", "codecov", "ts") or "overage" in key.name:
        gained = [word for word in gained if not TEST_PATH.search(word)]
    spared = TEST_PATH.search(key.name) or (
        key.tool != "pytest" and all(map(BROWSER_TEST_PATH.search, gained))
    )
    return "" if not gained else LOW if spared else WORSE


def includes_less(key: SettingChange) -> str:
    """A list of what is chosen; none means everything. Of patterns we cannot tell which of two means more."""
    if not key.new or any(mark in word for word in key.new for mark in "{($"):
        return ""
    if not key.old:
        deep = all("/" in word.strip("./") and "*" not in word for word in key.new)
        return WORSE if deep and not key.is_new_file and re.match(TEST_RUNNERS, key.name) else ""
    gone = [word for word in key.old if word[:1] != "!" and not _is_inside(word, key.new)]
    narrower = len(key.new) < len(key.old) or all(
        _is_inside(word, key.old) for word in key.added_words
    )
    excluded = [
        w
        for w in key.added_words
        if w[:1] == "!" and not NOT_PROJECT_CODE.search(w[1:]) and not TEST_PATH.search(w)
    ]
    return WORSE if (gone and narrower) or excluded else ""


def drops_rules(key: SettingChange) -> str:
    """Rules that were asked for: others may come, none may go."""
    asked = [
        word for word in key.old if not word.startswith(("ignore", "default", "once"))
    ]  # of warnings, those that fail
    gone = [
        word for word in asked if not any(word.startswith(one) or one == "ALL" for one in key.new)
    ]
    moved = key.is_deleted_file and any(name.startswith(key.tool) for name in key.new_settings)
    replaced = "extends" in key.name and len(key.new) >= len(key.old)
    return WORSE if gone and not moved and not replaced else ""


def lowers_level(key: SettingChange) -> str:
    old = [LEVELS[word] for word in key.old if word in LEVELS]
    new = [LEVELS[word] for word in key.new if word in LEVELS]
    if any(
        name.endswith("/" + key.name.rpartition(".")[2]) and "error" in said
        for name, said in key.new_settings.items()
    ):
        return ""  # its likeness for another language took over
    if not new:
        return MEDIUM if any(old) else ""
    return (
        WORSE if max(new) < max(old, default=1 - key.is_new_file) and (old or not max(new)) else ""
    )


def _is_inside(word: str, places: tuple[str, ...]) -> bool:
    return any(
        word == one or one.strip("./") == "" or word.startswith((f"{one.rstrip('/')}/", f"{one}::"))
        for one in places
    )


RULES = {  # what must not happen, how bad it is, in words; the keys of files, and the options of programs
    (lowers_floor, HIGH, "coverage-floor-lowered"): (
        r".* --(?:cov-)?fail-under|.*\.fail[_-]under|codecov\..*target"
        r"|(?:jest|vitest|nyc|c8)\b.*\W(?:lines|branches|functions|statements)"
    ),
    (
        raises_ceiling,
        HIGH,
        "threshold-loosened",
    ): r".*\Wmax-(?:warnings|complexity|branches|args)|codecov\..*threshold|.*\.maxDiff\w*",
    (raises_timeout, MEDIUM, "timeout-raised"): (
        r"(?:jest|vitest|playwright|mocha|cypress|pytest)\b(?!.*webServer).*(?:[tT]imeout\w*|retry|retries|reruns)"
    ),
    (loses_strictness, HIGH, "strictness-switched-off"): (
        r"mypy\.(?:overrides\.)?(?:strict\w*|disallow_\w+|warn_\w+|check_untyped_defs|no_implicit_\w+)"
        r"|ts\.(?:strict\w*|no(?:Implicit|Unused|Unchecked|Fallthrough)\w+|exact\w+|useUnknown\w+)"
        r"|pytest\.(?:xfail_strict|strict\w*)|(?:playwright|mocha)\.forbid-?[oO]nly|nyc\W+check-?[cC]overage|coverage\.run\.branch"
        r"|.* (?:--(?:strict|disallow|warn|fail-on)[\w-]*|--check|--list-different|--forbid-?[oO]nly|-race|--check-coverage)"
    ),
    (forgives_failures, HIGH, "failures-forgiven"): (
        r"(?:jest|vitest)\.(?:passWithNoTests|dangerouslyIgnore\w+)|tox\.ignore_(?:outcome|errors)|ts\.(?:noCheck|allowUnreach\w+)"
        r"|mypy\.(?:overrides\.)?(?:ignore_errors|allow_\w+|implicit_\w+)|next\..*ignore(?:BuildErrors|DuringBuilds)"
        r"|.* (?:--pass-?[wW]ith-?[nN]o-?[tT]ests|--exit-zero|--lf|--last-failed|--co|--collect-only|--no-cov|--only-?[cC]hanged"
        r"|--changed-?[sS]ince|--list-?[tT]ests|--dry-run|--update-?[sS]napshots?|--no-run|-fn|-DskipTests|--ignore-errors|-short"
        r"|--errors-only|--no-config-lookup|--no-eslintrc|--noconftest)|(?:jest|vitest|playwright test) -u|eslint --quiet"
    ),
    (excludes_more, HIGH, "tests-excluded"): (
        r"pytest\.(?:norecursedirs|collect_ignore\w*)|jest\.(?:test|module)PathIgnorePatterns|mocha\.(?:ignore|exclude)"
        r"|(?:playwright|cypress)\..*(?:testIgnore|excludeSpecPattern)|(?:vitest|ruff|flake8|mypy|pyright|ts)\.(?:extend-)?exclude"
        r"|pyright\.ignore|eslint\.(?:ignorePatterns|ignores)|go test -skip|pytest --ignore"
        r"|.* --(?:deselect|ignore-glob|ignore-pattern|testPathIgnorePatterns|(?:extend-)?exclude|skip|grep-invert)"
        r"|(?:pytest|unittest) -[km]|(?:jest|vitest) -t|(?:mocha|playwright test) -g|go test -run|(?:playwright|mocha)\.grep\w*"
        rf"|{TEST_RUNNERS} --(?:test-?[nN]ame-?[pP]attern|testPathPatterns?|grep|fgrep|filter)"
    ),
    (excludes_more, HIGH, "coverage-excluded"): (
        r"coverage\.(?:run|report)\.(?:omit|exclude_\w+|partial_branches)|(?:vitest\.coverage|nyc)\.exclude|codecov\.ignore"
        r"|jest\.coveragePathIgnorePatterns|coverage \w+ --omit"
    ),
    (excludes_more, HIGH, "rules-switched-off"): (
        r"(?:ruff|flake8)\.(?:extend-)?ignore|(?:ruff check|flake8) --(?:extend-)?ignore|mypy\W+disable[_-]error[_-]code"
    ),
    (
        excludes_more,
        MEDIUM,
        "rules-switched-off-in-part",
    ): r"(?:ruff|flake8)\.(?:extend-)?per-file-ignores.*",
    (includes_less, HIGH, "fewer-files-included"): (
        r"pytest\.(?:testpaths|python_\w+)|jest\.(?:testMatch|testRegex|roots|collectCoverageFrom)|vitest\.(?:coverage\.)?include"
        r"|mocha\.(?:spec|extension)|playwright\.(?:testDir|testMatch|projects\.name)|cypress\..*specPattern|nyc\.include"
        r"|coverage\.(?:run|report)\.(?:source|source_pkgs|include)|mypy\.(?:files|packages)|(?:pyright|ts)\.include|.* places"
    ),
    (drops_rules, HIGH, "rules-dropped"): (
        r"(?:ruff|flake8)\.(?:extend-)?select|mypy\.enable_error_code|eslint\.extends|pytest\.filterwarnings"
    ),
    (
        lowers_level,
        HIGH,
        "rule-lowered",
    ): r"eslint\.(?:\S+\.)?rules\.[^.]+|pyright\.(?:report\w+|typeCheckingMode)",
}
COMPILED_RULES = tuple((re.compile(keys), *rule) for rule, keys in RULES.items())
