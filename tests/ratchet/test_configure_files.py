"""A build that is configured without assertions is found; one of a release is not."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet import is_relevant
from loopwright.ratchet.project import Project
from loopwright.ratchet.settings_rules import makefiles
from loopwright.repo.baseline import Change


def found(path: str, line: str) -> list[str]:
    assert is_relevant(path)
    changes = [Change(path, "# build\n", f"# build\n{line}\n")]
    check = ("make check",)
    rows = list(makefiles.find(Project(changes, commands=check, red_commands=check)))
    assert all((row.severity, row.rule) == (MEDIUM, "strictness-switched-off") for row in rows)
    return [row.after for row in rows]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("CMakeLists.txt", "add_definitions(-DNDEBUG)"),
        ("CMakeLists.txt", "add_compile_definitions(NDEBUG)"),
        ("src/CMakeLists.txt", "target_compile_definitions(ring PRIVATE NDEBUG)"),
        ("cmake/flags.cmake", 'set(CMAKE_C_FLAGS "${CMAKE_C_FLAGS} -DNDEBUG")'),
        ("configure.ac", "AC_DEFINE([NDEBUG], [1], [Without assertions.])"),
        ("configure", 'echo "#define NDEBUG 1" >> config.h'),
        ("meson.build", "project('ring', 'c', default_options: ['b_ndebug=true'])"),
    ],
)
def test_a_build_without_assertions(path: str, line: str) -> None:
    assert found(path, line) == [line]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("CMakeLists.txt", 'set(CMAKE_C_FLAGS_RELEASE "-O3 -DNDEBUG")'),
        ("CMakeLists.txt", "add_compile_definitions($<$<CONFIG:Release>:NDEBUG>)"),
        ("CMakeLists.txt", "add_compile_options(-UNDEBUG)"),
        ("meson.build", "project('ring', 'c', default_options: ['b_ndebug=if-release'])"),
        ("configure.ac", "AC_DEFINE([HAVE_RING], [1], [Rings.])"),
        ("configure", "# Assertions need a build without NDEBUG."),
    ],
)
def test_a_build_with_assertions(path: str, line: str) -> None:
    assert found(path, line) == []
