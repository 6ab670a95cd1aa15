"""Which files surround the product: tests, their helpers and data, settings, hooks and scripts.

The baseline replay puts exactly these files back to the baseline. Every other file is product.
"""

from __future__ import annotations

import posixpath
import sys

from .. import lazy_re as re
from .check_commands import CHECK_WORD
from .check_reach import reach_of
from .readers import languages, python
from .settings_rules import scripts, settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..repo.baseline import Change
    from .check_reach import ReadFile

TEST, HELPER, DATA = "test", "helper", "data"
INNER = "inner tests"  # a file of the product with tests in it, which are exchanged alone
SETTINGS, HOOK, SCRIPT, SHADOW = "settings", "hook", "script", "shadow"
# A change of these can turn every test green; a change of the others serves the tests themselves.
GRAVE_KINDS = frozenset((SETTINGS, HOOK, SCRIPT, SHADOW))
TEST_FILE = re.compile(
    r"^(?:test_[^/]*|[^/]*_test|[^/]*_spec|tests?)\.\w+$"
    r"|[._-](?:test(?:-d)?|spec|cy)\.[cm]?[jt]sx?$"
    r"|\.(?:t|bats)$"
    r"|(?:Test[^/]*|[^/]*Tests?|[^/]*Spec)\.(?:java|kt|cs|php|swift|scala)$"
)
# `FileSpec.kt` in a folder of the product is no test.
JVM_PRODUCT = re.compile(r"(?:^|/)src/(?:main|\w+Main)/.*\.(?:java|kt|scala|groovy)$")
TEST_FOLDER = re.compile(
    r"(?:^|/)(?:tests?|__tests__|spec|specs|e2e|testdata|testing|__snapshots__|__mocks__"
    r"|fixtures|__fixtures__|golden|goldens|snapshots)/"
)
DATA_FILE = re.compile(r"\.(?:snap|golden|approved\.\w+|expected)$|(?:^|/)__snapshots__/")
# Documents and lists of packages: a name such as `tests.txt` makes them no data of tests.
NOT_TEST_DATA = re.compile(r"\.(?:rst|md|adoc)$|(?:^|/)requirements/[^/]*\.(?:txt|in)$")
# Settings of formatters, written in the language that they format.
TOOL_SETTINGS = re.compile(r"(?:^|/)(?:\.php-cs-fixer(?:\.dist)?|\.php_cs|rector|ecs)\.php$")
CODE_SUFFIXES = (
    *(".py", ".pyi", *languages.SCRIPT_SUFFIXES, ".rs", ".go"),
    *(".rb", ".java", ".kt", ".cs", ".php", ".swift", ".c", ".cc", ".cpp", ".h", ".hpp", ".sh"),
    *(".pl", ".pm", ".t", ".bats"),
)
# A text from which a build writes code: `config.h.in` becomes `config.h`.
TEMPLATE_ENDING = re.compile(
    r"(?<=\w)\.(?:in|cmake|cmakein|m4|tmpl|tpl|template|j2|jinja2?|mako|mustache)$"
)
SETTINGS_FILE = re.compile(
    r"\.npmrc|\.yarnrc(?:\.yml)?|\.pnpmfile\.cjs|pnpm-workspace\.yaml|\.babelrc(?:\.\w+)?"
    r"|babel\.config\.\w+|\.mocharc(?:\.\w+)?|\.nycrc(?:\.\w+)?|\.c8rc(?:\.\w+)?|karma\.conf\.\w+"
    r"|noxfile\.py|\.pytest\.ini|pytest\.toml|\.pytest\.toml|\.pre-commit-config\.ya?ml"
    r"|\.proverc|\.envrc|\.env(?:\.\w+)?|\.testmondata|\.rspec|phpunit(?:\.\w+)?\.xml"
    r"|\.swiftlint\.yml"
    r"|rust-toolchain(?:\.toml)?|clippy\.toml|\.golangci\.ya?ml|go\.work|Cargo\.toml"
    r"|(?:vitest|vite)\.workspace\.\w+"
    r"|(?:jest|vitest)[.-]?setup\.\w+|setup(?:-?tests?|Tests)\.[cm]?[jt]sx?"
    r"|\.gitattributes|\.?pylintrc"
    # Any tool may have its own list of what it does not look at; some read `.ignore` as well.
    r"|\.[\w-]*ignore"
    r"|\.(?:eslint|prettier|stylelint|jshint|luacheck|yamllint|shellcheck|codespell)rc(?:\.\w+)?"
    r"|biome\.jsonc?|\.rubocop\w*\.yml|\.isort\.cfg|\.bandit|bandit\.ya?ml|\.yamllint|\.clang-tidy"
    r"|\.(?:python|ruby|node|java|tool)-versions?|\.nvmrc|\.?mise\.toml"
    r"|(?:uv|poetry|hatch|bunfig)\.toml"
    r"|deno\.jsonc?|\.taprc|\.swcrc|ava\.config\.\w+|(?:angular|nx|turbo)\.json|\.bazelrc"
    r"|Dockerfile(?:\.\w+)?|(?:docker-)?compose(?:\.\w+)?\.ya?ml"
    r"|\.?rustfmt\.toml|deny\.toml|phpstan\.neon(?:\.dist)?|psalm\.xml|detekt\.yml|\.importlinter"
)
# Packages of others that lie in the repository: tests use them, and nobody edits them by hand.
VENDORED_FOLDER = re.compile(r"(?:^|/)(?:vendor|third_party|_vendor|node_modules)/")
SETTINGS_PATH = re.compile(
    r"(?:^|/)(?:\.cargo/config(?:\.toml)?|\.config/nextest\.toml"
    r"|\.claude/settings(?:\.local)?\.json)$"
)
CI_FILE = re.compile(
    r"^\.(?:github/(?:workflows|actions)|circleci|buildkite|woodpecker)/"
    r"|^(?:\.gitlab-ci|\.travis|azure-pipelines|bitbucket-pipelines|appveyor)\.ya?ml$|^Jenkinsfile$"
)
START_UP_MODULES = ("sitecustomize", "usercustomize")
RUNNER_MODULES = frozenset(
    [
        "pytest",
        "_pytest",
        "pluggy",
        "nose",
        "nose2",
        "coverage",
        "hypothesis",
        "mock",
        "xdist",
        "tox",
        "nox",
    ]
)
# Modules of Perl that every test loads.
PERL_MODULE = re.compile(
    r"(?:^|/)(?:strict|warnings|Exporter|Carp|overload|Test/(?:More|Simple|Builder|Harness|Deep"
    r"|Exception|Fatal|Differences|Most|Warn|MockModule|Tester)|Test2/(?:V0|V1|API|Suite))\.pm$"
)
# The same for Ruby, and headers with which tests in C compare and end.
RUBY_MODULE = re.compile(
    r"^(?:(?:lib|test|spec)/)?(?:minitest(?:/(?:autorun|test|spec|unit|assertions|mock|runnable))?"
    r"|test/unit(?:/(?:testcase|assertions|autorunner))?"
    r"|rspec(?:/(?:autorun|core|expectations|matchers|mocks))?)\.rb$"
)
C_HEADER = re.compile(
    r"^(?:(?:include|inc|src|lib|tests?)/)?"
    r"(?:(?:assert|stdio|stdlib|string|math|setjmp|signal|unistd)\.h|cassert|cstdlib|cstring)$"
)
IMPORT_ROOTS = ("", "src", "tests", "test", "lib")
HOOK_LINE = re.compile(
    r"def pytest_|pytest_plugins|sys\.modules|sys\.meta_path|autouse|setattr\(|\.patch|__import__"
    r"|\.__\w+__ *=|os\._exit|atexit|builtins"
)


