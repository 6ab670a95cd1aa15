"""Fixtures of the tests of lanes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.lanes import FILES
from tests.support.project import Project


@pytest.fixture
def lane_project(project: Callable[..., Project]) -> Project:
    """The project that lanes are made beside."""
    return project(FILES)
