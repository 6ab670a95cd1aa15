"""Which tests a name in a report means, and whether they are in a file that changed. Pure."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

from .. import lazy_re as re
from ..core.record import Record
from ..verify.test_report import FailedTest, TestReport

# Names that unittest gives to all tests of a file or class: it does not load, or its setup fails.
UNITTEST_GROUP = re.compile(
    r"(?P<module>[\w.]+) \(unittest\.loader\._FailedTest\b.*\)"
    r"|(?:setUp|tearDown)(?:Class|Module) \((?P<place>[\w.]+)\)"
)
UNITTEST_NAME = re.compile(r"(\w+) \((.+)\)")
NODE_CLASS = "test"  # the class that a report of node gives to every test
# The function of a subtest of Go, whose own name is a value of a table or any text.
FUNCTION_OF_SUBTEST = re.compile(r"((?:Test|Fuzz|Benchmark)\w*)/")
TITLES = re.compile(r" [>›] ")  # of a test in JavaScript and of the groups around it
FILE_NAME = re.compile(r"\.[cm]?[jt]sx?$|\.(?:py|rs|go|rb)$")


class ChangedTests(Record):
    """The test files that changed: their paths, and their text at the baseline."""

    paths: tuple[str, ...] = ()
    baseline_text: str = ""
    inner_text: str = ""  # tests of the baseline inside of product files that changed
    has_data: bool = False  # data that tests compare with changed too


def last_name(test: str) -> str:
    return re.split(r"::|\.| > | › ", test)[-1]


def has_passed(test: str, passed: set[str]) -> bool:
    """Does the test pass, or one that its name stands for?"""
    return bool(tests_meant(test, passed))


def tests_meant(test: str, names: Iterable[str]) -> set[str]:
    """Those of the tests that a name means: a file that could not be imported means all in it."""
    name = test.removeprefix("::")
    if group := UNITTEST_GROUP.fullmatch(name):
        part = f".{group['module'] or group['place']}."
        return {other for other in names if part in f".{_unittest_place(other)}."}
    if FILE_NAME.search(name):
        return set(names)
    inside = (f"{name}::", f"{name}.")  # of the file, or of a class in it
    return {other for other in names if other == test or other.startswith(inside)}


def with_passed_names(report: TestReport, passed: Iterable[str]) -> TestReport:
    """The failing tests by the names with which the same tests pass in another run.

    A script says behind the name what it got. It must be the same tests: «parse: commas» may also
    be another test than «parse».
    """
    names = {*passed}

    def name_of(test: str) -> str:
        if test in names:
            return test
        begun = (name for name in names if test.startswith((f"{name}:", f"{name} ")))
        return max(begun, key=len, default=test)

    return report.but(failed=tuple(t.but(name=name_of(t.name)) for t in report.failed))


def start_with_passed_names(at_start: TestReport, passed: Iterable[str]) -> TestReport:
    """The failing tests of the start by the names with which they pass now.

    A name that was there beside them is that of another test.
    """
    return with_passed_names(at_start, {*passed}.difference(at_start.passed, at_start.failed_names))


def is_name_of_file(test: str) -> bool:
    """Does a runner say so of a whole file or module that cannot be loaded?"""
    return bool(UNITTEST_GROUP.fullmatch(test) or FILE_NAME.search(test))


def _unittest_place(test: str) -> str:
    """Module, class and perhaps the name, as unittest prints them behind a test."""
    match = UNITTEST_NAME.fullmatch(test)
    return match[2] if match else ""


def is_test_of(name: str, path: str, text: str) -> bool:
    """Is it a test of this file, by its own name and by the module that the report gives it?"""
    if match := UNITTEST_NAME.fullmatch(name):
        own_name, place = match.groups()
    else:
        place, _, own_name = name.rpartition("::")
    if path.endswith(".rs"):
        is_elsewhere = bool(place) and not place.startswith(_rust_module(path))
    else:
        module = posixpath.splitext(path)[0].replace("/", ".")
        is_elsewhere = place not in ("", NODE_CLASS) and module not in place
    return own_name.partition("[")[0] in text and not is_elsewhere


def _rust_module(path: str) -> str:
    """The module that a source file of Rust is: `src/zones/fare.rs` is `zones::fare`."""
    names = path.removesuffix(".rs").rpartition("src/")[2].split("/")
    return "::".join(names[:-1] if names[-1] in ("lib", "main", "mod") else names)


def belongs_to_changed(test: FailedTest, changed: ChangedTests) -> bool:
    """Is the test in a file that changed? Its file decides; without one, its module or name."""
    if test.file:
        file = test.file.replace("\\", "/")
        return any(file == path or file.endswith(f"/{path}") for path in changed.paths)
    words = set(re.findall(r"[\w-]+", test.name))
    dotted = re.sub(r"[^\w.]+", " ", test.name)
    for path in changed.paths:
        if test.name.endswith((f"/{path}", f":{path}")):  # node names a file that does not load
            return True
        module = posixpath.splitext(path)[0]
        if re.search(rf"(?:^|[ .]){re.escape(module.replace('/', '.'))}(?:[ .]|$)", dotted):
            return True
        if posixpath.basename(module) in words:
            return True
    subtest = FUNCTION_OF_SUBTEST.match(test.name)
    names = [subtest[1]] if subtest else re.findall(r"\w+", test.name)
    if not names:
        return False
    # The name of a test of Rust has modules, but not always that of its file.
    name, text = re.escape(names[-1]), changed.baseline_text
    has_title = bool(subtest or TITLES.search(test.name))
    has_module = not has_title and ("." in test.name.replace("...", "") or "::" in test.name)
    return bool(re.search(rf"\bfn {name}\b" if has_module else rf"\b{name}\b", text))
