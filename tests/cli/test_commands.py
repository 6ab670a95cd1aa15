"""Every command, once as it is meant and once as it is not: what is wrong, and the way out."""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import loopwright
from loopwright.cli import exits
from loopwright.cli.command_modules import command_module
from loopwright.cli.command_parser import command_parser
from loopwright.cli.errors import run_explaining_errors
from loopwright.cli.here import AGENT_COMMANDS, AGENT_VARIABLES, NEUTRAL_COMMANDS
from loopwright.cli.main import COMMANDS, GROUPS
from loopwright.core.criteria import Criterion, Evidence
from loopwright.core.limits import Spend
from loopwright.core.loop import Step
from loopwright.core.proof.state import Verdict
from tests.support.builders import a_loop, a_loop_without_checks
from tests.support.hook import SESSION, stop
from tests.support.project import Project

NAME = "docs read well"


@pytest.fixture
def two_step_project(project) -> Project:
    made = project()
    made.start(
        "--criterion",
        NAME,
        "--check",
        "tests pass=test -e done.txt",
        "--step",
        "write",
        "--step",
        "read",
    )
    return made


# --- the entry point ---


def test_the_real_entry_point_is_a_process(project) -> None:
    here = project()
    assert (
        here.process("start", "fix all failing tests", "--check", "tests pass=false", "--yes").code
        == 0
    )
    said = here.process("status", "--exit-code")

    assert said.code == 0
    assert re.search(r"✗ tests pass +← false +\(failed in", said.out)
    assert said.err == ""


@pytest.mark.parametrize(
    ("words", "not_needed"),
    [
        (("--help",), {"argparse", "re", "typing", "json", "loopwright.core.loop"}),
        (("--version",), {"argparse", "re", "typing", "json", "loopwright.core.loop"}),
        (
            ("status",),
            {"argparse", "re", "contextlib", "collections", "typing", "json", "subprocess"},
        ),
    ],
)
def test_quick_commands_import_only_what_they_need(project, words, not_needed) -> None:
    here = project()
    here.start()
    code = "import sys; from loopwright.cli.main import main; main(sys.argv[1:])"
    program = f"{code}; print(*sys.modules, file=sys.stderr)"

    done = subprocess.run(
        [sys.executable, "-S", "-c", program, *words],
        cwd=here.root,
        env={**os.environ, "PYTHONPATH": str(Path(loopwright.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=True,
    )

    assert not_needed.isdisjoint(done.stderr.split())


def test_without_words_a_command_gets_what_its_parser_would_give() -> None:
    with_defaults = [name for name in COMMANDS if hasattr(command_module(name), "DEFAULTS")]

    assert "status" in with_defaults
    for name in with_defaults:
        assert vars(command_parser(name).parse_args([])) == command_module(name).DEFAULTS


def test_status_into_a_pipe_whose_reader_is_gone_ends_as_before(project) -> None:
    here = project()
    here.start()
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as pipe:
        done = subprocess.run(
            [sys.executable, "-m", "loopwright", "status"],
            cwd=here.root,
            stdout=pipe,
            stderr=subprocess.PIPE,
            check=False,
        )

    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            ("start", "--creterion", "x"),
            "no option --creterion. Did you mean --criterion? See `loop start --help`.",
        ),
        (("run", "--zzz=1"), "no option --zzz. See `loop run --help`."),
        (("status", "a"), "unrecognized arguments: a. See `loop status --help`."),
    ],
)
def test_a_mistyped_option_is_one_line_with_the_way_out(project, words, line) -> None:
    said = project().run(*words)

    assert (said.code, said.err) == (64, f"loop {words[0]}: {line}\n")


def test_without_words_the_overview_is_shown_and_it_is_64(project) -> None:
    said = project().run()

    assert said.code == 64
    for command in COMMANDS:
        assert f"\n  {command} " in said.out