INLINE_TESTS = re.compile(r"#\[cfg\(test\)\]\nmod \w+ \{\n.*?\n\}", re.S)


def is_surrounding_file(path: str) -> bool:
    """Does its name alone say that the file surrounds the product?"""
    name = posixpath.basename(path)
    is_start_up = name.endswith(".pth") or name in ("entry_points.txt", "make.local")
    return is_start_up or bool(surrounding_kind(path, None, None))


def inline_tests(path: str, text: str) -> str:
    """The tests inside of a product file, as Rust has them; "" if there are none."""
    match = INLINE_TESTS.search(text) if path.endswith(".rs") else None
    return match[0] if match else ""


def programs_run_by(
    command: str | tuple[str, ...], read_file: ReadFile = lambda path: None
) -> frozenset[str]:
    """The files of the project that a command runs, itself or through make, npm and scripts."""
    return frozenset(reach_of((command,), read_file).scripts)


def surrounding_kind(
    path: str, before: str | None, after: str | None, named: frozenset[str] = frozenset()
) -> str:
    """The kind of a changed file that surrounds the product; "" for a file of the product.

    `named` are the programs of the project that the check commands run.
    """
    name = posixpath.basename(path)
    if name == "conftest.py":
        return HOOK if _has_new_hook_lines(before, after) else HELPER
    if is_shadowing_module(path, before):
        return SHADOW
    if CI_FILE.search(path) or SETTINGS_PATH.search(path) or SETTINGS_FILE.fullmatch(name):
        return SETTINGS
    if settings.is_settings_file(path):
        return SETTINGS
    if DATA_FILE.search(path):
        return DATA
    # What is new there is used by new product; tests of the start do not know it.
    if VENDORED_FOLDER.search(path) and (before is not None or "node_modules/" in path):
        return HELPER
    if NOT_TEST_DATA.search(path) and not TEST_FOLDER.search(path):
        return ""
    if JVM_PRODUCT.search(path):
        return ""
    if TEST_FILE.search(name) or TEST_FOLDER.search(path):
        return _kind_in_tests(path, name)
    if python.is_test(path) or languages.is_test(path):
        return TEST
    is_run = path in named and before is not None
    return SCRIPT if is_run or _is_script(path, before or after or "") else ""


