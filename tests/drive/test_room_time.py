"""A Stop has a limited time. Runs of the proof that do not fit are skipped, named and made later."""

from __future__ import annotations

import time

import pytest

from loopwright.cleanroom import time_limits
from loopwright.core.proof.clean_checkout import (
    FINAL_TREE_RUN,
    NOT_NEEDED,
    PASSED,
    PENDING,
    REPLAY_RUN,
    REVERT_RUN,
    SKIPPED,
    TRUSTED,
)
from tests.drive.test_room_runs import FIXED, TESTS, begin, end
from tests.support.builders import a_loop
from tests.support.hook import block, stop
from tests.support.project import Project

pytestmark = [pytest.mark.room, pytest.mark.usefixtures("own_terminal")]


def outcomes(here: Project) -> list[tuple[str, str]]:
    return [(run.kind, run.outcome) for run in here.ended.room.runs]


def end_without_time(
    project, monkeypatch: pytest.MonkeyPatch, seconds: float = 0.0, **files: str
) -> Project:
    here = begin(project, check__sh="python3 -B -m unittest -v\n", check="sh check.sh")
    here.write({"parse.py": FIXED, **{name.replace("__", "."): files[name] for name in files}})
    with monkeypatch.context() as patch:
        patch.setattr(time_limits, "STOP_SECONDS", seconds)
        end(here)
    return here


def test_runs_that_do_not_fit_are_skipped_and_named(project, monkeypatch) -> None:
    here = end_without_time(project, monkeypatch, test_more__py=TESTS)

    kinds = (FINAL_TREE_RUN, REPLAY_RUN, REVERT_RUN)
    assert outcomes(here) == [(kind, SKIPPED) for kind in kinds]
    verdict = here.ended.verdict
    assert verdict is not None
    assert verdict.grade == "proven-in-place"
    notes = "\n".join(verdict.notes)
    assert "not run in a clean checkout of this tree: it may take" in notes
    assert "To complete the proof: loop audit --finish" in notes


def test_audit_finish_makes_the_skipped_runs_and_records_the_grade(project, monkeypatch) -> None:
    here = end_without_time(project, monkeypatch)
    assert outcomes(here) == [
        (FINAL_TREE_RUN, SKIPPED),
        (REPLAY_RUN, NOT_NEEDED),
        (REVERT_RUN, NOT_NEEDED),
    ]

    finished = here.run("audit", "--finish")

    assert finished.code == 0, finished.out + finished.err
    assert "proven. The checks pass here and in a clean checkout." in finished.out
    assert (FINAL_TREE_RUN, PASSED) in outcomes(here)
    assert here.ended.verdict is not None
    assert here.ended.verdict.grade == "proven"
    assert here.run("audit").code == 0, "the longer record is sealed"
    assert "proven" in here.run("receipt").out
    again = here.run("audit", "--finish")
    assert "no run of its proof is left to be made" in again.err


def test_audit_finish_records_what_refutes_the_proof(project, monkeypatch) -> None:
    here = begin(project, __gitignore="hidden.py\n")
    here.write({"parse.py": "from hidden import parse\n", "hidden.py": FIXED})
    with monkeypatch.context() as patch:
        patch.setattr(time_limits, "STOP_SECONDS", 0)
        end(here)
    assert here.ended.verdict is not None
    assert here.ended.verdict.grade == "proven-in-place"

    finished = here.run("audit", "--finish", "--json")

    assert finished.code == 1, finished.out + finished.err
    run = finished.json["runs"][-1]
    assert (finished.json["grade"], run["outcome"], run["failures"]) == ("reported", "failed", 2)
    assert here.ended.verdict is not None
    assert "fails in a clean checkout" in here.ended.verdict.why
    assert "reported" in here.run("history").out


@pytest.mark.long
def test_audit_finish_repeats_a_run_that_failed(project, monkeypatch, tmp_path) -> None:
    flag = tmp_path / "flag"  # only outside the project the check fails while it is there
    line = f"python3 -B -m unittest -v && {{ test -d .loop || test ! -e {flag}; }}\n"
    here = begin(project, check__sh=line, check="sh check.sh")
    here.write({"parse.py": FIXED})
    with monkeypatch.context() as patch:
        patch.setattr(time_limits, "STOP_SECONDS", 0)
        end(here)
    flag.touch()
    failed = here.run("audit", "--finish")
    assert failed.code == 1
    assert "running again, because it failed: room …" in failed.out
    assert "room: failed, 2 times: this refutes the proof" in failed.out
    flag.unlink()

    passed = here.run("audit", "--finish")

    assert "room: passed, after 2 that failed: it is flaky" in passed.out
    assert here.ended.verdict is not None
    assert (here.ended.verdict.name, here.ended.verdict.grade) == ("MONITOR", "reported")
    assert "different results in the same clean checkout" in here.ended.verdict.why
    assert "no run of its proof is left to be made" in here.run("audit", "--finish").err


@pytest.mark.long
def test_audit_finish_makes_runs_that_were_never_made(project) -> None:
    here = begin(project, "--room", "off")
    here.write({"parse.py": FIXED, "test_more.py": TESTS})
    end(here)
    assert here.ended.verdict is not None
    assert (here.ended.verdict.grade, outcomes(here)) == ("proven-in-place", [])
    here.write({"parse.py": "raise SystemExit\n"})  # the final tree is kept

    finished = here.run("audit", "--finish")

    assert finished.code == 0, finished.out + finished.err
    assert outcomes(here) == [(kind, PASSED) for kind in (FINAL_TREE_RUN, REPLAY_RUN, REVERT_RUN)]
    assert "proven. The checks pass here and in a clean checkout." in finished.out


def test_audit_finish_makes_no_run_without_a_command(project) -> None:
    here = project()
    here.start()
    seen = {"met": True, "verification": "observation", "evidence": "seen"}
    stop(here, block({"docs read well": seen}, exit=True))

    said = here.run("audit", "--finish")

    assert "no run of its proof is left to be made (none of its checks runs a command)" in said.err


def test_audit_finish_is_not_for_an_agent(project, monkeypatch) -> None:
    here = end_without_time(project, monkeypatch)

    refused = here.run("audit", "--finish", CLAUDECODE="1")

    assert refused.code == 1
    assert "`loop audit --finish` is the person's to say" in refused.err


def test_finish_also_calibrates(project, monkeypatch) -> None:
    start = "loopwright.cli.commands.start"
    monkeypatch.setattr(f"{start}.calibrate_clean_checkout", lambda loop, _: loop)
    monkeypatch.setattr(f"{start}.calibrate_in_background", lambda *_: None)
    here = begin(project)
    here.write({"parse.py": FIXED})
    with monkeypatch.context() as patch:
        patch.setattr(time_limits, "STOP_SECONDS", 0)
        end(here)
    assert here.ended.room.status == PENDING
    assert outcomes(here) == [(FINAL_TREE_RUN, SKIPPED)]

    assert here.run("audit", "--finish").code == 0
    assert here.ended.room.status == TRUSTED


def test_a_session_has_the_time_of_its_hook() -> None:
    limit = time_limits.limit_of_stop(a_loop(), time.monotonic())
    limit.require(1000.0, 2)

    with pytest.raises(
        time_limits.NotEnoughTime, match=r"it may take 4500 s, and this Stop has 32\d\d"
    ):
        limit.require(1000.0, 3)
    time_limits.NO_LIMIT.require(1e9, 3)
