"""Second eyes with the real clients: they write checks before the work, and review its end."""

from __future__ import annotations

import json

import pytest

from loopwright.core.second_eyes.answers import ASKED
from tests.e2e.night import fixes
from tests.e2e.plugin import FIVE, OWN, TESTS, WITH, starts
from tests.e2e.session_steps import CHECK_FLAGS, DONE
from tests.e2e.test_night_both import AGENTS
from tests.e2e.test_sandbox import BOXED
from tests.e2e.turn import delegates, runs, says, writes
from tests.sandbox.user import needs_bwrap
from tests.support.hook import block

pytestmark = [needs_bwrap, pytest.mark.sandbox, pytest.mark.long]
EVERY = "greet of greet.py must greet every name with a comma and an exclamation mark"
LONG = "A name of two words must be greeted with both of its words"
SPEC = f"Mend it: {EVERY}. {LONG}."
ONE_DEMAND = f"Mend it: {EVERY}."  # no test is asked for
CONSTANT = "def greet(name):\n    return 'Hello, Ada!'\n"  # as the one test wants it


@pytest.fixture(autouse=True)
def _boxed(monkeypatch):
    """The checks too."""
    monkeypatch.delenv("LOOP_SANDBOX")  # the default


@pytest.fixture(params=AGENTS)
def agent(request):
    if request.param == "codex":
        request.getfixturevalue("codex")
    return request.param


def greets(name: str) -> str:
    return (
        f"""python3 -B -c "from greet import greet; assert greet('{name}') == 'Hello, {name}!'" """
    )


def writing(*rows: tuple[str, str]) -> str:
    checks = [{"quote": q, "says": f"{q[:20]} holds", "command": greets(n)} for q, n in rows]
    return json.dumps({"checks": checks})


def start(world, *words, script=None, spec=SPEC):
    words = (spec, *CHECK_FLAGS, *words, "--score", "9", "--yes")
    said = world.loop("start", *words, script=script, env=BOXED)
    assert said.code == 0, said.err
    return said


def test_checks_of_a_client_refuse_what_the_tests_accept(world, agent):
    first = writing((EVERY, "Bob"), (LONG, "Ann Lee"))
    second = writing((EVERY, "Eve"), (LONG, "Jo Day"))
    said = start(world, "--checks-by", agent, script=[says(first), says(second)])
    assert "2 kept, 0 refused" in said.out

    # The second says the same once more: which tests show the demands is asked once.
    wrong = [writes(world.path("greet.py"), CONSTANT), says(DONE)]
    words = ("run", "--agent", agent, "--permissions", "all")
    done = world.loop(*words, script=[*wrong, says(DONE), *fixes(world)], env=BOXED)

    told = [turn.text for turn in world.model.lane() if "somebody else wrote a check" in turn.text]
    assert told, done.out
    assert EVERY in told[0]
    assert LONG in told[0]
    assert not any("Bob" in text or "Ann Lee" in text for text in told)
    assert [c.looks for c in world.project.ended.final_checks] == [1, 1]
    assert all(c.proof.code == 0 for c in world.project.ended.final_checks)


def test_of_five_objections_of_a_client_exactly_two_go_back(world, agent):
    rows = [
        {"question": "missing", "problem": "another name", "command": greets("Bob")},
        {
            "question": "missing",
            "problem": "two words",
            "command": "python3 -B test_two.py",
            "path": "test_two.py",
            "test": "from greet import greet\nassert greet('Jo Day') == 'Hello, Jo Day!'\n",
        },
        {"question": "missing", "problem": "the name Ada", "command": greets("Ada")},
        {"question": "extra", "problem": "badly named"},
        {"question": "extra", "problem": "no docstring", "file": "greet.py", "line": 1},
    ]
    answers = {**dict.fromkeys(ASKED, "no"), "missing": "yes", "extra": "yes"}
    review = json.dumps({"answers": answers, "objections": rows})
    well = json.dumps({"answers": dict.fromkeys(ASKED, "no"), "objections": []})
    start(world, "--review", agent)
    wrong = [writes(world.path("greet.py"), CONSTANT), says(DONE), says(DONE)]

    words = ("run", "--agent", agent, "--permissions", "all")
    script = [*wrong, says(review), *fixes(world), says(well)]
    done = world.loop(*words, script=script, env=BOXED)

    told = [turn.text for turn in world.model.lane() if "another name" in turn.text]
    assert told, done.out
    assert "two words" in told[0]
    assert not any(word in told[0] for word in ("the name Ada", "badly named", "no docstring"))


def test_a_wrong_check_is_disputed_by_the_worker_and_left_to_the_person(world, agent):
    wrong = [f"""{greets(name).replace("'Hello, ", "'Good day, ")}""" for name in ("Bob", "Eve")]
    rows = [{"quote": EVERY, "says": "it greets", "command": command} for command in wrong]
    answers = [says(json.dumps({"checks": [row]})) for row in rows]
    said = start(world, "--checks-by", agent, script=answers, spec=ONE_DEMAND)
    assert "1 kept, 0 refused" in said.out

    dispute = "DISPUTE: independent-1: the spec does not say which word greets"
    disputes = block({"tests pass": True}, dispute, exit=True)
    words = ("run", "--agent", agent, "--permissions", "all")
    script = [*fixes(world), says(disputes)]
    done = world.loop(*words, script=script, env=BOXED)

    told = [turn.text for turn in world.model.lane() if "somebody else wrote a check" in turn.text]
    assert told, done.out
    assert "Good day" not in "".join(told)
    assert done.code == 0, "the tests of the person prove it"
    assert "Note: an independent check fails and waits for" in done.out
    assert "`loop rule independent-1 keep` or `loop rule independent-1 drop`" in done.out


def test_sub_agents_of_a_session_write_checks_that_catch_a_wrong_work(world):
    hand_in = f"loop criteria propose self:- <<'JSON'\n{writing((EVERY, 'Bob'))}\nJSON"
    script = [
        starts(five=dict.fromkeys(FIVE, "2 (all is said)")),
        delegates("Run `loop criteria propose self`, do what it prints, and answer: done."),
        delegates("Run `loop criteria propose self`, do what it prints, and answer: done."),
        says("That is the plan."),
        writes(world.path("greet.py"), CONSTANT),
        says(DONE),
        *fixes(world),
    ]
    agent = [runs("loop criteria propose self"), runs(hand_in), says("done")]

    prompt = f"/loop:start {ONE_DEMAND} {TESTS} --checks-by self"
    run = world.headless(prompt, script, *WITH, env={**OWN, "LOOP_SANDBOX": ""}, agent=agent)

    asked = [turn.news for turn in world.model.lane("agent")]
    assert any("Write acceptance checks" in text for text in asked), asked
    told = [turn.news for turn in world.model.lane() if "somebody else wrote a check" in turn.news]
    assert told, run.events[-3:]
    assert not any("Bob" in turn.text for turn in world.model.lane())
    (kept,) = world.project.ended.final_checks
    assert (kept.check.origin, kept.looks, kept.proof.code) == ("self", 1, 0)
