"""A GSD project: its folder, its plans, its settings, and a plan that goes on from its STATE.md."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from loopwright.core.plan.plan import EXECUTE, VERIFY, HistoryEntry, Plan, Task, TaskFailure
from loopwright.formats.gsd_config import GsdConfig
from loopwright.formats.gsd_state import GsdLoop
from loopwright.importers import gsd

pytestmark = pytest.mark.plans


def put(root: Path, *paths: str, text: str = "words\n", at: int = 1_000) -> None:
    for number, path in enumerate(paths):
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
        os.utime(place, (at + number, at + number))


# --- where things lie ---


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ((), ""),
        ((".gsd/STATE.md",), ".gsd"),
        ((".opti-gsd/state.json",), ".opti-gsd"),
        ((".gsd/x", ".opti-gsd/x"), ".gsd"),
        ((".gsd",), ""),
    ],
)
def test_the_folder(tmp_path: Path, files: tuple[str, ...], found: str) -> None:
    put(tmp_path, *files)

    assert gsd.find_folder(str(tmp_path)) == found


@pytest.mark.parametrize("name", ["ROADMAP.md", "roadmap.md", "Roadmap.MD"])
def test_a_file_is_found_in_any_case(tmp_path: Path, name: str) -> None:
    put(tmp_path, f".gsd/{name}")

    assert gsd.find_file(str(tmp_path), ".gsd", "ROADMAP.md") == f".gsd/{name}"
    assert gsd.find_file(str(tmp_path), ".gsd", "STATE.md") == ""


PLANS = [
    "phase-1/plan.md",
    "phase-01/PLAN.md",
    "phase-1/Plan.md",
    "1/plan.md",
    "01-loop-mechanism/plan.md",
    "phase_1/plan.md",
    "phase-1.md",
]


@pytest.mark.parametrize("path", PLANS)
@pytest.mark.parametrize("phase", ["1", "01", "phase-1"])
def test_the_plan_of_a_phase_in_every_spelling(tmp_path: Path, path: str, phase: str) -> None:
    put(
        tmp_path,
        f".gsd/plans/{path}",
        ".gsd/plans/phase-10/plan.md",
        ".gsd/plans/phase-2/summary.md",
        ".gsd/plans/notes.md",
    )

    assert gsd.find_plan_file(str(tmp_path), ".gsd", phase) == f".gsd/plans/{path}"
    assert gsd.find_plan_file(str(tmp_path), ".gsd", "2") == "", "a summary is no plan"


STATES = {
    "the phase of the front matter": ("---\nphase: 1\n---\n", "phase-1"),
    "the phase of the active loop": (
        "---\nphase: 3\nloop:\n  active: true\n  phase: 1\n---\n",
        "phase-1",
    ),
    "a phase without a plan": ("---\nphase: 7\n---\n", "phase-3"),
    "no phase": ("---\nphase: null\n---\n", "phase-3"),
}


@pytest.mark.parametrize(("state", "folder"), STATES.values(), ids=STATES)
def test_without_a_phase_state_md_tells_and_else_the_newest_counts(
    tmp_path: Path, state: str, folder: str
) -> None:
    put(
        tmp_path,
        ".gsd/plans/phase-10/plan.md",
        ".gsd/plans/phase-1/plan.md",
        ".gsd/plans/phase-3/plan.md",
    )
    put(tmp_path, ".gsd/STATE.md", text=state)

    assert gsd.find_plan_file(str(tmp_path), ".gsd") == f".gsd/plans/{folder}/plan.md"


def test_without_plans_there_is_none(tmp_path: Path) -> None:
    put(tmp_path, ".gsd/STATE.md", text="---\nphase: 1\n---\n")

    assert gsd.find_plan_file(str(tmp_path), ".gsd") == ""
    assert gsd.find_plan_file(str(tmp_path), ".gsd", "1") == ""


def test_a_state_that_is_no_text_says_no_phase(tmp_path: Path) -> None:
    put(tmp_path, ".gsd/plans/phase-2/plan.md")
    (tmp_path / ".gsd/STATE.md").write_bytes(b"---\nphase: \xff\n---\n")

    assert gsd.find_plan_file(str(tmp_path), ".gsd") == ".gsd/plans/phase-2/plan.md"


# --- settings ---


def test_settings_come_from_config_md(tmp_path: Path) -> None:
    put(
        tmp_path,
        ".gsd/config.md",
        text="---\r\nmode: yolo\r\nloop:\r\n  execute_max_retries: 5\r\nci:\r\n  test: pytest -q\r\n---\r\n",
    )

    assert gsd.read_settings(str(tmp_path), ".gsd") == GsdConfig(
        "yolo", retries=5, commands=(("test", "pytest -q"),)
    )


def test_without_config_md_the_defaults_hold(tmp_path: Path) -> None:
    assert gsd.read_settings(str(tmp_path), ".gsd") == GsdConfig()


def test_a_config_that_is_no_text_is_named(tmp_path: Path) -> None:
    put(tmp_path, ".gsd/STATE.md")
    (tmp_path / ".gsd/config.md").write_bytes(b"---\nmode: yolo\xff\n---\n")

    assert gsd.read_settings(str(tmp_path), ".gsd") == GsdConfig(
        problems=(".gsd/config.md cannot be read as UTF-8 text; the defaults are used",)
    )


# --- going on ---

PLAN = Plan("1", tasks=tuple(Task(f"{n:02}") for n in range(1, 13)))
HISTORY = (HistoryEntry(1, VERIFY, "gaps_found", ("stub:a.py",)),)


def test_an_execute_loop_goes_on_with_its_retries() -> None:
    state = GsdLoop(
        active=True,
        kind=EXECUTE,
        phase="1",
        iteration=7,
        retries=(("01", 0), ("02", 2), ("11", 1)),
        error="no tests",
    )

    assert gsd.restore_progress(PLAN, state) == PLAN.but(
        failures=(TaskFailure("02", 2), TaskFailure("11", 1, "no tests"))
    )


def test_a_verify_loop_goes_on_with_its_rounds() -> None:
    state = GsdLoop(
        active=True, kind=VERIFY, phase="01", iteration=3, most=20, gaps=2, history=HISTORY
    )

    assert gsd.restore_progress(PLAN, state) == PLAN.but(
        stage=VERIFY, fix_rounds=3, history=HISTORY
    )


@pytest.mark.parametrize("key", ["02", "2", "T2", "T02", "T-002", "t02"])
def test_an_id_is_known_in_every_spelling(key: str) -> None:
    assert gsd.restore_progress(PLAN, GsdLoop(kind=EXECUTE, retries=((key, 1),))).failures == (
        TaskFailure("02", 1),
    )


def test_an_id_as_the_plan_writes_it_comes_first() -> None:
    plan = Plan("1", tasks=(Task("T-1"), Task("1"), Task("US-1")))
    state = GsdLoop(kind=EXECUTE, retries=(("T-1", 1), ("1", 2), ("us-1", 3), ("9", 1)))

    assert gsd.restore_progress(plan, state).failures == (
        TaskFailure("T-1", 1),
        TaskFailure("1", 2),
        TaskFailure("US-1", 3),
    )


def test_a_file_grants_no_more_than_the_settings() -> None:
    state = GsdLoop(kind=VERIFY, iteration=500, most=900, retries=(("02", 99),))
    found = gsd.restore_progress(PLAN, state)

    assert (found.fix_rounds, found.failures) == (20, (TaskFailure("02", 3),))
    assert (found.max_fix_rounds, found.retries) == (20, 3)


def test_nothing_is_believed_done() -> None:
    state = GsdLoop(kind=VERIFY, phase="1", iteration=2)

    assert gsd.restore_progress(PLAN, state).done == ()


@pytest.mark.parametrize(
    "state",
    [
        pytest.param(GsdLoop(most=20), id="an idle loop"),
        pytest.param(
            GsdLoop(kind=VERIFY, phase="2", iteration=3, history=HISTORY),
            id="a loop of another phase",
        ),
        pytest.param(
            GsdLoop(kind=VERIFY, phase="1", iteration=3, completed=True, final=3),
            id="a loop that is over",
        ),
    ],
)
def test_what_is_not_about_this_plan_changes_nothing(state: GsdLoop) -> None:
    assert gsd.restore_progress(PLAN, state) == PLAN
