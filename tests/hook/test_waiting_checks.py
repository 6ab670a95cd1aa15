"""Checks that may not run: the loop asks first, and the person lets them run with /loop:allow."""

from __future__ import annotations

import pytest

from tests.support.hook import SESSION, block, prompts, stop, types
from tests.support.project import Project

FIVE = ("Outcome", "Scope", "Constraints", "Success", "Done")
IN_PLUGIN = {"CLAUDE_PLUGIN_ROOT": "/p"}


@pytest.fixture
def here(project) -> Project:
    here = project({"a.txt": "x\n"})
    said = here.run(
        "start",
        "add tool.txt",
        *("--criterion", "it is there", "--session", SESSION),
        *(word for name in FIVE for word in ("--point", f"{name}: 2 (exact)")),
        *("--check", "it is there=test -f tool.txt"),
        CLAUDECODE="1",
    )
    assert said.code == 0, said.err
    return here


def test_loop_allow_typed_at_the_open_question_lets_the_listed_commands_run(here) -> None:
    assert here.loop.waiting_checks

    said = types(here, "/loop:allow", **IN_PLUGIN).reply

    assert said["decision"] == "block", "no model call"
    assert said["reason"].startswith("1 check allowed.")
    assert not here.loop.waiting_checks
    assert "Start? y = start" in said["reason"], "the start is still the person's to say"


def test_another_session_allows_nothing(here) -> None:
    said = types(here, "/loop:allow", session="another").reply

    assert "Another session drives this loop" in said["reason"]
    assert here.loop.waiting_checks


def test_an_agent_allows_nothing(here) -> None:
    assert here.run("allow", "--yes", CLAUDECODE="1").code == 1
    assert here.run("continue", "--unproven", CLAUDECODE="1").code == 1
    assert here.loop.waiting_checks


def test_criteria_are_listed_added_and_dropped_without_a_model_call(here) -> None:
    assert "it is there" in types(here, "/loop:criteria").reply["reason"]
    assert "2 criteria now" in types(here, '/loop:criteria add "b=test -f b"').reply["reason"]
    assert "1 criterion now" in types(here, "/loop:criteria drop b").reply["reason"]
    assert "neither add nor drop" in types(here, "/loop:criteria frobnicate").reply["reason"]


def test_a_criterion_added_in_a_session_is_bound_to_the_repositorys_check(here) -> None:
    no_lint = types(here, '/loop:criteria add "tidy=@lint"').reply["reason"]
    here.write({"Makefile": "test:\n\ttrue\n"})
    types(here, '/loop:criteria add "nothing is broken=@tests"')

    assert "no such command was found in this repository" in no_lint
    added = here.loop.criteria[-1]
    assert added.name == "nothing is broken"
    assert (added.check.command_line, added.check.origin) == ("make test", "detected")


def test_history_receipt_and_rewind_answer_after_the_end_too(here) -> None:
    prompts(here, "sure, go ahead")
    here.write({"tool.txt": "x\n"})
    stop(here, block({"it is there": True}, exit=True))
    assert here.ended.verdict

    assert here.ended.id in types(here, "/loop:history").reply["reason"]
    assert "it is there" in types(here, "/loop:receipt").reply["reason"]
    assert "Iterations" in types(here, "/loop:rewind", **IN_PLUGIN).reply["reason"]
    back = types(here, "/loop:rewind 0", **IN_PLUGIN).reply["reason"]
    assert "`/loop:rewind saved-1`" in back
    assert not (here.root / "tool.txt").exists()


def test_without_any_loop_they_say_so(project) -> None:
    here = project()

    for name in ("history", "receipt", "rewind"):
        assert "No loop has ended here yet" in types(here, f"/loop:{name}").reply["reason"]
