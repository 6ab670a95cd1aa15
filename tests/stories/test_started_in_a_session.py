"""A loop started in a session: the person types /loop:start, the hook keeps their words, the model runs `loop start` for them."""

from __future__ import annotations

import time

import pytest

from loopwright.core.start import rubric
from loopwright.store import pending_start
from tests.e2e.waiting import until
from tests.support.hook import OTHER, SESSION, prompts, stop, types
from tests.torture.size import every

IN_SESSION = {"CLAUDE_CODE_SESSION_ID": SESSION, "CLAUDECODE": "1"}
FIVE = {
    "Outcome": "2 (clear refactor)",
    "Scope": "2 (API routes)",
    "Constraints": "1 (middleware implied)",
}
FIVE |= {"Success": "1 (implicit: works)", "Done": "1 (implicit: all routes)"}
POINTS = [word for name, why in FIVE.items() for word in ("--point", f"{name}: {why}")]
BROKEN = {
    "test_it.py": "import unittest\nclass T(unittest.TestCase):\n    def test(self): self.fail()\n",
    "pytest.ini": "[pytest]\n",
}


def begin(here, line: str, *words: str, stdin: str = "", **env: str):
    types(here, line)
    return here.run("start", *words, stdin=stdin, **{**IN_SESSION, **env})


def test_the_whole_way_from_the_slash_command_to_the_first_prompt(project) -> None:
    here = project()
    assert (
        types(here, "/loop:start refactor all API routes to use validation middleware").reply
        is None
    ), "the skill is expanded"

    said = here.run(
        "start",
        *POINTS,
        "--step",
        "Refactor /api/users",
        "--criterion",
        "all routes refactored",
        **IN_SESSION,
    )

    assert said.code == 0, said.err
    assert (
        "[LOOP] Starting | Shape: Colleague (7/10) | Workflow: C | Steps: 1 | Budget: $25"
        in said.out
    )
    assert "- Constraints: 1 (middleware implied)" in said.out
    assert "End your turn now, in one short sentence" in said.out
    assert here.loop.spec == "refactor all API routes to use validation middleware"
    assert here.loop.lease.holder == SESSION

    asked = stop(here, "Here is the plan.", CLAUDE_PLUGIN_ROOT="/p").message
    assert "- Outcome: 2 (clear refactor)" in asked, (
        "the person reads it from us, whatever the model has told them"
    )
    assert "Writing state to `.loop/state.json`." in asked
    assert asked.endswith(
        "Here is 1 step. Start? "
        "y = start · n = not now · anything else: I answer first and ask again"
    )

    prompt = prompts(here, "y").prompt
    assert prompt.startswith("[LOOP] Starting | Shape: Colleague (7/10)")
    assert here.loop.status == "running"


def test_a_tool_shaped_spec_begins_at_once_with_the_first_prompt_in_the_answer(project) -> None:
    here = project()
    points = [
        word if word == "--point" else f"{word.partition(':')[0]}: 2 (exact)" for word in POINTS
    ]

    said = begin(
        here,
        "/loop:start in src/api/users.py validate all input",
        *points,
        "--criterion",
        "validated",
    )

    assert "It runs, and you drive it. Begin now." in said.out
    assert "---LOOP_STATUS---" in said.out, "the model is taught how to claim"
    assert here.loop.status == "running"


HOSTILE = [
    'fix "the parser" and it\'s tests',
    "fix `rm -rf /` and $(touch pwned) and ${HOME}; echo $PATH && true | cat",
    "line one\nline two\n\n```python\nprint('x')\n```\nlast line",
    "```\nSPEC\n```\n__ARGS__\nEOF",
    "50% of \\n and \\ and 'unbalanced",
    "übersetze «alles» 🦊\tmit Tab",
]


@pytest.mark.parametrize("spec", every(2, [*HOSTILE]))
def test_the_spec_arrives_word_for_word(project, spec: str) -> None:
    here = project()

    said = begin(here, f"/loop:start {spec}", *POINTS, "--criterion", "x")

    assert said.code == 0, said.err
    assert here.loop.spec == spec
    assert not (here.root / "pwned").exists()


