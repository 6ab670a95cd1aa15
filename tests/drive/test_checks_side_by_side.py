"""Slow checks of a plan in lanes do not wait for each other: in the trial, the verification and the clean checkout."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

from loopwright.cleanroom.checkout import options_of_start
from loopwright.cleanroom.groups import run_in_rooms
from loopwright.core.criteria import Check, Criterion, Evidence
from loopwright.core.loop import Lease, Loop
from loopwright.core.runner.run import RUNNER_PREFIX, Run
from loopwright.drive.lane_checkout import save_lane_files
from loopwright.drive.runner.lane_trial import try_lane
from loopwright.verify import check_groups
from loopwright.verify.check_groups import group_checks
from loopwright.verify.halting import CheckHalted
from tests.e2e.waiting import until
from tests.support.plan_projects import a_plan, a_task, run_script, turn_writing
from tests.support.project import Project
from tests.torture.size import every

pytestmark = pytest.mark.plans

# Waits until the other check has run as often as this one, and not for ever.
MEET = (
    "echo x >> {0}/{1}; for i in $(seq 500); do "
    "test $(wc -l < {0}/{2} || echo 0) -ge $(wc -l < {0}/{1}) && break; sleep 0.02; done; "
    "test $(wc -l < {0}/{2}) -ge $(wc -l < {0}/{1})"
)


@pytest.fixture
def meet(tmp_path: Path) -> Path:
    folder = tmp_path / "meet"
    folder.mkdir()
    (folder / "01").touch()
    (folder / "02").touch()
    return folder


def criteria(**seconds: float) -> list[Criterion]:
    return [
        Criterion(name, Check("true"), proof=Evidence(name, True, seconds=s))
        for name, s in seconds.items()
    ]


def names(groups: list[list[Criterion]]) -> list[list[str]]:
    return [[c.name for c in group] for group in groups]


def test_the_longest_checks_are_shared_out_first() -> None:
    found = group_checks(criteria(a=1.0, b=9.0, c=2.0, d=5.0), 2)
    assert names(found) == [["b"], ["d", "c", "a"]]


def test_one_checkout_is_enough_for_quick_checks_and_where_a_second_costs_more() -> None:
    assert names(group_checks(criteria(a=1.0, b=1.0), 4)) == [["a", "b"]]
    assert names(group_checks(criteria(a=4.0, b=4.0), 4, extra_seconds=5.0)) == [["a", "b"]]
    assert names(group_checks(criteria(a=4.0, b=4.0), 1)) == [["a", "b"]]
    assert group_checks([], 4) == []


def results_in_rooms(here: Project, *checks: Criterion) -> dict[str, bool]:
    """Which checks pass on HEAD, each group in a clean checkout of its own."""
    loop = in_lanes(here, *checks)
    head = here.git("rev-parse", "HEAD").strip()
    runs = run_in_rooms(here.folder, loop, head, options_of_start(loop), lambda room: None)
    return {name: run.evidence.passed for name, run in runs.items()}


def in_lanes(here: Project, *checks: Criterion, lanes: int = 2) -> Loop:
    """The loop of a plan under a runner, with these criteria."""
    here.write({"PLAN.md": a_plan()})
    said = here.run("start", "--plan", "PLAN.md", "--yes")
    assert said.code == 0, said.err
    run = Run(agents=("script",), lanes=lanes)
    return here.loop.but(criteria=checks, run=run, lease=Lease(f"{RUNNER_PREFIX}1"))


def test_clean_checkouts_of_a_plan_in_lanes_run_side_by_side(
    project, meet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each check waits for the other: one after the other neither would pass."""
    monkeypatch.setattr(check_groups, "MIN_SECONDS", 0.0)
    here = project()
    checks = (
        Criterion("one", Check(MEET.format(meet, "01", "02"))),
        Criterion("two", Check(MEET.format(meet, "02", "01"))),
    )
    assert results_in_rooms(here, *checks) == {"one": True, "two": True}


