"""state.json: a mirror in the seeds' schema and an inbox. What is written into it is a claim, never the truth."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from loopwright.core.criteria import Criterion, Evidence
from loopwright.core.directives import Move, Stop
from loopwright.core.limits import Spend
from loopwright.core.loop import Gate, Step
from loopwright.core.plan.plan import Lane, Plan, Task
from loopwright.core.signals import Claimed, Ordered
from loopwright.drive.step import step
from loopwright.store import mirror, mirror_edits
from tests.support.builders import a_discovery_loop, a_loop, a_loop_without_checks
from tests.support.project import Project

NAME = "docs read well"


@pytest.fixture
def mirrored_project(tmp_path: Path) -> Project:
    made = Project(tmp_path / "here", git=False)
    now = time.time()
    made.create(
        a_loop_without_checks(
            NAME, steps=(Step("write"), Step("read")), started_at=now, running_since=now
        )
    )
    return made


def look(here: Project) -> tuple[Any, ...]:
    """What the next opening finds in the mirror."""
    with here.folder.locked() as book:
        return book.inbox


def ask(here: Project) -> str:
    """Any signal at all, so that what is in the inbox is heard."""
    return step(here.folder, Ordered(time.time(), "refused", by="agent", reason="nothing")).message


def mirror_of(here: Project) -> Path:
    return here.root / ".loop/state.json"


# --- the seeds' schema ---


def test_a_1_the_seeds_fields_come_first_and_have_their_types() -> None:
    loop = a_loop(
        criteria=(
            Criterion("plain"),
            Criterion(
                "detailed",
                detailed=True,
                proof=Evidence("detailed", True, by="person", kind="observation", at=5.0),
            ),
        ),
        steps=(Step("one", True), Step("two")),
        spend=Spend(iterations=2),
    )
    found = json.loads(mirror.render_mirror(loop))
    seeds = {
        "spec": "fix all failing tests",
        "criteria": ["plain", "detailed"],
        "criteriaStatus": {
            "plain": False,
            "detailed": {
                "met": True,
                "verification": "observation",
                "evidence": "",
                "at": 5.0,
                "planned": "",
            },
        },
        "exit_signal": False,
        "steps": ["one", "two"],
        "completedSteps": ["one"],
        "remainingSteps": ["two"],
        "iteration": 3,
        "status": "in_progress",
        "circuitBreaker": {"stuckCount": 0, "lastUnmet": "plain"},
    }

    assert dict(list(found.items())[: len(seeds)]) == seeds
    assert list(found)[: len(seeds)] == list(seeds)


def test_how_each_task_of_a_plan_stands_and_what_is_asked_is_shown() -> None:
    lane = Lane("d", 1.0, "claude", 0.5, 1)
    plan = Plan(
        "1",
        tasks=tuple(map(Task, "abcde")),
        done=("a",),
        parked=("b",),
        assigned=("c",),
        lanes=(lane,),
    )
    shown = json.loads(
        mirror.render_mirror(a_loop(plan=plan, status="asking", gate=Gate("G1", "Go on?")))
    )

    assert (
        " ".join(task["status"] for task in shown["tasks"].values())
        == "completed parked in_progress in_progress pending"
    )
    assert (shown["parallelActive"], shown["awaiting"]) == (
        ["d"],
        {"gate": "G1", "question": "Go on?"},
    )


def test_what_an_improving_loop_has_found_and_fixed_is_shown() -> None:
    loop = a_discovery_loop("the menu")
    assert loop.backlog
    shown = json.loads(
        mirror.render_mirror(
            loop.but(backlog=loop.backlog.but(preset="ui", found_count=3, fixed_count=2))
        )
    )

    assert (shown["policy"], shown["preset"], shown["found"], shown["fixed"]) == (
        "discovery",
        "ui",
        3,
        2,
    )


def test_what_we_wrote_ourselves_is_no_edit(mirrored_project: Project) -> None:
    assert look(mirrored_project) == ()


def test_our_own_unfinished_write_is_recognised_and_finished(mirrored_project: Project) -> None:
    old = mirror_of(mirrored_project).read_bytes()
    step(mirrored_project.folder, Ordered(time.time(), "pause"))
    new = mirror_of(mirrored_project).read_bytes()
    mirror_of(mirrored_project).write_bytes(
        old
    )  # the process died between the journal line and the mirror

    assert look(mirrored_project) == ()
    assert mirror_of(mirrored_project).read_bytes() == new


# --- an edit is a claim ---


@pytest.mark.parametrize(
    ("edit", "event"),
    [
        pytest.param({"criteriaStatus": {NAME: True}}, "ClaimMade", id="a criterion, bare"),
        pytest.param(
            {"criteriaStatus": {NAME: {"met": True, "verification": "observation"}}},
            "ClaimMade",
            id="with evidence",
        ),
        pytest.param({"exit_signal": True}, "DoneClaimed", id="the exit"),
        pytest.param(
            {"completedSteps": ["write"], "remainingSteps": ["read"]}, "StepFinished", id="a step"
        ),
        pytest.param({"remainingSteps": ["write", "read", "print"]}, "StepAdded", id="a new step"),
        pytest.param({"iteration": 99}, "MirrorCorrected", id="a number that is ours"),
        pytest.param(
            {"status": "completed"}, "MirrorCorrected", id="an end that is ours to decide"
        ),
        pytest.param({"circuitBreaker": {"stuckCount": 7}}, "MirrorCorrected", id="the breaker"),
        pytest.param({"budget": 1000}, "TamperingSeen", id="a raised budget"),
        pytest.param({"maxIterations": 50}, "TamperingSeen", id="a raised bound"),
        pytest.param({"session": "another"}, "TamperingSeen", id="a changed lease"),
    ],
)
def test_an_edit_is_a_claim_or_is_put_back(
    mirrored_project: Project, edit: dict[str, Any], event: str
) -> None:
    mirrored_project.edit_state(**edit)
    ask(mirrored_project)

    assert mirrored_project.events(event)
    assert mirrored_project.loop.status == "running"
    assert mirrored_project.loop.limits == a_loop().limits
    assert mirrored_project.loop.spend.iterations == 0
    assert (mirrored_project.state["status"], mirrored_project.state["iteration"]) == (
        "in_progress",
        1,
    )


def test_lowered_spend_is_reported_and_put_back(tmp_path: Path) -> None:
    here = Project(tmp_path / "here", git=False)
    here.create(a_loop_without_checks(NAME, spend=Spend(iterations=3, dollars=7.5)))
    here.edit_state(cost=0)

    assert "edited where it is not the agent's to write: cost" in ask(here)
    assert here.state["cost"] == 7.5


def test_unknown_fields_are_kept_for_ever(mirrored_project: Project) -> None:
    mirrored_project.edit_state(notes={"who": "cares"}, prdPath="PRD.md")
    ask(mirrored_project)
    ask(mirrored_project)

    assert mirrored_project.state["notes"] == {"who": "cares"}
    assert mirrored_project.state["prdPath"] == "PRD.md"


@pytest.mark.parametrize(("letters", "kept"), [(100_000, True), (100_001, False)])
def test_fields_of_somebody_else_are_kept_up_to_a_size(
    mirrored_project: Project, letters: int, kept: bool
) -> None:
    mirrored_project.edit_state(mine="x" * (letters - len('{"mine":""}')))

    assert ("state.json could not be read. It is kept as" in ask(mirrored_project)) is not kept
    assert ("mine" in mirrored_project.state) is kept


def test_a_hundred_names_of_two_hundred_letters_are_heard_of_any_list() -> None:
    names = [f"{number:03}" + "x" * 198 for number in range(101)]
    steps = mirror_edits.read_edits(
        json.dumps({"steps": names}).encode(), a_loop(), 5.0
    ).claims.steps

    assert [step.name for step in steps] == [name[:200] for name in names[:100]]


def test_a_detailed_criterion_stays_an_object(mirrored_project: Project) -> None:
    mirrored_project.edit_state(
        criteriaStatus={NAME: {"met": True, "verification": "code review", "evidence": "read it"}}
    )
    ask(mirrored_project)

    assert mirrored_project.state["criteriaStatus"][NAME]["verification"] == "code review"
    assert mirrored_project.state["criteriaStatus"][NAME]["met"] is True


@pytest.mark.parametrize(
    "spelling",
    [
        pytest.param(lambda data: data.replace(b"\n", b"\r\n"), id="CRLF"),
        pytest.param(lambda data: b"\xef\xbb\xbf" + data, id="BOM"),
        pytest.param(lambda data: b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"), id="both"),
        pytest.param(lambda data: json.dumps(json.loads(data)).encode(), id="another layout"),
        pytest.param(
            lambda data: json.dumps(dict(sorted(json.loads(data).items()))).encode(),
            id="another order",
        ),
        pytest.param(
            lambda data: json.dumps(json.loads(data), ensure_ascii=True).encode("utf-8") + b"\n\n",
            id="blank lines",
        ),
        pytest.param(
            lambda data: data.replace(b"{", b'{"far": 1e999,', 1),
            id="a number that JSON has no word for",
        ),
    ],
)
def test_another_spelling_of_the_same_is_no_edit(mirrored_project: Project, spelling) -> None:
    mirror_of(mirrored_project).write_bytes(spelling(mirror_of(mirrored_project).read_bytes()))
    (found,) = look(mirrored_project)

    assert isinstance(found, Claimed)
    assert (found.claims, found.tampered_fields, found.corrected_fields, found.extra_json) == (
        type(found.claims)(),
        (),
        (),
        "",
    )


# --- lost ---


def test_deleted_it_pauses_the_loop_and_continue_brings_it_back(mirrored_project: Project) -> None:
    mirror_of(mirrored_project).unlink()

    assert "state.json was deleted by hand" in ask(mirrored_project)
    assert mirrored_project.loop.status == "paused"
    assert not mirror_of(mirrored_project).exists()
    assert ask(mirrored_project) == "", "it is said once"

    assert mirrored_project.run("continue").code == 0
    assert mirrored_project.state["status"] == "in_progress"


@pytest.mark.parametrize("word", ["paused", "cancelled"])
def test_set_by_hand_it_pauses_the_loop(mirrored_project: Project, word: str) -> None:
    mirrored_project.edit_state(status=word)

    assert f"state.json was set to {word} by hand" in ask(mirrored_project)
    assert mirrored_project.loop.status == "paused"
    assert mirrored_project.state["status"] == "paused"


def test_m18_cancelled_written_literally_destroys_nothing(mirrored_project: Project) -> None:
    mirror_of(mirrored_project).write_text('{"status":"cancelled","exit_signal":false}')
    ask(mirrored_project)

    assert mirrored_project.loop.status == "paused"
    assert mirrored_project.state["spec"] == "fix all failing tests"
    assert mirrored_project.state["steps"] == ["write", "read"]


@pytest.mark.parametrize(
    "text", ["{", "", "[]", "null", '"text"', "\0\0\0", "[" * 100_000, '{"a": NaN}', "\ud800"]
)
def test_unreadable_it_is_set_aside_and_rebuilt_and_the_loop_goes_on(
    mirrored_project: Project, text: str
) -> None:
    mirror_of(mirrored_project).write_text(text, encoding="utf-8", errors="surrogatepass")

    assert (
        "state.json could not be read. It is kept as .loop/aside/state.json and was written again"
        in ask(mirrored_project)
    )
    assert mirrored_project.loop.status == "running"
    assert mirrored_project.state["spec"] == "fix all failing tests"
    assert (mirrored_project.root / ".loop/aside/state.json").read_bytes() == text.encode(
        "utf-8", "surrogatepass"
    )


def test_a_second_unreadable_one_does_not_overwrite_the_first(mirrored_project: Project) -> None:
    for text in ("first", "second"):
        mirror_of(mirrored_project).write_text(text)
        ask(mirrored_project)

    assert [
        path.read_text() for path in sorted((mirrored_project.root / ".loop/aside").iterdir())
    ] == [
        "first",
        "second",
    ]


@pytest.mark.parametrize(
    "edit",
    [
        {"criteriaStatus": ["not", "a", "map"]},
        {"criteriaStatus": {NAME: "true"}},
        {"criteriaStatus": {NAME: 1}},
        {"criteriaStatus": {NAME: {"met": "yes"}}},
        {"exit_signal": "yes"},
        {"steps": "one"},
        {"completedSteps": [1, None, {"a": 1}]},
        {"cost": "free"},
        {"status": ["completed"]},
        {"iteration": None},
        {"session": 7},
    ],
)
def test_m5_m11_a_wrong_type_claims_nothing(
    mirrored_project: Project, edit: dict[str, Any]
) -> None:
    mirrored_project.edit_state(**edit)
    ask(mirrored_project)

    assert mirrored_project.loop.unmet_criteria == (NAME,)
    assert not mirrored_project.loop.exit_claimed
    assert not mirrored_project.loop.completed_steps
    assert mirrored_project.loop.status == "running"


def test_a_move_without_events_writes_nothing(mirrored_project: Project) -> None:
    before = {
        path: path.stat().st_mtime_ns for path in (mirrored_project.root / ".loop").glob("*.json*")
    }
    with mirrored_project.folder.locked() as book:
        book.commit(Move(book.loop, (), Stop()), Ordered(1.0, "refused"))

    assert {
        path: path.stat().st_mtime_ns for path in (mirrored_project.root / ".loop").glob("*.json*")
    } == before