def is_product_code(change: Change) -> bool:
    """Is the changed file code of the product, and not around it?"""
    is_code = change.path.endswith(CODE_SUFFIXES) and not TOOL_SETTINGS.search(change.path)
    return is_code and not surrounding_kind(change.path, change.before, change.after)


def is_code_template(path: str) -> bool:
    """Does a build write code from this file?"""
    return path_of_code(path) != path and path_of_code(path).endswith(CODE_SUFFIXES)


def path_of_code(path: str) -> str:
    """The path without the ending of a template."""
    return TEMPLATE_ENDING.sub("", path)


def _has_new_hook_lines(before: str | None, after: str | None) -> bool:
    known = set((before or "").splitlines())
    lines = (line for line in (after or "").splitlines() if line not in known)
    return any(HOOK_LINE.search(line) for line in lines)


def is_shadowing_module(path: str, before: str | None, start_folders: tuple[str, ...] = ()) -> bool:
    """A new module that is loaded instead of one of the language or of the test runner.

    `start_folders` are folders in which checks start programs; modules there are found first.
    """
    name = posixpath.basename(path)
    if name.endswith(".pth") or name.partition(".")[0] in START_UP_MODULES:
        return True
    if before is None and any(p.search(path) for p in (PERL_MODULE, RUBY_MODULE, C_HEADER)):
        return True
    if before is not None or not path.endswith(".py"):
        return False
    parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
    folder, module = "/".join(parts[:-1]), parts[-1]
    is_found_first = folder in IMPORT_ROOTS or folder in start_folders
    return is_found_first and (module in RUNNER_MODULES or module in sys.stdlib_module_names)


def _kind_in_tests(path: str, name: str) -> str:
    if name.startswith("README"):
        return ""
    if not path.endswith(CODE_SUFFIXES):
        return DATA
    return TEST if TEST_FILE.search(name) else HELPER


def _is_script(path: str, text: str) -> bool:
    if not scripts.is_script_file(path):
        return False
    name = posixpath.basename(path)
    if "akefile" in name or "ustfile" in name:
        return True
    is_shell = name.endswith(".sh") or text.startswith("#!")
    return bool(CHECK_WORD.search(path)) if is_shell else "." in name
