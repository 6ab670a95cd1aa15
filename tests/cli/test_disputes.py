"""`loop dispute` for agents, `loop rule` and /loop:rule for the person, with the real hook."""

from __future__ import annotations

import pytest

from tests.support.hook import block, stop, types
from tests.support.project import Project

NAME = "tests pass"
WHY = "it expects a file that the spec does not name"


@pytest.fixture
def disputed_project(project) -> Project:
    """A loop with a wrong check and one that passes; a person watches it, so it asks."""
    made = project()
    return begin(made, "--shape", "tool")


def begin(here: Project, *flags: str) -> Project:
    wrong, right = f"{NAME}=test -e wrong.txt", "right=test -e right.txt"
    said = here.run("start", "add right.txt", "--check", wrong, "--check", right, *flags)
    assert said.code == 0, said.err
    here.write({"right.txt": "here\n"})
    return here


def test_an_agent_disputes_with_a_command_and_the_person_is_asked(
    disputed_project: Project,
) -> None:
    said = disputed_project.run("dispute", NAME, WHY, CLAUDECODE="1")

    assert said.code == 0, said.err
    assert "The person decides; continue with the rest." in said.out
    answer = stop(disputed_project, "I did the rest.")
    assert WHY in answer.message
    assert disputed_project.loop.status == "asking"
    assert "disputed by the agent" in disputed_project.run("status").out
    assert f'`loop rule "{NAME}" keep`' in disputed_project.run("status").out
    assert disputed_project.run("status", "--exit-code").code == 6


def test_with_yes_it_pauses_and_a_ruling_lets_it_continue(project) -> None:
    here = begin(project(), "--yes")

    answer = stop(here, block({}, f"DISPUTE: {NAME}: {WHY}"))

    assert "⏸ Paused: only what the agent calls wrong is open" in answer.message
    assert f'Resume: `loop rule "{NAME}" keep`' in answer.message
    assert here.run("status", "--exit-code").code == 6
    assert here.run("rule", NAME, "keep").code == 0
    assert here.loop.status == "running"


def test_the_person_lists_and_rules_in_a_terminal(disputed_project: Project) -> None:
    disputed_project.run("dispute", NAME, WHY)
    stop(disputed_project, "I did the rest.")

    assert f"{NAME}: {WHY}" in disputed_project.run("rule").out
    said = disputed_project.run("rule", NAME, "change", "test -e right.txt")

    assert said.code == 0, said.err
    assert f'"{NAME}" is checked with `test -e right.txt` now.' in said.out
    assert disputed_project.loop.status == "running"
    assert [c.check.command for c in disputed_project.loop.criteria if c.name == NAME] == [
        "test -e right.txt"
    ]


def test_the_person_rules_in_the_session_without_a_model_call(disputed_project: Project) -> None:
    stop(disputed_project, block({}, f"DISPUTE: {NAME}: {WHY}"))

    listed = types(disputed_project, "/loop:rule")
    ruled = types(disputed_project, f"/loop:rule {NAME} drop")

    assert listed.reply["decision"] == ruled.reply["decision"] == "block"
    assert WHY in listed.reply["reason"]
    assert f'"{NAME}" is dropped.' in ruled.reply["reason"]
    assert [c.name for c in disputed_project.loop.criteria] == ["right"]
    stop(disputed_project, block({"right": True}, exit=True))
    verdict = disputed_project.ended.verdict
    assert not verdict.proven
    assert any(WHY in note for note in verdict.notes)
    receipt = disputed_project.run("receipt", "--json").json
    assert receipt["disputes"] == [{"criterion": NAME, "why": WHY, "ruling": "drop"}]


def test_an_agent_may_not_rule_and_the_attempt_is_recorded(disputed_project: Project) -> None:
    disputed_project.run("dispute", NAME, WHY, CLAUDECODE="1")

    said = disputed_project.run("rule", NAME, "drop", CLAUDECODE="1")

    assert said.code == 1
    assert "`loop rule` is the person's to run" in said.err
    assert "OrderRefused" in disputed_project.run("journal", "--json").out
    assert disputed_project.loop.disputed_criteria == (NAME,)


def test_a_wrong_word_is_explained(disputed_project: Project) -> None:
    disputed_project.run("dispute", NAME, WHY)
    for words, hint in [
        (("dispute", "no such", WHY), "no criterion 'no such'; there are: "),
        (("dispute", NAME, " "), "why is it wrong?"),
        (("rule", "right", "keep"), '"right" waits for no ruling; waiting: tests pass'),
        (("rule", NAME), "how do you decide?"),
        (("rule", NAME, "change"), "with which command?"),
        (("rule", NAME, "keep", "true"), "keep takes no command"),
    ]:
        said = disputed_project.run(*words)

        assert said.code == 1
        assert hint in said.err
        assert disputed_project.loop.disputed_criteria == (NAME,)
