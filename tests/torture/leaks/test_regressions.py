"""What these suites have found, one story each."""

from __future__ import annotations

import json
import time

import pytest

from loopwright.agents.base import TurnOutput
from loopwright.core.start import rubric
from loopwright.drive.runner.run_config import TurnSlot
from loopwright.drive.runner.turn_result import to_signal
from loopwright.verify.redact import StreamRedactor, redact_text
from tests.support.hook import block, calls, returns, stop
from tests.support.plan_projects import a_plan, a_task, start_plan
from tests.support.runner import command, start_checked_loop
from tests.torture.leaks.world import Make, World

KEY = "sk-" + "a1B2" * 10


def test_a_key_in_an_agents_own_claim_is_not_kept(project: Make) -> None:
    world = World(project(git=False))
    world.stops(
        block(
            {"docs read well": {"met": True, "evidence": f"it says {KEY}"}},
            f"STEP_DONE: {KEY} | {KEY}",
        )
    )

    assert "it says [redacted]" in repr(world.here.loop.criteria[0].claim)
    assert KEY not in "".join(path.read_text("utf-8", "replace") for path in world.files())


@pytest.mark.parametrize("name", ["password: hashed with bcrypt", "no secret", "auth"])
def test_a_criterion_that_looks_like_a_secret_can_still_be_claimed(
    project: Make, name: str
) -> None:
    here = project(git=False)
    here.start("--criterion", name)
    stop(here, block({name: True}, f"STEP_DONE: x | token={KEY}", exit=True))

    assert here.ended.status == "finished"
    assert KEY not in json.dumps(here.events())


def test_a_reason_for_a_pause_by_an_agent_keeps_no_key_and_a_persons_is_kept_as_it_is(
    project: Make,
) -> None:
    here = project(git=False)
    here.start()
    here.run("steer", f"use {KEY}")
    here.run("pause", f"no access with {KEY}", CLAUDECODE="1")

    assert here.loop.pause.why.endswith("no access with [redacted]")
    assert here.loop.dialogue.guidance == f"use {KEY}"


@pytest.mark.parametrize(
    "line",
    [
        f"\x1b[31m{KEY}\x1b[0m",
        "\x1b[1mhttps://u:a1B2c3D4@h/",
        "Authorization: Bearer a1B2c3D4",
        '"token": "a1B2c3D4 and more"',
    ],
)
def test_colours_schemes_and_quotes_hide_no_secret(line: str) -> None:
    assert "a1B2" not in redact_text(line, [])
    assert "and more" not in redact_text(line, [])


def test_a_private_key_printed_line_by_line_is_in_no_log(project: Make) -> None:
    lines = [
        "-----BEGIN RSA PRIVATE KEY-----",
        "MIIEowIBAAKCAQEA",
        "a1B2c3D4==",
        "-----END RSA PRIVATE KEY-----",
        "done",
    ]
    stream = StreamRedactor()

    assert [stream.redact_line(f"{line}\n").strip() for line in lines] == ["[redacted]"] * 3 + [
        lines[3],
        "done",
    ]


def test_a_key_in_a_command_that_the_cut_goes_through_is_not_kept_in_half(
    project: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of it is no longer known for a key, so we cut between two words."""
    monkeypatch.setenv("DEPLOY_TOKEN", "correct-horse-battery-staple")
    world = World(project(git=False))
    command = f"deploy {'x' * 160} correct-horse-battery-staple --now"
    world.transcript.assistant(calls("Bash", "t1", command=command)).user(
        returns("no such host", "t1", error=True)
    )
    world.stops("it failed")

    kept = json.dumps(world.here.events())
    assert "deploy xxx" in kept
    assert "correct-horse" not in kept


def test_a_key_that_the_cut_goes_through_is_not_kept_in_half(project: Make) -> None:
    here = project(git=False)
    here.start()
    told = to_signal(
        TurnOutput(text=f"{KEY} {'x' * 1_990}"),
        here.loop,
        time.time(),
        TurnSlot(str(here.root), "script", 1, 0.0, 0.0),
    ).runner_report

    assert told
    assert KEY[-10:] not in told.answer_tail


def test_checking_a_plan_by_hand_looks_at_files_and_runs_no_program_of_a_probes_name(
    project: Make,
) -> None:
    here = start_plan(project(), plan=a_plan(a_task("01")))
    said = here.run("check")

    assert (
        "✗ 01.1 01.txt exists" in said.out
    )  # `file 01.txt` exits with 0, whether it is there or not
    assert "01.txt is missing" in said.out


def test_errors_and_json_show_no_control_characters(project: Make) -> None:
    here = project(git=False)
    here.start("--criterion", "it \x1b[2J\x9b2J\u202e works")

    assert "\x1b" not in here.run("claim", "--met", "other").err
    assert not {"\x9b", "\u202e"} & {*here.run("status", "--json").out}
    assert (
        here.run("status", "--json").json["criteria"][0]["name"] == "it \x1b[2J\x9b2J\u202e works"
    )


def test_a_log_line_with_another_line_end_in_it_is_still_one(project: Make) -> None:
    here = start_checked_loop(project)
    here.run("run", *command(here, f"print('a\\u2028b'); print({block({}, 'ASK: go on?')!r})"))

    assert "ab" in here.run("logs").out


def test_a_message_id_a_file_name_and_a_session_have_a_length(project: Make) -> None:
    world = World(project(git=False))
    world.transcript.assistant(calls("Edit", file_path="f" * 2_000_000), id="i" * 2_000_000)
    world.stops("x")
    world.stops("x", session_id="s" * 2_000_000)

    assert (world.here.root / ".loop/journal.jsonl").stat().st_size < 50_000
    assert max(map(len, world.outputs)) < 20_000


def test_a_state_file_full_of_strange_fields_is_set_aside_once(project: Make) -> None:
    world = World(project(git=False))
    world.here.edit_state(note="x" * 999_000)
    told = [world.stops("x").get("systemMessage", "") for _ in range(2)]

    assert ["set aside" in said or "aside/" in said for said in told] == [True, False]
    assert "note" not in world.here.state


def test_a_spec_with_a_very_long_word_is_scored_and_one_that_is_too_long_is_refused(
    project: Make,
) -> None:
    assert rubric.score_spec("mend it " + "x" * 100_000)
    said = project(git=False).run("start", "mend it " + "x" * 200_000, "--yes")

    assert said.code == 1
    assert "150,000 is the most" in said.err