@pytest.mark.parametrize(
    ("typed", "spec"),
    every(
        3,
        [
            ('"fix all tests in a.py"', "fix all tests in a.py"),
            ("'fix all tests in a.py' --budget 5", "fix all tests in a.py"),
            ('"fix" and "mend" a.py', '"fix" and "mend" a.py'),
            ("--budget 5 fix all tests in a.py", "fix all tests in a.py"),
            (
                "add a --verbose flag to cli.py, all tests pass",
                "add a --verbose flag to cli.py, all tests pass",
            ),
            ("add --json to cli.py --budget=5", "add --json to cli.py"),
            ("add a --yes flag to cli.py --replace --budget 5", "add a --yes flag to cli.py"),
            ("mend a.py --budget 5 and b.py", "mend a.py and b.py"),
        ],
    ),
)
def test_flags_and_spec_are_told_apart(project, typed: str, spec: str) -> None:
    here = project()

    begin(here, f"/loop:start {typed}", *POINTS, "--criterion", "x")

    assert here.loop.spec == spec


def test_what_the_person_typed_has_the_persons_rights(project) -> None:
    here = project()

    said = begin(
        here,
        '/loop:start fix a.py --check "it runs=touch ran" --budget 60 --iterations=40 --yes',
        *POINTS,
    )

    assert said.code == 0, said.err
    assert (here.loop.limits.dollars, here.loop.limits.iterations) == (60, 40)
    assert here.loop.status == "running", "--yes: no questions"
    assert (here.root / "ran").exists(), "a check that a person typed may run"


def test_what_the_model_adds_has_not(project) -> None:
    here = project()

    begin(here, "/loop:start fix a.py", *POINTS, "--check", "it runs=touch ran")
    assert here.loop.status == "asking"
    assert not (here.root / "ran").exists()
    assert "A yes also lets 1 listed command run at every stop." in here.loop.gate.question
    assert "it runs  ← touch ran" in here.run("status").out

    other = project()
    assert begin(other, "/loop:start fix a.py", *POINTS, "--budget", "60").code == 1
    assert begin(other, "/loop:start fix a.py", *POINTS, "--yes").code == 1


def test_a_check_of_the_model_is_measured_once_the_person_says_yes(project) -> None:
    here = project()
    begin(here, "/loop:start fix a.py", *POINTS, "--check", "it runs=sh -c 'echo no; exit 3'")
    stop(here, "Here is the plan.")

    assert prompts(here, "y").prompt.startswith("[LOOP] Starting")

    (it_runs,) = here.loop.criteria
    assert (it_runs.guard, it_runs.proof.code) == (False, 3)
    assert here.loop.status == "running"
    until(lambda: here.loop.room.status == "trusted", lambda: here.loop.room.why)


def test_the_persons_check_stands_against_the_models(project) -> None:
    here = project()

    begin(
        here,
        '/loop:start fix a.py --check "it runs=true"',
        *POINTS,
        "--check",
        "it runs=false",
        "--check",
        "more=false",
    )

    checks = {c.name: (c.check.command, c.check.allowed) for c in here.loop.criteria}
    assert checks == {"it runs": ("true", True), "more": ("false", False)}


def test_words_of_another_session_or_of_yesterday_are_nobodys(project) -> None:
    here = project()
    types(here, "/loop:start fix the other thing", OTHER)
    assert here.run("start", *POINTS, **IN_SESSION).code == 1

    pending_start.save_pending_start(SESSION, "fix a.py", time.time() - 90_000)
    assert here.run("start", *POINTS, **IN_SESSION).code == 1

    pending_start.save_pending_start(SESSION, "fix a.py", time.time())
    assert here.run("start", *POINTS, "--criterion", "x", stdin="", **IN_SESSION).code == 0
    assert pending_start.read_pending_start(SESSION) == "", "used once"


def test_a_person_at_a_terminal_never_gets_a_sessions_words(project) -> None:
    here = project()
    types(here, "/loop:start fix the other thing")

    here.run(
        "start", "fix all tests in a.py", "--criterion", "x", "--yes", CLAUDE_CODE_SESSION_ID=""
    )

    assert here.loop.spec == "fix all tests in a.py"


def test_a_vague_spec_is_asked_about_and_the_answers_are_added(project) -> None:
    here = project()
    low = [
        word if word == "--point" else f"{word.partition(':')[0]}: 0 (nothing said)"
        for word in POINTS
    ]

    said = begin(here, "/loop:start make it better", *low)

    assert said.code == 5
    assert "Ask the person, then end your turn:" in said.out
    assert sum(question in said.out for question in rubric.QUESTIONS.values()) == 5
    assert not (here.root / ".loop").exists(), "nothing is written for a loop that does not start"

    answers = "Scope: readme.md\nSuccess: the spell checker finds nothing"
    assert (
        here.run("start", "-", *POINTS, "--criterion", "x", stdin=answers, **IN_SESSION).code == 0
    )
    assert here.loop.spec == f"make it better\n\n{answers}"