@pytest.mark.parametrize("words", [("--help",), ("help",), ("-h",)])
def test_the_overview_is_no_mistake_when_asked_for(project, words: tuple[str, ...]) -> None:
    said = project().run(*words)

    assert said.code == 0
    for code, meaning in exits.MEANINGS.items():
        assert re.search(rf"^  {code} +{re.escape(meaning)}$", said.out, re.M)


@pytest.mark.parametrize("words", [("--help",), ("--version",), ("run", "--help"), ("agents",)])
def test_a_reader_that_has_seen_enough_is_no_error(words: tuple[str, ...]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    argv = [sys.executable, "-m", "loopwright", *words]

    done = subprocess.run(argv, stdout=writer, stderr=subprocess.PIPE, check=False)

    os.close(writer)
    assert done.stderr == b""


def test_the_overview_lists_the_commands_in_groups(project) -> None:
    said = project().run("--help").out
    titles = re.findall(r"^(\w[\w ]*):$", said, re.M)

    assert titles == [
        "daily",
        "plans",
        "improving",
        "unattended",
        "proof",
        "history",
        "setup",
        "examples",
        "exit codes",
    ]
    assert len(COMMANDS) == sum(map(len, GROUPS.values())), "a command is in one group only"
    assert max(map(len, said.splitlines())) <= 90


def test_the_examples_of_the_overview_are_commands(project) -> None:
    examples = project().run("--help").out.partition("\nexamples:\n")[2].partition("\n\n")[0]

    assert {
        line.split()[:1] == ["loop"] and line.split()[1] in COMMANDS
        for line in examples.splitlines()
    } == {True}


@pytest.mark.parametrize(
    ("word", "meant"), [("stauts", "status"), ("cancle", "cancel"), ("contine", "continue")]
)
def test_a_mistyped_command_is_named(project, word: str, meant: str) -> None:
    said = project().run(word)

    assert (said.code, said.err) == (
        64,
        f"loop: no command {word!r}. Did you mean `loop {meant}`?\n",
    )


def test_the_version(project) -> None:
    assert re.fullmatch(r"loop \d+\.\d+\.\d+\n", project().run("--version").out)


WANT_A_LOOP = [
    "continue",
    "pause",
    "cancel",
    "answer yes",
    "why",
    "check",
    "claim --exit",
    "criteria",
    "allow",
    "deny x",
]
WANT_A_LOOP += [
    "task get",
    "attach --session x",
    "detach",
    "journal",
    "status",
    "run --script x.json",
]


@pytest.mark.parametrize("line", WANT_A_LOOP)
def test_without_a_loop_the_way_to_one_is_shown(project, line: str) -> None:
    said = project().run(*line.split())

    assert said.code == 1
    assert "no active loop in this folder" in said.err
    assert "loop start" in said.err or "loop history" in said.err


JSON = [
    "status --json",
    "why --json",
    "check --json",
    "criteria --json",
    "history --json",
    "config --json",
    "doctor --json",
]
JSON += ["task get", "task list"]


def test_json_is_one_value(two_step_project: Project) -> None:
    for line in JSON:
        assert two_step_project.run(*line.split()).json is not None


def test_journal_json_is_the_lines_as_they_are(two_step_project: Project) -> None:
    assert (
        two_step_project.run("journal", "--json").out
        == (two_step_project.root / ".loop/journal.jsonl").read_text()
    )


# --- looking ---


def test_a_14_status_shows_criteria_steps_counters_and_the_next_command(
    two_step_project: Project,
) -> None:
    said = two_step_project.run("status")

    assert said.out.startswith(
        "▶ running  fix all failing tests in readme.md\n  Iteration 1/10 | Cost: $0.00/$25 | Step: write | 0/240 min\n"
    )
    assert f"✗ {NAME}\n" in said.out
    assert re.search(r"✗ tests pass +← test -e done.txt +\(failed in", said.out)
    assert "· 1. write\n" in said.out
    assert "  next: open your agent in this folder" in said.out


def test_why_explains_the_last_loop_after_its_end(project) -> None:
    here = project()
    here.start()
    here.run("cancel")

    assert here.run("why").out.startswith("cancelled\n")


def test_why_names_what_is_unmet_and_every_counter(two_step_project: Project) -> None:
    said = two_step_project.run("why")

    assert said.out.startswith(f"running: unmet criteria: {NAME}, tests pass\n")
    for counter in (
        "stuck",
        "same error",
        "same file",
        "idle talk",
        "iteration",
        "dollars",
        "minutes",
    ):
        assert re.search(rf"^  {counter} +[\d.]+/\d+$", said.out, re.M)


def test_why_json_says_why(two_step_project: Project) -> None:
    assert (
        two_step_project.run("why", "--json").json["why"]
        == f"running: unmet criteria: {NAME}, tests pass"
    )


def test_check_runs_them_now(two_step_project: Project) -> None:
    said = two_step_project.run("check")
    assert said.code == 1
    assert "✗ tests pass: exit 1" in said.out
    assert f"{NAME}: has no check" in said.err

    two_step_project.write({"done.txt": ""})
    assert two_step_project.run("check", "tests pass").code == 0
    assert (
        two_step_project.run("check", "lint").err
        == f"loop: no criterion 'lint'; there are: {NAME}, tests pass\n"
    )


def test_journal_tells_events_in_order(two_step_project: Project) -> None:
    two_step_project.run("pause", "back soon")
    said = two_step_project.run("journal")

    assert re.search(r"^ +1 \d\d:\d\d:\d\d LoopStarted$", said.out, re.M)
    assert "LoopPaused cause=person why=back soon" in said.out
    assert "LoopStarted" not in two_step_project.run("journal", "--last", "1").out
    assert (
        two_step_project.run("journal", "no-such-loop").err
        == "loop: no loop 'no-such-loop' in history. See: `loop history`\n"
    )


# --- pause, continue, cancel (A-15) ---


def test_a_6_pause_says_reason_progress_and_the_way_on(two_step_project: Project) -> None:
    said = two_step_project.run("pause", "back soon")

    assert (said.code, two_step_project.loop.status, two_step_project.loop.pause.cause) == (
        0,
        "paused",
        "person",
    )
    assert said.out == (
        "[LOOP] ⏸ Paused: back soon\nProgress: 0 steps complete, 2 remaining\nLook: `loop why`. Resume: `loop continue`\n"
    )
    assert two_step_project.run("status", "--exit-code").code == 8
    assert two_step_project.run("pause").code == 0, "twice is no mistake"


def test_a_14_continue_adds_and_prints_the_sum(project) -> None:
    here = project()
    now = time.time()
    spent = Spend(iterations=3, dollars=25.10)
    here.create(
        a_loop_without_checks(
            NAME,
            status="paused",
            cause="budget",
            why="budget of $25 reached",
            spend=spent,
            started_at=now,
        )
    )
    refused = here.run("continue")
    assert (refused.code, refused.out) == (
        2,
        "budget of $25 reached ($25.10 spent). Raise it: `loop continue --budget=25`\n",
    )

    said = here.run("continue", "--budget=25")
    assert said.code == 0
    assert "$25.10/$50" in said.out
    assert (here.loop.limits.dollars, here.loop.spend.dollars, here.loop.status) == (
        50,
        25.10,
        "running",
    )


@pytest.mark.parametrize(
    ("spend", "flag", "code"),
    [
        (Spend(iterations=10), "--iterations", 3),
        (Spend(seconds=240 * 60), "--minutes", 9),
        (Spend(dollars=25), "--budget", 2),
    ],
)
def test_after_a_limit_continue_needs_a_raise(project, spend: Spend, flag: str, code: int) -> None:
    here = project()
    cause = {"--iterations": "iterations", "--minutes": "clock", "--budget": "budget"}[flag]
    here.create(
        a_loop_without_checks(
            NAME, status="paused", cause=cause, why="limit", spend=spend, running_since=0.0
        )
    )
    assert here.run("status", "--exit-code").code == code
    said = here.run("continue")
    assert (said.code, f"`loop continue {flag}=" in said.out) == (code, True)

    assert here.run("continue", f"{flag}=5").code == 0
    assert here.loop.spend == spend


def test_continue_with_wrong_input_changes_nothing(two_step_project: Project) -> None:
    two_step_project.run("pause")
    for words, says in [
        (("--budget=lots",), "--budget takes a number, not 'lots'"),
        (("--budget=0",), "--budget takes a number above 0"),
        (("--iterations=-3",), "--iterations takes a number above 0"),
        (("--iterations=1.5",), "--iterations takes a whole number"),
        (("--budget=80",), "that makes $105, above $100. Add --yes if you mean it"),
        (("--iterations=41",), "that makes 51 iterations, above 50. Add --yes"),
    ]:
        said = two_step_project.run("continue", *words)

        assert (said.code, says in said.err) == (64 if " takes a " in says else 1, True)
        assert two_step_project.loop.status == "paused"
        assert two_step_project.loop.limits.dollars == 25


def test_continue_above_the_maxima_with_a_yes(two_step_project: Project) -> None:
    two_step_project.run("pause")

    assert two_step_project.run("continue", "--budget=100", "--yes").code == 0
    assert two_step_project.loop.limits.dollars == 125


def test_a_15_m18_cancel_reports_and_archives(two_step_project: Project) -> None:
    said = two_step_project.run("cancel")

    assert said.code == 0
    assert said.out == (
        "Loop cancelled.\nCompleted: 0 iterations, $0.00 cost\nAccomplished:\n(none)\nRemaining:\n- write\n- read\n"
        f'Criteria status:\n✗ {NAME}\n✗ tests pass\nTo restart: `loop start "fix all failing tests in readme.md"`\n'
    )
    assert not (two_step_project.root / ".loop/state.json").exists()
    assert two_step_project.run("status", "--exit-code").code == 8


def test_cancel_keep_keeps_the_mirror(two_step_project: Project) -> None:
    two_step_project.run("cancel", "--keep")

    assert (two_step_project.state["status"], two_step_project.state["steps"]) == (
        "cancelled",
        ["write", "read"],
    )


# --- answers ---


def test_answer_wants_a_question(two_step_project: Project) -> None:
    said = two_step_project.run("answer", "yes")

    assert (said.code, said.err) == (
        1,
        "loop: the loop is running and has asked nothing. See: loop status\n",
    )


def test_answer_no_pauses(project) -> None:
    here = project()
    here.run("start", "fix all failing tests", "--criterion", "x", "--shape", "colleague")
    assert here.run("status", "--exit-code").code == 6

    assert "⏸ Paused: you answered no" in here.run("answer", "no").out
    assert here.run("status", "--exit-code").code == 8


# --- claims ---


def test_a_claim_is_noted_and_never_proof(two_step_project: Project) -> None:
    said = two_step_project.run(
        "claim",
        "--met",
        "tests pass",
        "--kind",
        "execution output",
        "--evidence",
        "I ran them",
        CLAUDECODE="1",
    )

    assert (said.code, said.out) == (0, "Noted. The checks decide when you stop.\n")
    assert not two_step_project.loop.is_met(two_step_project.loop.criteria[0])


def test_a_claim_of_what_is_not_there_is_refused(two_step_project: Project) -> None:
    for words, says in [
        ((), "nothing is claimed. See: loop claim --help"),
        (
            ("--met", "lint", "--kind", "observation"),
            f"no criterion 'lint'; there are: {NAME}, tests pass",
        ),
        (("--met", NAME), "how was it verified? Add --kind, one of: execution output"),
        (("--step-done", "dance"), "no step 'dance'; there are: write, read"),
    ]:
        said = two_step_project.run("claim", *words)

        assert (said.code, says in said.err) == (1, True)


def test_a_claim_with_wrong_words_is_64(two_step_project: Project) -> None:
    for words in [("--kind", "hope"), ("--points", "4"), ("--confidence", "very")]:
        assert two_step_project.run("claim", "--exit", *words).code == 64


@pytest.mark.parametrize(
    ("words", "status", "code"),
    [
        (("--blocked", "no access"), "paused", 7),
        (("--ask", "Which?"), "asking", 6),
        (("--must-not", "the API"), "paused", 4),
    ],
)
def test_an_honest_way_out_acts_at_once(
    two_step_project: Project, words: tuple[str, ...], status: str, code: int
) -> None:
    assert two_step_project.run("claim", *words).code == 0
    assert two_step_project.loop.status == status
    assert two_step_project.run("status", "--exit-code").code == code
    assert (
        "takes no claims" in two_step_project.run("claim", "--exit").err
        or f"the loop is {status}" in two_step_project.run("claim", "--exit").err
    )


# --- criteria, allow, deny ---


def test_criteria_are_added_and_dropped_by_the_person(two_step_project: Project) -> None:
    assert two_step_project.run("criteria", "add", "lint clean=true").code == 0
    assert two_step_project.run("criteria", "drop", NAME).code == 0

    assert [c.name for c in two_step_project.loop.criteria] == ["tests pass", "lint clean"]
    assert re.search(r"lint clean +← true", two_step_project.run("criteria").out)


def test_criteria_with_wrong_input(two_step_project: Project) -> None:
    for words, says in [
        (("drop", "dance"), "no criterion 'dance'"),
        (("add", ""), "write it as NAME=COMMAND"),
        (("add", "x="), "write it as NAME=COMMAND"),
    ]:
        said = two_step_project.run("criteria", *words)

        assert (said.code, says in said.err) == (1, True)


def test_the_last_criterion_is_not_dropped(project) -> None:
    here = project()
    here.start()

    assert "a loop without criteria could never end" in here.run("criteria", "drop", NAME).err


def test_deny_takes_a_check_back_and_allow_gives_it(two_step_project: Project) -> None:
    assert two_step_project.run("deny", "tests pass").code == 0
    assert "its check waits for `loop allow`" in two_step_project.run("check").err
    assert two_step_project.run("allow", "tests pass", "--yes").code == 0
    assert two_step_project.run("check", "tests pass").code == 1
    assert "no check waits for you here" in two_step_project.run("allow").err
    assert "no check 'dance'" in two_step_project.run("deny", "dance").err


# --- tasks (A-16) ---


def test_a_16_the_task_record_has_every_field_of_seed_001(two_step_project: Project) -> None:
    task = two_step_project.run("task", "get").json

    assert set(task) == {"id", "subject", "description", "status", "metadata"}
    assert task["subject"] == "Complete: fix all failing tests in readme.md"
    assert task["status"] == "in_progress"
    assert set(task["metadata"]) == {
        "iteration", "cost", "shape", "budget", "maxIterations", "startedAt", "lastCheckpoint",
        "completedSteps", "remainingSteps", "errors",
    }  # fmt: skip
    assert (
        task["metadata"]["iteration"],
        task["metadata"]["budget"],
        task["metadata"]["maxIterations"],
    ) == (1, 25.0, 10)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", task["metadata"]["startedAt"])


def test_a_16_update_is_a_claim_of_steps(two_step_project: Project) -> None:
    two_step_project.run("task", "update", "--completed-step", "write")
    task = two_step_project.run(
        "task",
        "update",
        "--metadata",
        '{"completedSteps": ["read"], "iteration": 99, "budget": 1000}',
    ).json

    assert task["metadata"]["completedSteps"] == ["write", "read"]
    assert task["metadata"]["lastCheckpoint"]
    assert (task["metadata"]["iteration"], task["metadata"]["budget"]) == (1, 25.0)


def test_a_16_an_update_of_nothing_is_refused(two_step_project: Project) -> None:
    for words in [
        (),
        ("--metadata", "{"),
        ("--metadata", "[]"),
        ("--metadata", '{"completedSteps": 7}'),
    ]:
        said = two_step_project.run("task", "update", *words)

        assert said.code == 1
        assert "our own error" not in said.err


def test_a_16_the_list_has_the_ended_ones_too(two_step_project: Project) -> None:
    two_step_project.run("cancel")
    two_step_project.start()

    assert [task["status"] for task in two_step_project.run("task", "list").json] == [
        "in_progress",
        "completed",
    ]


# --- leases ---


def test_attach_and_detach(two_step_project: Project) -> None:
    assert two_step_project.run("attach", "--session", "s-1").code == 0
    assert two_step_project.loop.lease.holder == "s-1"
    refused = two_step_project.run("attach", "--session", "s-2")
    assert (refused.code, "another session drove this loop just now" in refused.err) == (1, True)
    assert two_step_project.run("attach", "--session", "s-2", "--yes").code == 0
    assert two_step_project.run("detach").code == 0
    assert (two_step_project.loop.lease.holder, two_step_project.loop.lease.fence) == ("", 4)
    assert "which session? Give its id" in two_step_project.run("attach").err


def test_two_dashes_are_no_value(two_step_project: Project) -> None:
    for words in [
        "claim --must-not=--",
        "claim --gate=--",
        "claim --gate --",
        "start x --check=--",
        "start x --budget=--",
    ]:
        said = two_step_project.run(*words.split())
        assert said.code == 64, said.err


# --- history ---


def test_history_and_forget(two_step_project: Project) -> None:
    assert two_step_project.run("history").out == "No loop has ended here yet.\n"
    two_step_project.run("cancel")
    first = two_step_project.ended.id
    two_step_project.start()
    two_step_project.run("cancel")
    second = next(
        loop["id"] for loop in two_step_project.run("history", "--json").json if loop["id"] != first
    )

    assert first in two_step_project.run("history").out
    assert "LoopCancelled" in two_step_project.run("journal", first).out
    assert two_step_project.run("forget", first).code == 6, "nobody said yes"
    assert two_step_project.run("forget", first, "--yes").code == 0
    assert [loop["id"] for loop in two_step_project.run("history", "--json").json] == [second]
    assert (
        two_step_project.run("forget", first, "--yes").err
        == f"loop: no ended loop {first!r} here. See: loop history\n"
    )


def test_forget_forgets_nothing_but_the_loop_it_names(two_step_project: Project) -> None:
    two_step_project.run("cancel")
    ended = two_step_project.ended.id
    two_step_project.start()
    for name in ["", ".", "..", "x/..", "../..", "/", "history/", f"{ended}/..", "./", "x/."]:
        said = two_step_project.run("forget", name, "--yes")

        assert said.code == 1
        assert two_step_project.loop.status == "running"
        assert two_step_project.ended.id == ended


def test_forget_with_a_slash_that_the_shell_completed_forgets_only_that_one(
    two_step_project: Project,
) -> None:
    two_step_project.run("cancel")
    first = two_step_project.ended.id
    two_step_project.start()
    two_step_project.run("cancel")
    two_step_project.run("forget", f"{first}/", "--yes")

    assert len(two_step_project.run("history", "--json").json) >= 1


# --- config ---


def test_config_shows_sets_and_unsets(project) -> None:
    here = project()
    assert "limits.stuck = 5\n" in here.run("config").out
    assert here.run("config", "limits.stuck", "7").code == 0
    assert here.run("config", "limits.stuck").out == "limits.stuck = 7\n"
    assert here.run("config", "limits.stuck", "--unset").code == 0
    assert here.run("config", "limits.stuck", "--json").json == {"limits.stuck": 5}
    here.run("config", "limits.iterations", "5", "--project")
    assert here.run("config", "limits.iterations").out == "limits.iterations = 5\n"
    here.run("config", "prices.my-model", "1/5/0.1/1.25")
    assert here.run("config", "prices.my-model").out == "prices.my-model = 1/5/0.1/1.25\n"


def test_config_with_wrong_input(project) -> None:
    here = project()
    for words, says in [
        (("limits.stuk",), "did you mean limits.stuck?"),
        (("limits.stuk", "7"), "did you mean limits.stuck?"),
        (("limits.stuck", "many"), "takes a number, not 'many'"),
        (("prices.no-such-model",), "prices.no-such-model"),
        (("--unset",), "which"),
    ]:
        said = here.run("config", *words)

        assert said.code == 64
        assert says in said.err
        assert "our own error" not in said.err


# --- under a marker ---


def test_an_agent_is_refused_what_is_the_persons_and_it_is_journaled(
    two_step_project: Project,
) -> None:
    for command in {*COMMANDS} - {*AGENT_COMMANDS, *NEUTRAL_COMMANDS}:
        said = two_step_project.run(command, CLAUDECODE="1")

        assert said.code == 1
        assert f"`loop {command}` is the person's to run (CLAUDECODE is set)" in said.err
        assert two_step_project.events("OrderRefused")[-1]["order"] == command
        assert two_step_project.loop.status == "running"


def test_what_a_person_types_with_an_exclamation_mark_may_read_but_not_repair(
    two_step_project: Project,
) -> None:
    assert "is the person's to run" not in two_step_project.run("doctor", CLAUDECODE="1").err
    said = two_step_project.run("doctor", "--fix", CLAUDECODE="1")

    assert said.code == 1
    assert "`loop doctor --fix` is the person's to run" in said.err


def test_every_marker_is_one(two_step_project: Project) -> None:
    for marker in AGENT_VARIABLES:
        assert two_step_project.run("cancel", **{marker: "1"}).code == 1
        assert two_step_project.loop.status == "running"


def test_an_agent_may_do_these(two_step_project: Project) -> None:
    two_step_project.write({"done.txt": ""})
    for line in ["claim --step-done write", "check", "status", "why", "task get", "pause"]:
        assert two_step_project.run(*line.split(), CLAUDECODE="1").code == 0
        assert two_step_project.events("OrderRefused") == []


def test_an_agents_pause_says_whose_it_was(two_step_project: Project) -> None:
    two_step_project.run("pause", CLAUDECODE="1")

    assert two_step_project.loop.pause.why == "asked by the agent"


# --- exit codes (rule 27) ---

DONE = Evidence(NAME, True, by="loop", code=0)
ENDS: dict[str, tuple[dict[str, Any], int]] = {
    "running": ({}, 0),
    "proven": ({"status": "finished", "verdict": Verdict("SHIP", True)}, 0),
    "reported": ({"status": "finished", "verdict": Verdict("MONITOR", False)}, 10),
    "budget": ({"status": "paused", "cause": "budget"}, 2),
    "iterations": ({"status": "paused", "cause": "iterations"}, 3),
    "clock": ({"status": "paused", "cause": "clock"}, 9),
    "stuck": ({"status": "paused", "cause": "stuck"}, 4),
    "same error": ({"status": "paused", "cause": "same-error"}, 4),
    "must not": ({"status": "paused", "cause": "must-not"}, 4),
    "blocked": ({"status": "paused", "cause": "blocked"}, 7),
    "a person": ({"status": "paused", "cause": "person"}, 8),
    "cancelled": ({"status": "cancelled"}, 8),
    "asking": ({"status": "asking"}, 6),
}


@pytest.mark.parametrize(("changes", "code"), ENDS.values(), ids=ENDS)
def test_how_a_loop_stands_is_a_number(changes: dict[str, Any], code: int) -> None:
    assert exits.exit_code(a_loop(**changes)) == code


# --- how it looks ---


def test_no_escape_codes_where_nobody_wants_them(two_step_project: Project) -> None:
    for said in (
        two_step_project.process("status"),
        two_step_project.process("status", NO_COLOR="1"),
        two_step_project.process("why", TERM="dumb"),
    ):
        assert said.code == 0
        assert "\033" not in said.out + said.err


def test_a_terminal_of_ascii_still_gets_the_words(two_step_project: Project) -> None:
    said = two_step_project.process("status", PYTHONIOENCODING="ascii", PYTHONUTF8="0")

    assert said.code == 0
    assert "running" in said.out


def test_a_reader_that_is_gone_is_no_error(two_step_project: Project) -> None:
    import os
    import sys

    line = f"{sys.executable} -m loopwright.cli.main status | true"
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=two_step_project.root,
        env=os.environ,
        capture_output=True,
        text=True,
        check=False,
    )

    assert "Traceback" not in done.stderr
    assert "own error" not in done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_every_command(project, shell: str) -> None:
    said = project().run("completion", shell)

    assert said.code == 0
    for command in COMMANDS:
        assert command in said.out


