"""Verdict: ship, monitor or research."""

import pytest

from loopwright.core.criteria import Check, Criterion, Evidence
from loopwright.core.discovery.backlog import Backlog
from loopwright.core.findings import Finding
from loopwright.core.limits import Spend
from loopwright.core.loop import Workflow
from loopwright.core.prompts.end_screen import verdict_box
from loopwright.core.proof.clean_checkout import RoomRun
from loopwright.core.proof.grades import is_done_when_red_passes
from loopwright.core.proof.state import Room
from loopwright.core.proof.verdict import verdict_of
from tests.support.builders import TREE, a_loop, proof


def judged(*proofs, **changes):
    criteria = tuple(Criterion(f"c{n}", proof=p) for n, p in enumerate(proofs))
    verdict = verdict_of(a_loop(criteria=criteria, **changes))
    assert verdict.proven == (verdict.grade == "proven-in-place")
    return verdict.name, verdict.grade


def by(who, kind="execution output"):
    return proof("c", by=who, kind=kind)


@pytest.mark.parametrize(
    ("proofs", "verdict"),
    [
        pytest.param([by("loop")], ("SHIP", "proven-in-place"), id="we ran it"),
        pytest.param(
            [by("person", "observation")], ("MONITOR", "accepted"), id="a person accepts it"
        ),
        pytest.param(
            [by("loop"), by("person", "measurement")],
            ("MONITOR", "accepted"),
            id="a person accepts one of two",
        ),
        pytest.param(
            [by("person"), by("agent", "observation")],
            ("MONITOR", "reported"),
            id="one is accepted and one only reported",
        ),
        pytest.param(
            [by("agent", "observation")], ("MONITOR", "reported"), id="the agent says it saw it"
        ),
        pytest.param(
            [by("agent", "execution output")],
            ("MONITOR", "reported"),
            id="the agent says it ran it",
        ),
        pytest.param(
            [by("agent", "code review")], ("MONITOR", "reported"), id="the agent has read it"
        ),
        pytest.param([by("agent", "")], ("MONITOR", "reported"), id="a bare true"),
        pytest.param(
            [by("loop"), by("agent", "observation")],
            ("MONITOR", "reported"),
            id="one is only reported",
        ),
        pytest.param([by("loop"), None], ("MONITOR", "reported"), id="one has no proof at all"),
        pytest.param([by("agent", "assumption")], ("RESEARCH", "reported"), id="an assumption"),
        pytest.param(
            [by("loop"), by("person", "assumption")],
            ("RESEARCH", "accepted"),
            id="an assumption among proofs",
        ),
        pytest.param([], ("MONITOR", "reported"), id="nothing was to prove"),
    ],
)
def test_judge(proofs, verdict):
    assert judged(*proofs) == verdict


@pytest.mark.parametrize(
    ("confidence", "verdict"),
    [(None, "SHIP"), (100, "SHIP"), (70, "SHIP"), (69, "RESEARCH"), (0, "RESEARCH")],
)
def test_an_agent_that_is_not_sure_wants_research(confidence, verdict):
    assert judged(by("loop"), confidence=confidence) == (verdict, "proven-in-place")


@pytest.mark.parametrize(
    ("type_of_change", "verdict"), [("2A", "SHIP"), ("2B", "SHIP"), ("1", "MONITOR")]
)
def test_what_is_hard_to_take_back_is_watched(type_of_change, verdict):
    assert judged(by("loop"), reversibility=type_of_change) == (verdict, "proven-in-place")


def test_every_verdict_but_ship_says_why():
    assert verdict_of(a_loop(criteria=(Criterion("a", proof=by("loop")),))).why == ""
    assert (
        verdict_of(a_loop(criteria=(Criterion("a", proof=by("agent", "")),))).why
        == "reported by the agent, not run"
    )
    assert (
        verdict_of(a_loop(criteria=(Criterion("a", proof=by("person", "")),))).why
        == "accepted by you, no command has run"
    )


@pytest.mark.parametrize(
    ("iterations", "words"),
    [
        pytest.param(1, "reported by the agent, not run", id="an agent worked"),
        pytest.param(0, "not shown, and no agent worked on it", id="no agent worked"),
    ],
)
def test_without_a_turn_nothing_is_called_reported_by_the_agent(iterations, words):
    ended = a_loop(criteria=(Criterion("a"),), spend=Spend(iterations=iterations))
    verdict = verdict_of(ended)

    assert (verdict.why, verdict.proven) == (words, False)
    box = verdict_box(ended.but(verdict=verdict))
    assert " ".join(box.replace("│", " ").split()).count(words) == 1


