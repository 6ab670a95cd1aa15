"""`loop fleet` and its actions: help, examples, completion, and what an agent may use."""

from __future__ import annotations

import shlex
from collections.abc import Callable

import pytest

from loopwright.cli.command_parser import command_parser
from loopwright.cli.commands.completion import action_parsers, bash_script
from loopwright.cli.fleet.actions import ACTIONS
from tests.support.project import Project

# A worker works until it is ended, and prints lines about that.
WITHOUT_JSON = ("worker",)


@pytest.mark.parametrize("name", ACTIONS)
def test_every_action_has_help_with_examples_that_can_be_typed(name: str) -> None:
    parser = action_parsers(command_parser("fleet"))[name]
    text = parser.format_help()
    assert "examples:" in text
    assert "--database" in text
    assert ("--json" in text) is (name not in WITHOUT_JSON)
    for line in ACTIONS[name].examples.replace("\\\n", "").splitlines():
        words = shlex.split(line.partition("|")[0], comments=True)
        assert words[:3] == ["loop", "fleet", name]
        command_parser("fleet").parse_args(words[2:])


def test_options_that_make_no_sense_for_a_job_are_not_in_the_help() -> None:
    text = action_parsers(command_parser("fleet"))["submit"].format_help()
    for option in ("--detach", "--worktree", "--attach", "--resume-all", "--stay", "--parallel"):
        assert option not in text
    for option in ("--check", "--plan", "--holdout", "--fallback", "--turn-budget", "--sandbox"):
        assert option in text


def test_alone_it_shows_the_status(project: Callable[..., Project]) -> None:
    here = project()
    assert here.run("fleet").out == here.run("fleet", "status").out


def test_an_unknown_action_is_wrong_usage(project: Callable[..., Project]) -> None:
    said = project().run("fleet", "submitt")
    assert said.code == 64
    assert "invalid choice: 'submitt'" in said.err


def test_the_shell_completes_actions_and_their_options() -> None:
    (line,) = [line for line in bash_script().splitlines() if line.strip().startswith("fleet)")]
    assert {"submit", "worker", "--drain", "--repository"} <= set(line.replace("'", " ").split())


def test_agents_may_use_only_what_reads() -> None:
    reading = {name for name, action in ACTIONS.items() if action.only_reads}
    assert reading == {"status", "logs", "results", "doctor"}
