"""Fixtures of the tests of the backlog's page."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.support.builders import a_discovery_loop
from tests.support.project import Project

A, B = "fix the menu", "name the buttons"


@pytest.fixture
def page_project(tmp_path: Path) -> Project:
    """A discovery loop with two items, which its page shows."""
    made, now = Project(tmp_path / "here", git=False), time.time()
    made.create(a_discovery_loop(A, B, started_at=now, running_since=now))
    return made