def test_the_completion_for_bash_is_valid_and_completes(project) -> None:
    script = project().run("completion", "bash").out
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)
    ask = f"{script}\nCOMP_WORDS=(loop sta); COMP_CWORD=1; _loop; echo ${{COMPREPLY[@]}}"

    assert (
        subprocess.run(["bash", "-c", ask], capture_output=True, text=True, check=True).stdout
        == "start status statusline\n"
    )


def test_a_full_disk_is_told_as_such_and_wants_no_room_for_a_note(
    capsys: pytest.CaptureFixture[str], monkeypatch
) -> None:
    def command() -> int:
        raise OSError(errno.ENOSPC, "No space left on device", "/project/.loop/journal.jsonl")

    monkeypatch.setattr("tempfile.tempdir", "/nowhere")

    assert run_explaining_errors(command) == exits.ERROR
    assert "the disk is full: /project/.loop/journal.jsonl" in capsys.readouterr().err


def test_our_own_error_is_noted_and_the_loop_is_kept(two_step_project: Project) -> None:
    record = Path(two_step_project.folder.note_path)
    kept = record.read_bytes()
    record.unlink()
    record.mkdir()
    said = two_step_project.run("pause")
    record.rmdir()
    record.write_bytes(kept)

    assert said.code == 1
    assert "our own error" in said.err
    note = Path(said.err.partition("Note: ")[2].split(". See")[0])
    assert "IsADirectoryError" in note.read_text()
    note.unlink()
    assert two_step_project.loop.status == "running"


