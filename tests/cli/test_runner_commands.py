"""The commands around `loop run`: agents, report; and what is wrong is said before anything starts."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.hook import block
from tests.support.project import Project
from tests.support.runner import CLAIM, DONE, script, start_checked_loop, write_fake_agent

STOPS = {"say": block({}, "BLOCKED: the key is missing"), "dollars": 0.25}


# --- loop agents ---


def test_agents_says_what_each_can_do_and_whether_it_is_here(
    checked_project: Project, monkeypatch, tmp_path: Path
) -> None:
    path = write_fake_agent(checked_project, "claude", "1 / 0", version="9.8.7 (Claude Code)")
    monkeypatch.setenv("PATH", path.partition(":")[0])
    said = checked_project.run("agents").out
    facts = {one["name"]: one for one in checked_project.run("agents", "--json").json}

    rows = {line.split()[0]: line.split()[1:] for line in said.splitlines() if line}
    assert rows["claude"] == [
        "9.8.7",
        "veto",
        "8",
        "dollars",
        "yes",
        "/loop:status",
        "yes",
        "2.1.325",
    ]
    assert rows["codex"][0] == "no"
    assert rows["script"] == ["yes", "no", "-", "dollars", "no", "-", "yes", "-"]
    assert rows["droid"][-3:] == ["not", "run", "here"]
    assert "  copilot: 8 answers to one prompt, with or without tool calls\n" in said
    assert "  codex: npm install -g @openai/codex\n" in said
    found = {name: (one["installed"], one["version"]) for name, one in facts.items()}
    assert found["claude"] == (True, "9.8.7 (Claude Code)")
    assert [name for name, (installed, _) in found.items() if installed] == [
        *("claude", "acp", "command", "script")
    ]


def test_an_agent_that_is_broken_is_said_to_be_there_and_no_more(
    checked_project: Project, monkeypatch
) -> None:
    path = write_fake_agent(checked_project, "codex", "sys.exit(3)", version="")
    monkeypatch.setenv("PATH", path.partition(":")[0])

    assert "\ncodex     yes " in checked_project.run("agents").out


# --- loop report ---


def test_report_is_honest_on_a_failed_night(checked_project: Project) -> None:
    lies = {"say": CLAIM, "dollars": 0.5, "write": {"n.txt": "x"}}
    checked_project.run(
        "run",
        "--script",
        script(checked_project, lies, {"fail": "usage limit", "limit": 0.1}, STOPS),
    )
    said = checked_project.run("report")

    assert said.code == 0, said.err
    assert said.out.startswith(
        "# fix all failing tests in readme.md\n\n**NOT DONE: paused: the agent says it is blocked: the key is missing**\n"
    )
    assert "## Shown\n\nNothing.\n" in said.out
    assert "- done: `test -e done.txt` exited 1\n" in said.out
    assert (
        "| 1 | script | 0.0 | $0.50 | n.txt (+1 −0) | Did some work. |  | claimed done, and was not |"
        in said.out
    )
    assert "| – | script | 0.0 | $0.00 |" in said.out
    assert "| 2 | script | 0.0 | $0.25 |" in said.out
    assert "## Next\n\n- `loop run --continue`" in said.out


def test_report_of_a_night_that_went_well_names_the_evidence(checked_project: Project) -> None:
    checked_project.run("run", "--script", script(checked_project, DONE))
    said = checked_project.run("report")

    assert said.out == checked_project.run("report", checked_project.ended.id).out
    assert "**Finished, proven in place. The checks pass here; " in said.out
    assert re.search(
        r"- done: `test -e done.txt` exited 0 in \d\.\d s on tree `[0-9a-f]{12}`, output in",
        said.out,
    )
    assert "| 1 | script | 0.0 | $0.00 | done.txt (+1 −0) | Did some work. | ✓ done |" in said.out


@pytest.mark.parametrize("name", ["20200101-000000-abcdef", "../../etc", ""])
def test_report_of_a_loop_that_nobody_knows(project, name: str) -> None:
    said = project().run("report", *([name] if name else []))

    assert (said.code, said.out) == (1, "")
    assert said.err.startswith("loop: ")
    assert "our own error" not in said.err


# --- what is wrong is said first ---

WRONG: dict[str, tuple[tuple[str, ...], str]] = {
    "an agent that nobody knows": (
        ("--agent-command", "true", "--fallback", "gpt"),
        "no agent 'gpt'",
    ),
    "a fallback that is not installed": (
        ("--agent-command", "true", "--fallback", "codex"),
        "codex is not installed: npm",
    ),
    "a fallback without words": (
        ("--agent-command", "true", "--fallback", "script"),
        "script cannot be a fallback",
    ),
    "an agent that is not installed": (("--agent", "claude"), "claude is not installed: npm"),
    "nobody is installed": ((), "neither claude nor codex is installed"),
    "settings of nobody": (
        ("--agent-command", "true", "--settings", "user,root"),
        "--settings takes user, project, local",
    ),
    "no context to keep": (
        ("--agent-command", "true", "--keep-context"),
        "command cannot keep its context",
    ),
    "a rule of claude's": (
        ("--agent-command", "true", "--allow", "Bash(ls)"),
        "--allow is a rule of claude's",
    ),
    "an open quote": (
        ("--agent-command", "aider 'oops"),
        "--agent-command cannot be read: No closing quotation",
    ),
    "no words": (("--agent-command", "  "), "which command?"),
    "a command without one": (("--agent", "command"), "which command?"),
    "two agents": (
        ("--agent", "codex", "--agent-command", "true"),
        "--agent-command is an agent of its own",
    ),
    "no script": (("--agent", "script"), "which script?"),
    "a script that is gone": (("--script", "gone.json"), "no script at gone.json"),
    "no number": (
        ("--agent-command", sys.executable, "--turn-minutes", "soon"),
        "--turn-minutes takes a number",
    ),
    "a program that is missing": (
        ("--agent-command", "no-such-program --message {prompt}"),
        "--agent-command: no-such-program is not installed, or not on the PATH",
    ),
    "an agent over the protocol that is missing": (
        ("--agent", "acp:no-such-agent --acp"),
        "--agent acp: no-such-agent is not installed, or not on the PATH",
    ),
    "an agent over the protocol without a command": (("--agent", "acp: "), "which command?"),
    "an agent over the protocol as a fallback": (
        ("--agent-command", "true", "--fallback", "acp"),
        "acp cannot be a fallback",
    ),
    "no number, before the agent is looked for": (
        ("--agent", "codex", "--turn-budget", "ten"),
        "--turn-budget takes a number, not 'ten'",
    ),
    "nothing to spend": (
        ("--agent-command", sys.executable, "--turn-budget", "0"),
        "--turn-budget takes a number above 0",
    ),
}


WORDS_OF_WRONG_VALUES = (" takes ", "cannot be read", "which command?", "no agent")


def test_what_is_wrong_is_said_before_anything_starts(checked_project: Project, tmp_path) -> None:
    for words, says in WRONG.values():
        said = checked_project.run("run", *words, PATH=str(tmp_path))

        is_wrong_value = any(words in says for words in WORDS_OF_WRONG_VALUES)
        assert (said.code, said.out) == (64 if is_wrong_value else 1, "")
        assert says in said.err
        assert checked_project.events("RunnerStarted") == []


def test_a_script_that_cannot_be_played_is_refused_with_an_example(
    checked_project: Project,
) -> None:
    for text, says in [
        ('[{"say": "Done."}]', "the script turns.json has no list of turns."),
        ('{"turns": []}', "the script turns.json has no list of turns."),
        ('{"turns": ["Done."]}', "the script turns.json has no list of turns."),
        ("Done.", "the script turns.json cannot be read: "),
    ]:
        checked_project.write({"turns.json": text})

        said = checked_project.run("run", "--script", "turns.json")

        assert (said.code, said.out) == (1, "")
        assert says in said.err
        assert '{"turns": [{' in said.err


def test_an_agent_that_there_is_not_is_a_mistake_of_typing(checked_project: Project) -> None:
    for typed, says in [
        ("gpt", "no agent 'gpt'; there are claude, codex, gemini"),
        ("claude:x", "no agent 'claude:x'"),
        ("acp", "which agent? Name its command: --agent 'acp:COMMAND'"),
    ]:
        said = checked_project.run("run", "--agent", typed)

        assert said.code == 64
        assert says in said.err


def test_without_its_library_the_protocol_names_the_extra(
    checked_project: Project, monkeypatch
) -> None:
    monkeypatch.setattr("loopwright.cli.run_request.find_spec", lambda name: None)

    said = checked_project.run("run", "--agent", f"acp:{sys.executable}")

    assert said.code == 1
    assert "pip install 'loopwright[acp]'" in said.err


@pytest.mark.parametrize(
    ("turn", "says", "code"),
    [(STOPS, "the loop is paused", 1), ({"say": block({}, "ASK: Which?")}, "(Which?)", 6)],
)
def test_a_loop_that_waits_for_a_person_is_not_run(
    checked_project: Project, turn: dict[str, Any], says: str, code: int
) -> None:
    checked_project.run("run", "--script", script(checked_project, turn))
    said = checked_project.run("run", "--script", script(checked_project, DONE))

    assert (said.code, says in said.err) == (code, True)
    assert len(checked_project.events("RunnerStarted")) == 1


# --- what is printed ---


def test_json_is_one_object_a_line_and_nothing_else(
    checked_project: Project, tmp_path: Path
) -> None:
    turns = {"fail": "limit", "limit": 2}, {**DONE, "dollars": 0.5}
    said = checked_project.run(
        "run",
        "--script",
        script(checked_project, *turns),
        "--json",
        "--worktree",
        str(tmp_path / "there"),
        "--commit",
    )
    events = [json.loads(line) for line in said.out.splitlines()]

    assert said.err == ""
    assert [
        event["event"] for event in events if event["event"] not in ("waits", "line", "said")
    ] == [*("plan", "turn", "checks", "ended", "turn", "checks", "ended", "end")]
    assert {"waits", "line", "said"} <= {event["event"] for event in events}
    assert (events[-1]["code"], events[-1]["loop"]["status"]) == (0, "finished")
    assert [event["turn"] for event in events if event["event"] == "turn"] == [1, 2]


def test_no_line_has_what_a_terminal_would_obey(project) -> None:
    here = start_checked_loop(project, "--check", "\x1b[31mred\x07=false")
    evil = "\x1b]0;pwned\x07\x1b[2J\x1b[31m\x9b1m red\r\x00"
    turns = {"say": evil + block({}), "run": [f"printf '{evil[:4]}'; exit 3"]}, {"fail": evil}
    for words in (
        ("run", "--script", script(here, *turns)),
        ("logs",),
        ("logs", "--turn", "1"),
        ("report",),
        ("status",),
    ):
        said = here.run(*words)
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", said.out + said.err), words


@pytest.mark.parametrize("mark", ["CLAUDECODE", "LOOP_CHILD"])
def test_they_are_the_persons_to_run(checked_project: Project, mark: str) -> None:
    lines = ["run --agent-command true", "agents", "logs", "report", "steer x", "attach", "detach"]
    for words in map(str.split, lines):
        said = checked_project.run(*words, **{mark: "1"})

        assert (said.code, said.out) == (1, "")
        assert f"`loop {words[0]}` is the person's to run ({mark} is set)" in said.err
        assert checked_project.events("OrderRefused")[-1]["order"] == words[0]
