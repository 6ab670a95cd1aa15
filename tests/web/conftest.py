"""A loop that asks, and servers that show it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.support.builders import an_asking_loop
from tests.support.project import Project
from tests.web.serving import Server

HOSTILE = "<img src=x onerror=alert(1)>\x1b[31m"


@pytest.fixture
def asking(project: Callable[..., Project]) -> Project:
    here = project()
    here.create(an_asking_loop("G2", f"Go on? {HOSTILE}", id="loop-1"))
    return here


@pytest.fixture
def reading(asking: Project) -> Iterator[Server]:
    with Server() as server:
        yield server.sign_in()


@pytest.fixture
def controlling(asking: Project) -> Iterator[Server]:
    with Server(control=True) as server:
        yield server.sign_in()