@pytest.mark.parametrize("question", ["what is loop", "how does loop work?", "help", "What's this"])
def test_to_ask_about_it_starts_nothing(project, question: str) -> None:
    here = project()

    assert types(here, f"/loop:start {question}").reply is None
    assert pending_start.read_pending_start(SESSION) == ""
    assert not (here.root / ".loop").exists()


def test_without_a_slash_command_the_model_says_the_spec(project) -> None:
    here = project()
    spec = "refactor all API routes to use validation middleware"

    said = here.run("start", "-", *POINTS, "--criterion", "x", stdin=spec, **IN_SESSION)

    assert "Shape: Colleague (7/10)" in said.out
    assert here.loop.spec == spec


@pytest.mark.parametrize(
    ("points", "says"),
    [
        (["Outcome: 3 (too much)"], "write a point as"),
        (["Beauty: 2 (nice)"], "write a point as"),
        (["Outcome 2"], "write a point as"),
        (["Outcome: 2 (a)"], "score all of Outcome, Scope, Constraints, Success, Done"),
        (["Outcome: 2 (a)"] * 5, "each once"),
    ],
)
def test_a_score_that_does_not_add_up_is_refused(project, points: list[str], says: str) -> None:
    here = project()

    said = here.run(
        "start",
        "fix a.py",
        *(word for point in points for word in ("--point", point)),
        **IN_SESSION,
    )

    assert said.code == 1
    assert says in said.err


def test_flags_that_nobody_knows_are_named(project) -> None:
    here = project()

    said = begin(here, "/loop:start fix a.py --budget 5 --wibble 3", *POINTS)
    assert said.code == 1
    assert "'--wibble'" in said.err

    said = begin(here, "/loop:start fix a.py --check 'x=echo", *POINTS)
    assert said.code == 1
    assert "No closing quotation" in said.err


# --- the client's own /loop, and ours in its place ---


def bare(here, args: str, source: str = "bundled", **env: str):
    from tests.support.hook import event, run_hook

    fields = {
        "expansion_type": "slash_command",
        "command_name": "loop",
        "command_args": args,
        "command_source": source,
    }
    return run_hook(
        event("UserPromptExpansion", here, **fields, prompt=f"/loop {args}"), **env
    ).reply


def test_a_bare_loop_is_the_clients_own_where_no_loop_of_ours_is(project) -> None:
    for args in ("status", "pause", "cancel", "continue", "5m check the deploy", ""):
        assert bare(project(), args) is None


def test_with_a_loop_of_ours_the_bare_words_are_answered_here(project) -> None:
    here = project()
    here.start("--session", SESSION)

    assert bare(here, "status")["reason"].startswith("▶ running")
    assert bare(here, "5m check the deploy") is None
    assert (
        bare(here, "continue --budget=25")["reason"]
        == "That is the client's own /loop. Type: /loop:continue --budget=25"
    )
    assert "Paused" in bare(here, "pause")["reason"]
    assert "Loop cancelled." in bare(here, "cancel")["reason"]
    assert bare(here, "status") is None, "the loop has ended; the word is the client's again"


def test_the_alias_makes_all_of_it_ours_and_nobody_elses_command_is_taken(project) -> None:
    here = project({".claude/commands/loop.md": "Somebody's own command.\n"})
    assert bare(here, "status", "project") is None

    assert here.run("install", "--alias", "--project").code == 1, (
        "what is not ours is not overwritten"
    )
    (here.root / ".claude/commands/loop.md").unlink()
    assert here.run("install", "--alias", "--project").code == 0
    assert bare(here, "status", "project")["reason"] == "No loop here. Start one: /loop:start SPEC"
    assert bare(here, "fix all tests in a.py --budget 5", "project") is None
    assert here.run("start", *POINTS, "--criterion", "x", **IN_SESSION).code == 0
    assert (here.loop.spec, here.loop.limits.dollars) == ("fix all tests in a.py", 5)
    assert bare(here, "status", "project")["reason"].startswith("? asking")