def test_a_must_not_whose_check_may_run_or_that_has_none_holds_nothing_down():
    forbidden = (Criterion("no debug", Check("grep")), Criterion("no rewrite"))

    assert judged(by("loop"), must_not=forbidden) == ("SHIP", "proven-in-place")


@pytest.mark.parametrize(
    ("changes", "why", "proven"),
    [
        (
            {"must_not": (Criterion("no debug", Check("grep", allowed=False)),)},
            "a must-not was never checked",
            False,
        ),
        ({"final_checks": (Criterion("review", flaky=True),)}, "flaky: review", False),
        (
            {"criteria": (Criterion("a", proof=proof("a", code=1)),)},
            "tests that failed at the start",
            True,
        ),
        ({"findings": (Finding("medium", "test renamed", "t.py"),)}, "a person must look", False),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_holds_a_proven_loop_down_to_monitor(changes, why, proven):
    verdict = verdict_of(a_loop(**{"criteria": (Criterion("a", proof=by("loop")),), **changes}))

    assert (verdict.name, verdict.proven) == ("MONITOR", proven)
    assert verdict.why.startswith(why)


def runs_with(**outcomes):
    return Room(runs=tuple(RoomRun(kind, TREE, outcome) for kind, outcome in outcomes.items()))


ALL_MADE = runs_with(room="passed", replay="not needed", revert="passed")
TURNED_GREEN = Criterion("a", proof=by("loop"), guard=False)


@pytest.mark.parametrize(
    ("room", "changes", "grade"),
    [
        pytest.param(ALL_MADE, {}, "proven", id="every run supports it"),
        pytest.param(runs_with(room="passed"), {}, "accepted", id="two runs were not made"),
        pytest.param(
            runs_with(room="passed", replay="passed"), {}, "accepted", id="no revert test"
        ),
        pytest.param(
            runs_with(room="passed", replay="passed", revert="skipped"),
            {},
            "accepted",
            id="one run was skipped",
        ),
        pytest.param(
            runs_with(room="passed", replay="passed"),
            {"backlog": Backlog()},
            "proven",
            id="a discovery loop has no revert test",
        ),
        pytest.param(
            ALL_MADE,
            {"criteria": (TURNED_GREEN.but(guard=True),)},
            "accepted",
            id="only guards pass",
        ),
        pytest.param(
            ALL_MADE, {"criteria": (TURNED_GREEN.but(flaky=True),)}, "accepted", id="flaky"
        ),
        pytest.param(
            ALL_MADE,
            {"findings": (Finding("medium", "test renamed", "t.py"),)},
            "reported",
            id="a finding is still open",
        ),
        pytest.param(
            ALL_MADE,
            {"criteria": (TURNED_GREEN, Criterion("b"))},
            "reported",
            id="a criterion that nobody accepted",
        ),
    ],
)
def test_the_grade_of_a_result_that_a_person_took_after_the_end(room, changes, grade):
    usual = {"criteria": (TURNED_GREEN,), "tree": TREE, "accepted_after_end": ()}
    verdict = verdict_of(a_loop(room=room, **{**usual, **changes}))

    assert (verdict.grade, verdict.proven) == (grade, grade == "proven")


def test_a_check_that_does_not_pass_is_never_called_proven():
    failed = Evidence("tests pass", passed=False, kind="execution output", by="loop")
    loop = a_loop(criteria=(Criterion("tests pass", proof=failed),))

    verdict = verdict_of(loop)

    assert (verdict.name, verdict.proven) == ("MONITOR", False)
    assert verdict.why == "its check does not pass: tests pass"


def test_a_criterion_that_was_only_read_is_named_so():
    reviewed = Criterion("c", proof=by("loop", "code review"))

    assert verdict_of(a_loop(criteria=(reviewed,))).why == "verified by code review only"


@pytest.mark.parametrize(
    ("spec", "letter", "is_done"),
    [
        ("Fix the links. `make check` lists them.", "B", True),
        ("Fix the links.", "B", False),
        ("Add a page. `make check` lists broken links.", "A", False),  # it may be red for others
    ],
)
def test_a_repair_is_done_when_the_command_passes_that_lists_the_faults(
    spec: str, letter: str, is_done: bool
) -> None:
    red = Criterion("tests pass", Check("make check", origin="detected"), guard=False)
    loop = a_loop().but(spec=spec, criteria=(red,), workflow=Workflow(letter, ""))

    assert is_done_when_red_passes(loop) == is_done