def test_a_check_that_fails_beside_others_runs_once_more_alone(
    project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check_groups, "MIN_SECONDS", 0.0)
    here = project()
    second = f"mkdir {tmp_path / 'first'} 2>/dev/null && exit 1; true"
    checks = (Criterion("one", Check(second)), Criterion("two", Check("false")))
    assert results_in_rooms(here, *checks) == {"one": True, "two": False}


def test_sigterm_ends_the_checks_in_all_clean_checkouts(
    project, meet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check_groups, "MIN_SECONDS", 0.0)
    here, received = project(), []
    checks = [Criterion(n, Check(f"echo x > {meet / n}; sleep 600")) for n in ("01", "02")]
    loop = in_lanes(here, *checks)
    head = here.git("rev-parse", "HEAD").strip()

    def send() -> None:
        until(lambda: all((meet / name).read_text() for name in ("01", "02")), lambda: "no check")
        os.kill(os.getpid(), signal.SIGTERM)

    before = signal.signal(signal.SIGTERM, lambda *call: received.append(call))
    sender = threading.Thread(target=send)
    sender.start()
    try:
        with pytest.raises(CheckHalted):
            run_in_rooms(here.folder, loop, head, options_of_start(loop), lambda room: None)
    finally:
        signal.signal(signal.SIGTERM, before)
        sender.join()
    assert len(received) == 1, "then it takes its usual course"


def test_checks_are_tried_in_several_worktrees_at_once(
    project, meet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check_groups, "MIN_SECONDS", 0.0)
    here = project()
    checks = (
        Criterion("one", Check(MEET.format(meet, "01", "02"))),
        Criterion("two", Check(MEET.format(meet, "02", "01"))),
    )
    loop, lanes = in_lanes(here, *checks), here.root.parent / "lanes"
    options = save_lane_files(here.folder, loop)
    say_nothing, never = (lambda text: None), (lambda: False)
    assert try_lane(here.folder, loop, options, str(lanes), 2, say_nothing, never) == ""
    assert [(meet / name).read_text() for name in ("01", "02")] == ["x\n", "x\n"]
    assert not lanes.exists()


@pytest.mark.long
def test_the_verification_runs_the_checks_of_all_tasks_at_once(
    project, meet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They meet in the lanes and in the verification; a landing is no write during a check."""
    monkeypatch.setattr(check_groups, "MIN_SECONDS", 0.0)
    tasks = [
        a_task(me, checks=(f'cmd="test -f {me}.txt && {{ {MEET.format(meet, me, other)}; }}"',))
        for me, other in (("01", "02"), ("02", "01"))
    ]
    here = project()
    here.write({"PLAN.md": a_plan(*tasks)})
    here.run("start", "--plan", "PLAN.md", "--yes", "--room", "off")
    assert here.run("allow", "--yes").code == 0
    words = ("--parallel", "--max-parallel", "2")
    said = run_script(here, turn_writing("01"), turn_writing("02"), words=words)
    assert said.code == 0, said.out + said.err
    assert here.events("ProofsVoided") == []
    assert [(meet / name).read_text() for name in ("01", "02")] == ["x\nx\n", "x\nx\n"]


@pytest.mark.parametrize("words", every(2, [(), ("--parallel", "--max-parallel", "2")]))
def test_a_check_that_writes_a_file_of_its_own_does_not_lose_the_tree(project, words) -> None:
    """The tree is kept before verification, so the clean checkout proves it."""
    writes = 'cmd="test -f {0}.txt && {{ test -e out-{0}.log || echo ok > out-{0}.log; }}"'
    here = project()
    here.write({"PLAN.md": a_plan(*(a_task(n, checks=(writes.format(n),)) for n in ("01", "02")))})
    for order in (("start", "--plan", "PLAN.md", "--yes"), ("allow", "--yes"), ("cancel",)):
        assert here.run(*order).code == 0
    here.run("start", "--plan", "PLAN.md", "--yes")
    said = run_script(here, turn_writing("01"), turn_writing("02"), words=words)
    assert said.code == 0, said.out + said.err
    assert here.ended.verdict.grade == "proven"
    assert [run.outcome for run in here.ended.room.runs][:1] == ["passed"]
