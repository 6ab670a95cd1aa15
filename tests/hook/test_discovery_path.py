"""The path of a Stop in a loop that improves: it costs a page and a backlog, and none of the modules that are slow to import."""

from __future__ import annotations

import pytest

from tests.hook.test_finding import FORBIDDEN, modules
from tests.support.discovery import cycle, edit, start_discovery
from tests.support.hook import stop_event
from tests.support.project import Project


@pytest.fixture
def green_project(project) -> Project:
    """Its guard is green, and stays so while no file changes."""
    return start_discovery(
        project({"readme.md": "x\n"}),
        "--tasks",
        "the menu overlaps; no empty state",
        "--check",
        "green=true",
    )


TURNS = {
    "a plain turn": "I looked around.",
    "a turn of several lines": "Line one\nline two",
    "the end of a cycle": cycle(done="no empty state", found="a typo"),
}


@pytest.mark.parametrize("text", TURNS.values(), ids=TURNS)
def test_nothing_slow_is_imported(green_project: Project, text: str) -> None:
    found, out = modules(stop_event(green_project, text))

    assert "Iteration 2 of 50" in out
    assert not found & FORBIDDEN, sorted(found & FORBIDDEN)


def test_nor_where_the_page_was_edited(green_project: Project) -> None:
    edit(
        green_project, "- no empty state", "- no empty state <!-- mine -->\n- [ ] fix menu (mobile)"
    )
    found, out = modules(stop_event(green_project, "I looked around."))

    assert "fix menu (mobile)" in out
    assert not found & FORBIDDEN, sorted(found & FORBIDDEN)


def test_what_only_it_needs_is_not_imported_for_a_spec(project) -> None:
    here = project()
    here.start()
    found, out = modules(stop_event(here, "I looked around."))

    ours = {name.removeprefix("loopwright.") for name in found if name.startswith("loopwright.")}
    assert "unmet criteria" in out
    assert not ours & {
        "core.backlog",
        "core.coaching",
        "core.cycle",
        "core.policies.discovery",
        "store.page",
        "store.page_file",
    }
