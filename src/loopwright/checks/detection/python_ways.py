"""The ways of a Python project to run its checks: tests, linters and type checkers."""

from __future__ import annotations

from typing import NamedTuple

from .folder import ProjectFolder, Way
from .python_linters import linter_ways
from .python_tests import is_python_project, test_ways


class PythonWays(NamedTuple):
    """What is run in the project's own environment, and what is found by the PATH."""

    own: list[Way]
    on_path: list[Way]
    is_declared: bool  # a project of Python, and not one of another language with some scripts


def python_ways(folder: ProjectFolder) -> PythonWays:
    own_tests, tests = test_ways(folder)
    own_linters, linters = linter_ways(folder)
    own, on_path = [*own_tests, *own_linters], [*tests, *linters]
    return PythonWays(own, on_path, is_python_project(folder))
