"""Which files surround the product: tests, their helpers and data, settings, hooks and scripts.

The baseline replay puts exactly these files back to the baseline. Every other file is product.
"""

from __future__ import annotations

import posixpath
import sys

from .. import lazy_re as re
from .code_files import CODE_SUFFIXES
from .commands import CHECK_WORD, is_script_file
from .reach import reach_of
from .settings_files import holds_settings
from .test_files import HELPER, kind_in_tests

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..repo.baseline import Change
    from .reach import ReadFile

INNER = "inner tests"  # a file of the product with tests in it, which are exchanged alone
SETTINGS, HOOK, SCRIPT, SHADOW = "settings", "hook", "script", "shadow"
# A change of these can turn every test green; a change of the others serves the tests themselves.
GRAVE_KINDS = frozenset((SETTINGS, HOOK, SCRIPT, SHADOW))
# Settings of formatters, written in the language that they format.
TOOL_SETTINGS = re.compile(r"(?:^|/)(?:\.php-cs-fixer(?:\.dist)?|\.php_cs|rector|ecs)\.php$")
# Packages of others that lie in the repository: tests use them, and nobody edits them by hand.
VENDORED_FOLDER = re.compile(r"(?:^|/)(?:vendor|third_party|_vendor|node_modules)/")
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


def is_surrounding_file(path: str) -> bool:
    """Does its name alone say that the file surrounds the product?"""
    name = posixpath.basename(path)
    is_start_up = name.endswith(".pth") or name in ("entry_points.txt", "make.local")
    return is_start_up or bool(surrounding_kind(path, None, None))


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
    if holds_settings(path):
        return SETTINGS
    # What is new there is used by new product; tests of the start do not know it.
    if VENDORED_FOLDER.search(path) and (before is not None or "node_modules/" in path):
        return HELPER
    if kind := kind_in_tests(path, before or after or ""):
        return kind
    is_run = path in named and before is not None
    return SCRIPT if is_run or _is_script(path, before or after or "") else ""


def is_product_code(change: Change) -> bool:
    """Is the changed file code of the product, and not around it?"""
    is_code = change.path.endswith(CODE_SUFFIXES) and not TOOL_SETTINGS.search(change.path)
    return is_code and not surrounding_kind(change.path, change.before, change.after)


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


def _is_script(path: str, text: str) -> bool:
    if not is_script_file(path):
        return False
    name = posixpath.basename(path)
    if "akefile" in name or "ustfile" in name:
        return True
    is_shell = name.endswith(".sh") or text.startswith("#!")
    return bool(CHECK_WORD.search(path)) if is_shell else "." in name
