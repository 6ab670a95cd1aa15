"""Checks that may not run: the loop asks first, and the person lets them run with /loop:allow."""

from __future__ import annotations

import pytest

from tests.support.hook import SESSION, block, prompts, stop, types
from tests.support.project import Project

FIVE = ("Outcome", "Scope", "Constraints", "Success", "Done")
IN_PLUGIN = {"CLAUDE_PLUGIN_ROOT": "/p"}


@pytest.fixture
def unconfirmed_project(project) -> Project:
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


def test_loop_allow_typed_at_the_open_question_lets_the_listed_commands_run(
    unconfirmed_project,
) -> None:
    assert unconfirmed_project.loop.waiting_checks

    said = types(unconfirmed_project, "/loop:allow", **IN_PLUGIN).reply

    assert said["decision"] == "block", "no model call"
    assert said["reason"].startswith("1 check allowed.")
    assert not unconfirmed_project.loop.waiting_checks
    assert "Start? y = start" in said["reason"], "the start is still the person's to say"


def test_another_session_allows_nothing(unconfirmed_project) -> None:
    said = types(unconfirmed_project, "/loop:allow", session="another").reply

    assert "Another session drives this loop" in said["reason"]
    assert unconfirmed_project.loop.waiting_checks


def test_an_agent_allows_nothing(unconfirmed_project) -> None:
    assert unconfirmed_project.run("allow", "--yes", CLAUDECODE="1").code == 1
    assert unconfirmed_project.run("continue", "--unproven", CLAUDECODE="1").code == 1
    assert unconfirmed_project.loop.waiting_checks


def test_criteria_are_listed_added_and_dropped_without_a_model_call(unconfirmed_project) -> None:
    assert "it is there" in types(unconfirmed_project, "/loop:criteria").reply["reason"]
    assert (
        "2 criteria now"
        in types(unconfirmed_project, '/loop:criteria add "b=test -f b"').reply["reason"]
    )
    assert "1 criterion now" in types(unconfirmed_project, "/loop:criteria drop b").reply["reason"]
    assert (
        "neither add nor drop"
        in types(unconfirmed_project, "/loop:criteria frobnicate").reply["reason"]
    )


def test_a_criterion_added_in_a_session_is_bound_to_the_repositorys_check(
    unconfirmed_project,
) -> None:
    no_lint = types(unconfirmed_project, '/loop:criteria add "tidy=@lint"').reply["reason"]
    unconfirmed_project.write({"Makefile": "test:\n\ttrue\n"})
    types(unconfirmed_project, '/loop:criteria add "nothing is broken=@tests"')

    assert "no such command was found in this repository" in no_lint
    added = unconfirmed_project.loop.criteria[-1]
    assert added.name == "nothing is broken"
    assert (added.check.command_line, added.check.origin) == ("make test", "detected")


def test_history_receipt_and_rewind_answer_after_the_end_too(unconfirmed_project) -> None:
    prompts(unconfirmed_project, "sure, go ahead")
    unconfirmed_project.write({"tool.txt": "x\n"})
    stop(unconfirmed_project, block({"it is there": True}, exit=True))
    assert unconfirmed_project.ended.verdict

    assert (
        unconfirmed_project.ended.id in types(unconfirmed_project, "/loop:history").reply["reason"]
    )
    assert "it is there" in types(unconfirmed_project, "/loop:receipt").reply["reason"]
    assert "Iterations" in types(unconfirmed_project, "/loop:rewind", **IN_PLUGIN).reply["reason"]
    back = types(unconfirmed_project, "/loop:rewind 0", **IN_PLUGIN).reply["reason"]
    assert "`/loop:rewind saved-1`" in back
    assert not (unconfirmed_project.root / "tool.txt").exists()


def test_without_any_loop_they_say_so(project) -> None:
    here = project()

    for name in ("history", "receipt", "rewind"):
        assert "No loop has ended here yet" in types(here, f"/loop:{name}").reply["reason"]
