"""loop run SPEC: one command starts a loop and drives it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.hook import block
from tests.support.project import Project

SPEC = "create done.txt in the top folder until the check passes"
CHECK = ("--check", "done=test -e done.txt")
DONE = {"say": block({"done": True}, exit=True)}
WORKS = {**DONE, "write": {"done.txt": "x"}}


def script(here: Project, *turns: dict[str, Any]) -> str:
    here.write({"script.json": json.dumps({"turns": turns})})
    return str(here.root / "script.json")


def test_one_command_starts_a_loop_and_drives_it_to_the_proof(project) -> None:
    here = project()
    said = here.run("run", SPEC, *CHECK, "--script", script(here, DONE, WORKS))

    assert said.code == 0, said.err
    assert "[LOOP] Starting | Shape: Tool" in said.out
    assert "lets go" not in said.out  # that is about sessions
    assert "done ← test -e done.txt (failing now (exit 1))" in said.out
    assert "claimed done, but it is not: the claim is taken back" in said.out
    assert here.ended.spec == SPEC
    assert here.ended.verdict is not None
    assert (here.ended.verdict.name, here.ended.verdict.grade) == ("SHIP", "proven")


def test_an_empty_spec_is_no_loop_to_continue(project) -> None:
    said = project().run("run", "")

    assert (said.code, "what is to be done?" in said.err) == (1, True), said.err


def test_a_word_that_no_script_has_is_named(project) -> None:
    here = project()
    said = here.run("run", SPEC, *CHECK, "--script", script(here, {**DONE, "wirte": {"a": "x"}}))

    assert said.code != 0
    assert "a turn has no wirte" in said.out + said.err


def test_the_repositorys_own_tests_need_no_flag(project) -> None:
    here = project({"Makefile": "test:\n\t@test -e done.txt\n"})
    done = {"say": block({"tests pass": True}, exit=True), "write": {"done.txt": "x"}}

    assert here.run("run", "fix all failing tests", "--script", script(here, done)).code == 0
    assert [c.name for c in here.ended.criteria] == ["tests pass"]


def test_with_json_every_line_is_an_event(project) -> None:
    here = project()
    said = here.run("run", SPEC, *CHECK, "--json", "--script", script(here, WORKS))

    events = [json.loads(line) for line in said.out.splitlines()]
    assert (said.code, events[-1]["event"]) == (0, "end")
    assert events[-1]["loop"]["verdict"]["grade"] == "proven"


def test_a_loop_that_is_active_here_is_named_with_the_choices(project) -> None:
    here = project()
    here.start(*CHECK)
    said = here.run("run", "something else", "--script", script(here, WORKS))

    assert said.code == 1
    assert "a loop is running here: 'fix all failing tests in readme.md'" in said.err
    assert "Drive it: loop run. End it: loop cancel. Or start over: add --replace" in said.err
    assert here.loop.spec == "fix all failing tests in readme.md"

    again = here.run("run", SPEC, *CHECK, "--replace", "--script", script(here, WORKS))
    assert again.code == 0, again.err
    assert here.ended.spec == SPEC


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("make better",), 5, "too vague"),
        ((SPEC, *CHECK, "--script", "nowhere.json"), 1, "no script at nowhere.json"),
        ((SPEC, *CHECK, "--budget", "much"), 64, "--budget"),
        (CHECK, 1, "--check belongs to a new loop: loop run SPEC"),
        (("--replace",), 1, "--replace belongs to a new loop: loop run SPEC"),
    ],
    ids=["vague", "no script", "no number", "a check without a spec", "replace without a spec"],
)
def test_a_mistake_is_named_and_nothing_is_started(project, words, code, says) -> None:
    here = project()
    if "--script" not in words:
        words = (*words, "--script", script(here, WORKS))
    said = here.run("run", *words)

    assert (said.code, says in said.err) == (code, True), said.err
    assert not (here.root / ".loop/journal.jsonl").exists()


def test_what_is_hard_to_take_back_still_waits_for_a_yes(project) -> None:
    here = project()
    said = here.run(
        "run", "drop the column of the production database", *CHECK, "--script", script(here, WORKS)
    )

    assert said.code == 6
    assert "it waits for an answer first" in said.err
    assert here.loop.status == "asking"


# --- loop start without a hook ---


def test_without_a_hook_start_names_the_two_commands_to_type(project) -> None:
    said = project().run("start", SPEC, *CHECK, "--yes")

    rows = said.out.splitlines()
    at = next(n for n, row in enumerate(rows) if row.startswith("Claude Code has no hook"))
    assert rows[at + 1].startswith("  claude plugin marketplace add ")
    assert rows[at + 2] == "  claude plugin install loop@loopwright"
    assert rows[at + 3].endswith("Or without a session: loop run")


SETTINGS = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "loop hook claude"}]}]}}'


def test_with_a_hook_in_the_settings_start_says_how_to_go_on(project) -> None:
    here = project({"readme.md": "", ".claude/settings.json": SETTINGS})
    said = here.run("start", SPEC, *CHECK, "--yes")

    assert "Open your agent in this folder: its next prompt here drives the loop." in said.out
    assert "has no hook" not in said.out
