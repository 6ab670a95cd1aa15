"""Which test of a report an agent means, in any of the forms in which people name tests. Pure.

`tests/test_cart.py::TestTotal::test_sum`, `TestTotal.test_sum` and `test_sum` mean the same test,
unless two tests fit: then none is meant.
"""

from __future__ import annotations

from collections.abc import Iterable

from .. import lazy_re as re
from ..core.proof.demands import TESTS_JOINED
from ..core.record import Record
from .test_names import NODE_CLASS, UNITTEST_NAME

SEPARATOR = re.compile(r"::| > | › | » ")
# `cart_test.go:TestSum`: one colon behind a file.
FILE_COLON = re.compile(r"(\.[a-z]{1,4}):(?!:)(?=\S)")
FILE_SUFFIX = re.compile(r"\.(?:[cm]?[jt]sx?|py|rs|go|rb|java|kt|php|cs|exs?)$")
SEVERAL = re.compile(r"\s*(?:[,;]|\band\b)\s+")
RUNNER_WORDS = re.compile(r"^(?:python3? -m )?(?:pytest|unittest|node --test|jest|vitest) +")


class TestName(Record):
    """A name in parts: the places around the test from outside in, and its own name."""

    __test__ = False
    places: tuple[str, ...]
    title: str
    case: str = ""  # of a parametrized test: what stands in brackets


def find_named_tests(name: str, reported: Iterable[str]) -> tuple[tuple[str, ...], str]:
    """The reported tests that the name means: one, or the cases of one. Else "", or why none is."""
    reported = tuple(reported)
    names = name.split(TESTS_JOINED)
    if len(names) < 2 or name in reported:
        found = _only_test(name, reported)
        names = SEVERAL.split(name)
        if found[0] or found[1] or len(names) < 2:
            return found
    parts = [_only_test(part, reported) for part in names if part.strip()]
    tests = tuple(dict.fromkeys(test for tests, _ in parts for test in tests))
    return tests, next((why for _, why in parts if why), "")


def own_name(name: str) -> str:
    """The name of the test itself, without file and class."""
    return _parts_of(_without_marks(name)).title


def _without_marks(name: str) -> str:
    return RUNNER_WORDS.sub("", name.strip().strip("`'\""))


def _only_test(name: str, reported: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    if name in reported:
        found = [name]
    else:
        wanted = _parts_of(_without_marks(name))
        found = _closest_tests(wanted, tuple(dict.fromkeys(reported)))
    functions = {(parts.places, parts.title) for parts in map(_parts_of, found)}
    is_twice = any(reported.count(test) > 1 for test in found)
    if len(functions) > 1 or is_twice:
        some = ", ".join(found[:3])
        return (), f"the name fits more than one test ({some}): name it with its file and class"
    return tuple(found), ""


def _closest_tests(wanted: TestName, reported: tuple[str, ...]) -> list[str]:
    """The tests with this own name whose places fit: exactly, else at their end, else in order."""
    tests = [(test, _parts_of(test)) for test in reported]
    same = [
        (test, parts.places)
        for test, parts in tests
        if parts.title == wanted.title and wanted.case in ("", parts.case)
    ]
    for fits in (_is_equal, _has_same_end, _is_within):
        if found := [test for test, places in same if fits(wanted.places, places)]:
            return found
    return []


def _parts_of(name: str) -> TestName:
    """The parts of a name in a report, or of one that an agent wrote."""
    if match := UNITTEST_NAME.fullmatch(name):
        title, place = match.groups()
        module = tuple(place.split("."))
        return TestName(module[:-1] if module[-1] == title else module, title)
    case = ""
    if name.endswith("]") and "[" in name:
        name, _, case = name[:-1].partition("[")
    *outer, title = SEPARATOR.split(FILE_COLON.sub(r"\1::", name))
    if " " not in title and not outer and not FILE_SUFFIX.search(title):
        *outer, title = re.split(r"[./#]", title)
    elif "/" in title and " " not in title:  # a subtest of Go
        *inner, title = title.split("/")
        outer += inner
    places = [place for part in outer for place in _places(part)]
    return TestName(tuple(places), title.strip().removesuffix("()"), case)


def _places(part: str) -> list[str]:
    """The folders, modules and classes in `tests/test_cart.py`, or in `tests.test_cart.TestA`."""
    part = part.strip().removeprefix("./")
    if " " in part:  # the title of a suite
        return [part]
    places = re.split(r"[./]", FILE_SUFFIX.sub("", part))
    return [place for place in places if place not in ("", NODE_CLASS)]


def _is_equal(wanted: tuple[str, ...], places: tuple[str, ...]) -> bool:
    return wanted == places


def _has_same_end(wanted: tuple[str, ...], places: tuple[str, ...]) -> bool:
    """A runner may leave out the file or its folders, and so may who names the test."""
    count = min(len(wanted), len(places))
    return count == 0 or wanted[-count:] == places[-count:]


def _is_within(wanted: tuple[str, ...], places: tuple[str, ...]) -> bool:
    """Are the places of the name among those of the test, in their order?"""
    rest = iter(places)
    return all(place in rest for place in wanted)
