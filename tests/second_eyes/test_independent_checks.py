"""Checks by someone else: which are kept, what the worker hears of them, and what they prove."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.sandbox.user import needs_bwrap
from tests.second_eyes.test_review import FILES, PYTHON, RIGHT, asserts
from tests.stories.test_started_in_a_session import IN_SESSION, POINTS, begin
from tests.support.hook import block, prompts, stop
from tests.support.project import Project
from tests.support.runner import script

pytestmark = [needs_bwrap, pytest.mark.sandbox]
SENTENCE = "total of cart.py must be the sum of all prices"
NO_PRICES = "An empty cart must cost nothing"
SPEC = f"Make it right: {SENTENCE}. {NO_PRICES}."
TEST = {
    "test_cart.py": (
        "import unittest\nfrom cart import total\n\n\nclass Cart(unittest.TestCase):\n"
        "    def test_none(self):\n        self.assertEqual(total([]), 0)\n"
    )
}
START = {**FILES, **TEST}
CHECK = f"works={PYTHON} -m unittest -q test_cart"


def check(command: str, quote: str = SENTENCE, **more: Any) -> dict[str, Any]:
    return {"quote": quote, "says": f"`{command[-20:]}` must hold", "command": command, **more}


def writing(*checks: Any) -> str:
    return json.dumps({"checks": list(checks)})


@pytest.fixture
def proposed(project, monkeypatch, tmp_path):
    """Start a loop with checks of these two writings; the project, and what was printed."""
    monkeypatch.delenv("LOOP_SANDBOX")  # the default

    def begin(*writings: str, yes: bool = True, words: tuple[str, ...] = ()) -> tuple[Project, Any]:
        here: Project = project(START)
        agents = []
        for number, text in enumerate(writings):
            path = tmp_path / f"writer{number}.json"
            path.write_text(json.dumps({"turns": [{"say": text}]}))
            agents.append(f"script:{path}")
        given = ("--check", CHECK, "--checks-by", ",".join(agents), "--score", "9", *words)
        return here, here.run("start", SPEC, *given, *(("--yes",) if yes else ()))

    return begin


ALSO_WRONG = "def total(prices):\n    return len(prices)\n"
THREE, FOUR = asserts("total([1, 2, 3]) == 6"), asserts("total([4, 5, 6, 7]) == 22")
NONE = asserts("total([]) == 0")


def work(here: Project, *turns: str | dict[str, Any]) -> Any:
    """Play a worker that writes these versions of cart.py; a dict says when it does."""
    given = [turn if isinstance(turn, dict) else {"text": turn} for turn in turns]
    played = [
        {"write": {"cart.py": turn.pop("text")}, "say": block({"works": True}, exit=True), **turn}
        for turn in given
    ]
    return here.run("run", "--script", script(here, *played))


def kept_files(here: Project) -> str:
    """Everything that the journal keeps of the loop."""
    folders = [here.root / ".loop" / "history" / here.ended.id, here.root / ".loop"]
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return "\n".join(path.read_text(errors="replace") for path in files)


def test_what_two_writings_agree_on_is_kept_and_held_out(proposed):
    here, said = proposed(
        writing(check(THREE), check(NONE, "an empty cart must cost nothing")),
        writing(check(FOUR), check("exit 1", NO_PRICES)),
    )

    assert said.code == 0, said.err
    assert f'- independent-1: from the sentence "{SENTENCE}": ' in said.out
    assert "it passes before the work" in said.out
    assert "it looks at nothing of it" in said.out
    (kept,) = here.loop.final_checks
    assert (kept.quote, kept.guard, kept.check.origin) == (SENTENCE, False, "independent")
    journal = (here.root / ".loop/journal.jsonl").read_text()
    assert "[1, 2, 3]" not in journal
    assert "[4, 5, 6, 7]" not in journal


def test_a_failing_one_goes_to_the_worker_once_without_values_and_can_be_mended(proposed):
    here, _ = proposed(writing(check(THREE)), writing(check(FOUR)))

    told = {"when": f'a check of this sentence: "{SENTENCE}", and it fails', "text": RIGHT}
    said = work(here, told, ALSO_WRONG, f"{ALSO_WRONG}#")

    loop = here.ended
    assert (loop.final_checks[0].looks, loop.spend.iterations) == (1, 3)
    assert "[1, 2, 3]" not in kept_files(here) + said.out
    assert loop.verdict.grade != "proven"  # it was shown


@pytest.mark.long
def test_a_wrong_check_is_disputed_and_dropped_by_the_person(proposed):
    here, _ = proposed(
        writing(check(asserts("total([1, 2, 3]) == 7"))),
        writing(check(asserts("total([1, 2]) == 9"))),
        yes=False,
    )
    here.write({"cart.py": RIGHT})
    while SENTENCE not in (said := stop(here, block({"works": True}, exit=True)).prompt):
        assert "demand" in said  # asked for tests once

    dispute = "DISPUTE: independent-1: the sum of 1, 2 and 3 is 6"
    asked = stop(here, block({"works": True}, dispute, exit=True)).message
    assert "independent-1" in asked
    assert "the sum of 1, 2 and 3 is 6" in asked
    assert here.run("rule", "independent-1", "drop").code == 0
    stop(here, block({"works": True}, exit=True))

    loop = here.ended
    assert loop.final_checks == ()
    assert "dropped by a person: independent-1" in " ".join(loop.verdict.notes)
    assert not loop.verdict.why.startswith("dropped")


def test_after_an_unattended_end_the_person_drops_a_wrong_check(proposed, monkeypatch):
    monkeypatch.setattr("loopwright.cli.here.require_own_terminal", lambda command: None)
    here, _ = proposed(
        writing(check(asserts("total([1, 2, 3]) == 7"))),
        writing(check(asserts("total([1, 2]) == 9"))),
        words=("--check", f"the sum={FOUR}"),
    )
    dispute = block({"works": True}, "DISPUTE: independent-1: it is 6", exit=True)
    said = work(here, RIGHT, {"text": RIGHT, "say": dispute})
    assert "independent-1 fails and waits for your decision" in " ".join(here.ended.verdict.notes)
    assert "`loop rule independent-1 keep` or `loop rule independent-1 drop`" in said.out

    dropped = here.run("rule", "independent-1", "drop")
    assert "proven. The checks pass" in dropped.out, dropped.err
    verdict = here.ended.verdict
    assert verdict.grade == "proven"
    notes = [note for note in verdict.notes if "independent-1" in note]
    assert notes == ["dropped by a person: independent-1, it is 6"]


@pytest.mark.long
def test_unattended_a_check_that_fails_again_leaves_the_verdict_at_monitor(proposed):
    here, _ = proposed(writing(check(THREE)), writing(check(FOUR)))

    work(here, *(f"{ALSO_WRONG}{'#' * n}" for n in range(4)))

    verdict = here.ended.verdict
    assert verdict.name == "MONITOR"
    assert "independent-1" in " ".join((verdict.why, *verdict.notes))


def test_a_work_that_only_independent_checks_show_is_proven_by_them(proposed):
    here, _ = proposed(
        writing(check(THREE), check(asserts("total([]) + total([1]) == 1"), NO_PRICES)),
        writing(check(FOUR), check(asserts("total([2]) == 2"), NO_PRICES)),
    )

    work(here, RIGHT)

    loop = here.ended
    assert [c.looks for c in loop.final_checks] == [0, 0]
    assert (loop.verdict.grade, loop.verdict.proven) == ("proven", True), loop.verdict


def test_without_a_kept_check_the_start_says_that_nothing_is_gained(proposed):
    here, said = proposed(writing(check(THREE, "it must be fast and pretty")), writing())

    assert said.code == 0, said.err
    assert "Nothing is gained by --checks-by" in said.out
    assert "it quotes no sentence of the spec" in said.out
    assert here.loop.final_checks == ()


REFUSED = {
    "private": (check(f'{PYTHON} -c "import cart; assert cart._sum([1]) == 1"'), "a private name"),
    "no command": ({"quote": SENTENCE, "says": "x"}, "it names no command"),
    "outside": (check("true", path="../x.py", test="x"), "outside the project"),
    "hidden folder": (check("true", path=".git/hooks/pre-commit", test="x"), "outside the project"),
    "absolute": (check("true", path="/etc/x", test="x"), "outside the project"),
    "overwrites": (check(f"{PYTHON} cart.py", path="cart.py", test="assert 0"), "it cannot run"),
    "cannot run": (check("no-such-program"), "it cannot run"),
    "no real guard": (check(NONE, guard=True), "asks for something new"),
    "deletes": (check("rm -rf ./* ~/*; exit 1"), "it looks at nothing of it"),
    "too long": (check("x" * 5_000), "too long"),
}


@pytest.mark.long  # test_hostile_answers.py has each of them without a start
def test_each_refused_proposal_is_listed_with_its_reason(proposed):
    first = [row for row, _ in REFUSED.values()]
    here, said = proposed(writing(*first[:5]), writing(*first[5:]))

    assert said.code == 0, said.err
    refused = [line for line in said.out.splitlines() if line.startswith("- ")]
    for name, (_, why) in REFUSED.items():
        assert any(why in line for line in refused), name
    assert (here.root / "cart.py").read_text() == START["cart.py"]


@pytest.mark.parametrize("text", ["I would test the sum."])  # others: test_hostile_answers.py
def test_an_answer_in_no_form_stops_the_start_with_the_reason(proposed, text):
    here, said = proposed(text, text)

    assert said.code == 1
    assert "its answer is not in the form asked for" in said.err
    assert here.folder.read_loop() is None


def test_they_can_be_proposed_and_dropped_until_the_work_begins(proposed, monkeypatch):
    monkeypatch.setattr("loopwright.cli.here.require_own_terminal", lambda command: None)
    here, _ = proposed(writing(check(THREE)), writing(check(FOUR)))
    before = here.loop.final_checks
    agents = ",".join(f"script:{path}" for path in sorted(here.root.parent.glob("writer*.json")))
    assert here.run("criteria", "drop", "independent-1").code == 0
    assert here.loop.final_checks == ()

    said = here.run("criteria", "propose", agents)

    assert said.code == 0, said.err
    assert here.loop.final_checks == before
    assert SENTENCE in here.run("criteria").out
    work(here, RIGHT)
    assert here.ended.final_checks[0].passes_on(here.ended.tree)


def test_sub_agents_of_a_session_write_them_without_a_second_client(project, monkeypatch):
    monkeypatch.delenv("LOOP_SANDBOX")  # the default
    here: Project = project(START)
    assert here.run("criteria", "propose", "self", **IN_SESSION).code == 1  # no loop
    line = f"/loop:start {SPEC} --check '{CHECK}' --checks-by self"
    said = begin(here, line, *POINTS)
    assert said.code == 0, said.err
    assert "two sub-agents with a fresh context" in said.out

    for number, text in enumerate((writing(check(THREE)), writing(check(FOUR))), 1):
        asked = here.run("criteria", "propose", "self", **IN_SESSION)
        assert SENTENCE in asked.out
        assert "loop criteria propose self:-" in asked.out
        bad = here.run("criteria", "propose", "self:-", stdin="I would test it", **IN_SESSION)
        assert "not in the form asked for" in bad.err
        done = here.run("criteria", "propose", "self:-", stdin=text, **IN_SESSION)
        assert done.code == 0, done.err
        assert "total(" not in done.out
        assert len(here.loop.final_checks) == number - 1

    screen = stop(here, "Here is the plan.").message
    assert f"independent-1 ← held out, from the sentence: {SENTENCE}" in screen
    prompts(here, "y")
    late = here.run("criteria", "propose", "self:-", stdin=writing(check(NONE)), **IN_SESSION)
    here.write({"cart.py": ALSO_WRONG})
    while SENTENCE not in (prompt := stop(here, block({"works": True}, exit=True)).prompt):
        assert "demand" in prompt
    assert "[1, 2, 3]" not in prompt
    assert here.run("criteria", "add", "x=true", **IN_SESSION).code == 1
    assert here.loop.final_checks[0].check.origin == "self"
    assert late.code == 1
