"""loop simulate and loop replay: what is printed, what is written (nothing), and the exit codes."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from loopwright.cli import exits
from tests.support.plan_projects import a_plan, a_task
from tests.support.project import CommandResult, Project
from tests.support.runner import CLAIM, script, start_checked_loop

SPEC = ("fix the parser so that tests pass", "--check", "tests pass=touch ran")
HONEST = "[[turn]]\ndollars = 0.5\ntimes = 2\n[[turn]]\ndone = true\ndollars = 0.5\n"
LIAR = '[[turn]]\ndone = true\nfails = ["tests pass"]\ndollars = 0.5\n'


def simulate(here: Project, text: str, *words: str, **env: str) -> CommandResult:
    return here.run("simulate", *(words or SPEC), "--agent", "-", stdin=text, **env)


def test_a_spec_is_played_to_its_proof_and_nothing_is_run_or_written(project) -> None:
    here = project()
    before, home = here.git("status", "--porcelain", "--ignored"), os.listdir(os.environ["HOME"])
    said = simulate(here, HONEST)
    assert said.code == exits.PROVEN, said.err
    assert (
        "Played, not run: fix the parser so that tests pass\nCriteria: tests pass\nBounds: 10 iterations"
        in said.out
    )
    assert (
        "   1  works                0/1 checks     $0.50  60 s        continues: tests pass failing\n"
        in said.out
    )
    assert said.out.endswith("finished, proven in place (SHIP)\n3 iterations, $1.50, 3 min\n")
    assert here.git("status", "--porcelain", "--ignored") == before
    assert not (here.root / ".loop").exists()
    assert os.listdir(os.environ["HOME"]) == home


def test_the_exit_code_is_that_of_the_night(project) -> None:
    here = project()
    assert simulate(here, LIAR).code == exits.BREAKER
    assert simulate(here, LIAR, *SPEC, "--budget", "1").code == exits.BUDGET
    assert simulate(here, LIAR, *SPEC, "--iterations", "2").code == exits.ITERATIONS
    asks = '[[turn]]\nsay = """---LOOP_STATUS---\nASK: which port?\n---END_STATUS---"""\n'
    said = simulate(here, asks)
    assert said.code == exits.WAITS
    assert said.out.endswith('The script has no answer. Add answers = ["yes"] to it, or --yes\n')
    assert simulate(here, LIAR, "x").code == exits.VAGUE


def test_a_plan_is_taken_from_its_file_and_retries_are_counted(project) -> None:
    here = project({"PLAN.md": a_plan(a_task("01"), a_task("02", wave=2, depends="01"))})
    said = simulate(here, "[[turn]]\ndone = true\n", "PLAN.md")
    assert said.code == exits.PROVEN, said.err
    assert "   1  01 " in said.out
    fails = (
        "[[turn]]\ndone = true\n[[turn]]\nwhen = '<task id=\"02\"'\ndone = true\nfails = '02.*'\n"
    )
    said = simulate(here, fails, "PLAN.md", "--retries", "1")
    assert "paused: Task 02 failed after 1 retry" in said.out
    assert not (here.root / ".loop").exists()


def test_facts_are_one_object_a_turn_and_one_for_the_end(project) -> None:
    rows = [
        json.loads(line) for line in simulate(project(), HONEST, *SPEC, "--json").out.splitlines()
    ]
    assert [row.get("turn") for row in rows] == [1, 2, 3, None]
    assert rows[0]["results"] == {"tests pass": False}
    assert rows[-1] == {
        "event": "end",
        "code": 0,
        "status": "finished",
        "cause": None,
        "why": None,
        "proven": True,
        "iterations": 3,
        "dollars": 1.5,
        "seconds": 180.0,
    }


def test_a_long_night_is_shown_by_its_beginning_and_its_end(project) -> None:
    said = simulate(project(), "[[turn]]\nfound = ['more']\n", "polish the page", "--preset", "ui")
    assert said.code == exits.ITERATIONS, said.err
    assert "\n  20  works" in said.out
    assert "\n   …  10 turns left out\n  31  works" in said.out
    assert said.out.endswith("50 iterations, $0.00, 50 min\n")


def test_an_agent_may_simulate_too_and_a_loop_that_runs_here_is_left_alone(project) -> None:
    here = project()
    here.start()
    before = (here.root / ".loop/journal.jsonl").read_bytes()
    assert simulate(here, HONEST, CLAUDECODE="1").code == exits.PROVEN
    assert (here.root / ".loop/journal.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("--agent", "none.toml"),
            "none.toml: [Errno 2] No such file or directory: 'none.toml'. See: loop simulate --help",
        ),
        (
            ("--agent", "wrong.toml"),
            "wrong.toml: turn 1: 'don' is unknown; meant is done. See: loop simulate --help",
        ),
        (("--agent", "wrong.toml", "--plan", "none.md"), "wrong.toml: turn 1"),
        ((), "the following arguments are required: --agent"),
    ],
)
def test_a_mistake_is_explained(project, words: tuple[str, ...], said: str) -> None:
    here = project({"wrong.toml": "[[turn]]\ndon = true\n"})
    got = here.run("simulate", *SPEC, *words)
    assert got.code == (exits.ERROR if words else exits.USAGE)
    assert said in got.err


# --- replay ---


def a_night(project: Any) -> Project:
    """Three turns of half a dollar, then a proof."""
    here = start_checked_loop(project, "--iterations", "20")
    turns = [{"say": "on it", "dollars": 0.5, "write": {f"{n}.txt": "x"}} for n in range(3)]
    done = {"say": CLAIM, "dollars": 0.5, "write": {"done.txt": "x"}}
    said = here.run("run", "--agent", "script", "--script", script(here, *turns, done))
    assert said.code == exits.PROVEN, said.err
    return here


def test_a_night_is_decided_again_under_other_limits(project) -> None:
    here = a_night(project)
    archive = here.root / ".loop/history" / here.ended.id / "journal.jsonl"
    before = archive.read_bytes()
    said = here.run(
        "replay",
        "--limits",
        "dollars=1",
        "--limits",
        "iterations=2,stuck=9",
        "--limits",
        "minutes=900",
    )
    assert said.code == exits.PROVEN, said.err
    assert said.out.startswith("Recorded: 4 iterations, $2.00, ")
    assert "\n    finished, proven in place (SHIP)\n" in said.out
    assert "\ndollars=1: parts at iteration 2 → 2 iterations, $1.00, " in said.out
    assert ", $1.00 less\n    paused: budget of $1 reached ($1.00 spent)\n" in said.out
    assert "    paused: iteration limit of 2 reached\n" in said.out
    assert said.out.endswith("minutes=900: nothing changes\n")
    assert archive.read_bytes() == before


def test_facts_of_a_replay(project) -> None:
    here = a_night(project)
    facts = here.run("replay", here.ended.id, "--limits", "dollars=1", "--json").json
    assert (facts["recorded"]["proven"], facts["recorded"]["dollars"]) == (True, 2.0)
    assert [(row["limits"], row["parted"], row["cause"]) for row in facts["replayed"]] == [
        ({"dollars": 1.0}, 2, "budget")
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("--limits", "rethink=1"),
            "rethink cannot be replayed: it changes what the agent is told",
        ),
        (("--limits", "foo=1"), "no limit 'foo'. Known: iterations, dollars"),
        (("--limits", "dollars=x"), "dollars takes a number, not 'x': --limits dollars=5"),
        (("--limits", "dollars=nan"), "dollars takes a number, not 'nan'"),
        (("--limits", "stuck=1.5"), "stuck takes a number, not '1.5'"),
        (("--limits", ""), "which limits? Such as: --limits dollars=5,stuck=3"),
        (("nope", "--limits", "dollars=1"), "no loop 'nope' in history"),
        ((), "the following arguments are required: --limits"),
    ],
)
def test_a_wrong_limit_is_explained(project, words: tuple[str, ...], said: str) -> None:
    got = project().run("replay", *words)
    assert got.code == (exits.ERROR if "nope" in words else exits.USAGE)
    assert said in got.err


def test_a_plan_with_more_criteria_than_one_message_holds_ends_as_the_real_loop_would(
    project,
) -> None:
    """120 criteria that can only be claimed: an agent claims a hundred, then the rest."""
    rows = [
        "\n".join([f"- [ ] task {task}", *(f"  - point {task}.{n} holds" for n in range(4))])
        for task in range(30)
    ]
    here = project({"list.md": "# Work\n\n" + "\n".join(rows) + "\n"})
    said = simulate(here, "[[turn]]\ndone = true\n", "list.md")
    assert said.code == exits.REPORTED, said.out + said.err