# --- hints ---


def test_every_hint_that_the_hook_gives_names_a_command_that_works(
    two_step_project: Project,
) -> None:
    """Rule 31: what stands in backticks can be typed as it is, placeholders aside."""
    import loopwright

    fill = {"TEXT": "x", "SPEC": "x", "ID": "x", "GLOB": "x", "REASON": "x"}
    texts = [path.read_text() for path in Path(loopwright.__file__).parent.rglob("*.py")]
    hints = {hint for text in texts for hint in re.findall(r"`loop ([a-z][^`{}]*)`", text)}
    assert len(hints) > 8
    for hint in sorted(hints):
        command, *words = [fill.get(word, word.replace("=N", "=1")) for word in hint.split()]
        if command not in COMMANDS:
            continue  # a word of prose
        try:
            command_parser(command).parse_args(
                words or {"answer": ["x"], "deny": ["x"], "start": ["x"]}.get(command, [])
            )
        except SystemExit as exit:
            raise AssertionError(f"`loop {hint}` cannot be typed") from exit


def test_stop_in_a_session_and_status_in_a_terminal_agree(two_step_project: Project) -> None:
    two_step_project.run("attach", "--session", SESSION)
    stop(two_step_project)
    facts = two_step_project.run("status", "--json").json

    assert (facts["iterations"], facts["driver"]) == (1, SESSION)
    assert facts["unmet"] == [NAME, "tests pass"]
    assert json.loads((two_step_project.root / ".loop/state.json").read_text())["iteration"] == 2


def test_steps_and_criteria_of_a_loop_with_everything_are_shown(project) -> None:
    here = project()
    here.create(
        a_loop(
            criteria=(
                Criterion("seen", proof=Evidence("seen", True, by="person")),
                Criterion(NAME),
            ),
            steps=(Step("write", True), Step("read")),
            spend=Spend(unpriced=("my-model",)),
        )
    )
    said = here.run("status").out

    assert "? seen  (confirmed by a person)" in said
    assert "✓ 1. write" in said
    assert "cost unknown for: my-model" in said
