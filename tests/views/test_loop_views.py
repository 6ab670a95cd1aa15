"""The read models of board, loop page and report: what a person sees, without any markup or escape code."""

from __future__ import annotations

import pytest

from loopwright.core import events as ev
from loopwright.core.criteria import Check, Claim, Criterion, Evidence
from loopwright.core.findings import Finding
from loopwright.core.loop import Dialogue, Gate, Lease, Loop, Pause, Step
from loopwright.core.plan.events import TaskFailed, TaskFinished
from loopwright.core.plan.plan import Lane, Plan, Task
from loopwright.core.proof.disputes import Dispute
from loopwright.core.proof.state import Baseline, Verdict
from loopwright.core.runner.run import Run
from loopwright.views.board import text
from loopwright.views.board_of_loops import (
    NEEDS_YOU,
    WORKING,
    BoardRow,
    board_row,
    board_totals,
    sort_rows,
)
from loopwright.views.curves import loop_curves
from loopwright.views.loop_history import KINDS, LoopHistory
from loopwright.views.loop_page import loop_page
from loopwright.views.loop_timeline import DESCRIPTIONS, timeline_entries
from loopwright.views.output_difference import output_difference, shown_lines
from loopwright.views.plain_values import plain_value
from loopwright.views.plan_graph import MAX_TASKS, plan_graph
from loopwright.views.why import headline
from tests.support.builders import TREE, a_loop, an_asking_loop, proof, with_check
from tests.support.night import Night

HOSTILE = "<script>alert(1)</script>\x1b[31mred\x1b]0;title\x07\u202etxt"


def a_plan(**changes: object) -> Plan:
    tasks = (
        Task("01", "model", wave=1),
        Task("02", "docs", wave=1),
        Task("03", "view", wave=2, depends=("01",)),
        Task("04", "export", wave=3, depends=("03", "02")),
    )
    return Plan(**{"phase": "1", "tasks": tasks, "done": ("01",), **changes})  # type: ignore[arg-type]


def history_of(night: Night) -> LoopHistory:
    history = LoopHistory()
    for number, events in enumerate(night.journal, 1):
        wanted = tuple(e for e in events if type(e).__name__ in KINDS)
        history.add_move(number, float(number), wanted)
    return history


# --- The board ---


def test_nothing_is_ticked_or_counted_that_no_command_has_shown() -> None:
    said = Criterion("docs read well", claim=Claim("docs read well", True, "observation"))
    accepted = Criterion("it looks good", proof=proof("it looks good").but(by="person"))
    loop = a_loop(criteria=(said, accepted), status="finished")
    loop = loop.but(verdict=Verdict("MONITOR", False, "accepted by you", grade="accepted"))

    shown = text(loop)
    assert "criteria 0/2:" in shown
    assert "? docs read well  (claimed by the agent (observation))" in shown
    assert "✓" not in shown.partition("\n")[2]
    assert board_row(loop, "/work", 0.0).met == 0
    assert [c.state for c in loop_page(loop).criteria] == ["claimed", "claimed"]


def test_an_ended_loop_says_its_grade_and_what_holds_it_back() -> None:
    def first_line(verdict: Verdict) -> str:
        return text(a_loop(status="finished", verdict=verdict)).partition("\n")[0]

    thin = Verdict("MONITOR", True, "thin: no check notices 3 of 4 parts", grade="proven")
    weak = Verdict("MONITOR", False, "2 of 2 demands are shown by no test", grade="tested")
    assert first_line(thin) == (
        "✓ finished, proven. The checks pass here and in a clean checkout. "
        f"Look at it before you keep it: {thin.why}."
    )
    assert first_line(weak) == (
        "✓ finished, tested. Tests that the agent wrote fail without its work and pass with it. "
        f"Look at it before you keep it: {weak.why}."
    )
    assert "loop accept --all" in loop_page(a_loop(status="finished", verdict=weak)).to_decide[0]


def test_what_a_loop_waits_for_is_the_answer_to_why() -> None:
    waiting = Run(("claude",), agent="claude", waiting_until=60.0, waiting_reason="usage limit")
    loop = a_loop(run=waiting, lease=Lease("runner:7"))

    assert headline(loop).endswith(": usage limit")
    plan = a_plan(lanes=(Lane("02", 0.0, "claude", 1.0, 1),))
    assert headline(a_loop(policy="plan", plan=plan)) == "running: works on 02; 1 of 4 tasks done"


def test_a_row_tells_status_progress_and_cost() -> None:
    night = Night()
    night.whole_turn("working", "tree-2", dollars=0.5)

    row = board_row(night.loop, "/home/me/shop", 5.0)

    assert (row.project, row.status, row.iterations, row.dollars) == ("shop", "running", 1, 0.5)
    assert (row.met, row.criteria) == (0, 1)
    assert row.driver == "`loop run`"


def test_rows_are_ordered_by_who_must_act_and_then_by_time() -> None:
    rows = [
        BoardRow(name, "p", "/p", status, changed_at=at)
        for name, status, at in (
            ("old", "finished", 1.0),
            ("new", "finished", 2.0),
            ("broken", "unreadable", 9.0),
            ("works", "running", 3.0),
            ("alone", "undriven", 9.0),
            ("asks", "asking", 0.5),
            ("waits", "paused", 4.0),
        )
    ]

    assert " ".join(row.id for row in sort_rows(rows)) == "asks waits alone works new old broken"
    totals = board_totals(rows)
    assert (totals.needs_you, totals.working, totals.over, totals.unreadable) == (3, 1, 2, 1)


def waiting_for_a_limit() -> Loop:
    run = Run(("claude",), agent="claude", waiting_until=50.0, waiting_reason="usage limit")
    return a_loop(lease=Lease("runner:7"), run=run)


@pytest.mark.parametrize(
    ("loop", "runner_gone", "status", "words", "group"),
    [
        pytest.param(
            a_loop(lease=Lease()), False, "undriven", "next prompt", NEEDS_YOU, id="no session yet"
        ),
        pytest.param(
            a_loop(lease=Lease("s-1", session_ended=True)),
            False,
            "undriven",
            "resume the session",
            NEEDS_YOU,
            id="the session has ended",
        ),
        pytest.param(
            waiting_for_a_limit(), True, "undriven", "runner is gone", NEEDS_YOU, id="killed runner"
        ),
        pytest.param(
            waiting_for_a_limit(), False, "waiting", "usage limit", WORKING, id="usage limit"
        ),
        pytest.param(a_loop(lease=Lease("s-1")), False, "running", "", WORKING, id="a session"),
        pytest.param(
            a_loop(lease=Lease("s-1"), dialogue=Dialogue(person_turn_since=1.0)),
            False,
            "interrupted",
            "loop continue",
            NEEDS_YOU,
            id="the person has the turn",
        ),
    ],
)
def test_a_loop_works_only_while_something_drives_it(
    loop: Loop, runner_gone: bool, status: str, words: str, group: int
) -> None:
    row = board_row(loop, "/home/me/shop", 5.0, runner_gone)

    assert (row.status, row.group) == (status, group)
    assert words in row.why


# --- Curves ---


def test_a_failing_check_that_counts_nothing_makes_no_curve_of_zero_failing_tests() -> None:
    loop = a_loop(criteria=(with_check("tests pass"), with_check("builds", "make")))
    history = LoopHistory()
    history.add_move(1, 0.0, (ev.LoopStarted(loop),))
    for number, tree in enumerate(("tree-2", "tree-3"), 2):
        results = (proof("tests pass", tree=tree), proof("builds", tree=tree, fine=False))
        events = (ev.TurnEnded(float(number), tree), *map(ev.CheckRan, results))
        history.add_move(number, float(number), events)
    curve = loop_curves(history.points, BoardRow("1", "p", "/p", "running"))[1]

    assert (curve.title, curve.latest) == ("Checks that pass", "1 of 2 checks pass")


def test_the_curve_of_a_plan_says_how_many_tasks_are_left_and_failed() -> None:
    history = LoopHistory()
    history.add_move(1, 0.0, (ev.LoopStarted(a_loop(plan=a_plan())),))
    history.add_move(2, 1.0, (ev.TurnEnded(1.0, "a"), TaskFailed("02", "no font")))
    history.add_move(3, 2.0, (ev.TurnEnded(2.0, "b"), TaskFailed("03", "no view")))
    failed = loop_curves(history.points, BoardRow("1", "p", "/p", "running"))[1]
    history.add_move(4, 3.0, (ev.TurnEnded(3.0, "c"), TaskFinished("02"), TaskFinished("03")))
    done = loop_curves(history.points, BoardRow("1", "p", "/p", "running"))[1]

    assert (failed.title, failed.latest, failed.tone) == ("Tasks left", "3 left, 2 failed", "bad")
    assert (done.latest, done.tone) == ("1 left", "good")


# --- The page of a loop ---


def test_the_page_has_criteria_with_their_last_output() -> None:
    failing = with_check("tests pass", proof=proof("tests pass", fine=False, detail=HOSTILE))
    page = loop_page(a_loop(criteria=(failing,), tree=TREE))

    criterion = page.criteria[0]
    assert (criterion.state, criterion.command) == ("failed", "pytest -q")
    assert criterion.output == "<script>alert(1)</script>redtxt"  # text, no escapes


def test_what_was_shown_before_the_last_change_does_not_look_open() -> None:
    c = with_check("tests pass").but(proof=proof("tests pass", tree="an-older-tree"))
    view = loop_page(a_loop(criteria=(c,))).criteria[0]

    assert (view.state, view.result) == (
        "earlier",
        "passed before the files changed (exit 0 in 0.0 s)",
    )


def test_a_probe_has_no_exit_code_and_takes_no_time() -> None:
    c = with_check("artifact a.py").but(proof=proof("artifact a.py", code=None))

    assert loop_page(a_loop(criteria=(c,), tree=TREE)).criteria[0].result == "holds"


def test_a_question_comes_with_what_it_is_about() -> None:
    finding = Finding("high", "test-removed", "test_a.py", 3, "def test_a(): ...", "")
    loop = an_asking_loop(
        "G1",
        "Here are 2 steps. Start?",
        steps=(Step("Write it", done=True), Step("Test it")),
        criteria=(with_check("tests pass", "pytest -q"),),
        baseline=Baseline(findings=(finding,)),
    )
    page = loop_page(loop)
    shown = {section.title: section.rows for section in page.gate_sections}

    assert shown["Steps"] == ("✓ 1. Write it", "· 2. Test it")
    assert shown["Criteria"] == ("· tests pass  ← pytest -q  (not run yet)",)
    assert "$" in shown["Limits"][0]
    assert "test_a.py:3" in shown["Findings"][0]
    assert shown["Findings"][1] == "    - def test_a(): ..."
    assert (page.yes_does, page.no_does) == ("start", "not now")


def test_the_command_of_a_held_out_check_is_not_shown() -> None:
    final = Criterion("hidden", check=Check("digest-of-it", origin="holdout"))

    page = loop_page(a_loop(final_checks=(final,)))

    assert [(c.kind, c.command) for c in page.criteria if c.name == "hidden"] == [("final", "")]


def test_the_page_says_when_the_agent_learns_an_answer() -> None:
    session = loop_page(an_asking_loop("G2"))
    free = loop_page(an_asking_loop("G1", lease=Lease()))

    assert "next prompt" in session.answer_reaches
    assert "No agent works on it now" in free.answer_reaches


def test_a_dispute_waits_for_a_ruling() -> None:
    loop = a_loop(disputes=(Dispute("tests pass", "it needs a network"),))

    page = loop_page(loop)

    assert page.awaiting_ruling == ("tests pass",)
    assert page.criteria[0].is_disputed


def test_a_page_is_plain_values_for_json() -> None:
    plain = plain_value(loop_page(a_loop(plan=a_plan(), policy="plan")))

    assert plain["graph"]["nodes"][0]["id"] == "01"
    assert plain["criteria"][0]["name"] == "tests pass"


# --- The timeline ---


def test_every_kind_of_entry_is_a_kind_of_event() -> None:
    from loopwright.core.record import kind_of

    assert all(kind_of(name).__name__ == name for name in DESCRIPTIONS)


def test_a_night_as_a_timeline() -> None:
    night = Night()
    night.whole_turn("done <loop-complete>", "tree-2", dollars=0.5)
    entries = timeline_entries(night.events)

    assert [entry.kind for entry in entries] == ["turn", "iteration", "words", "check"]
    check = next(entry for entry in entries if entry.kind == "check")
    assert (check.tone, check.criterion) == ("bad", "tests pass")


def test_hostile_words_lose_their_escape_codes_and_stay_short() -> None:
    events = (
        ev.GateOpened(Gate("ask", HOSTILE * 1000), 1.0),
        ev.CheckRan(Evidence("x", False, detail=HOSTILE * 1000)),
        ev.LoopFinished(Verdict("SHIP", True, why=HOSTILE), 1.0),
    )

    for entry in timeline_entries(events):
        assert "\x1b" not in entry.title + entry.detail
        assert "\u202e" not in entry.title + entry.detail
        assert len(entry.title) <= 200
        assert len(entry.detail) <= 4_000


# --- The graph of a plan ---


def test_the_graph_has_a_column_for_each_wave_and_marks_the_critical_path() -> None:
    graph = plan_graph(a_plan(lanes=(Lane("02", 1.0, "claude", 1.0, 1),)))

    assert [column.wave for column in graph.columns] == [1, 2, 3]
    by_id = {node.id: node for node in graph.nodes}
    assert by_id["01"].x == by_id["02"].x < by_id["03"].x < by_id["04"].x
    assert [node.id for node in graph.nodes if node.is_critical] == ["01", "03", "04"]
    assert {(edge.source, edge.target) for edge in graph.edges if edge.is_critical} == {
        ("01", "03"),
        ("03", "04"),
    }
    assert (by_id["01"].state, by_id["02"].state, by_id["02"].lane) == ("done", "working", "claude")


def test_no_two_boxes_of_the_graph_overlap_and_all_are_inside() -> None:
    tasks = tuple(Task(str(n), wave=n % 4) for n in range(40))
    graph = plan_graph(a_plan(tasks=tasks))

    places = {(node.x, node.y) for node in graph.nodes}
    assert len(places) == 40
    assert all(x < graph.width and y < graph.height for x, y in places)


def test_a_plan_of_thousands_of_tasks_is_cut() -> None:
    graph = plan_graph(a_plan(tasks=tuple(Task(str(n)) for n in range(1_000))))

    assert (len(graph.nodes), graph.left_out) == (MAX_TASKS, 1_000 - MAX_TASKS)


# --- The difference between two outputs ---


def test_the_difference_shows_changes_with_a_few_lines_around() -> None:
    before = "\n".join(f"line {n}" for n in range(50))
    after = before.replace("line 20", "line twenty")

    rows = output_difference(before, after)

    assert [(row.kind, row.text) for row in rows if row.kind in ("added", "removed")] == [
        ("removed", "line 20"),
        ("added", "line twenty"),
    ]
    assert rows[0].text == "17 equal lines"


@pytest.mark.parametrize("text", ["", "same\ntext"])
def test_equal_outputs_have_no_difference(text: str) -> None:
    assert output_difference(text, text) == ()


def test_a_line_of_a_megabyte_is_clipped_and_says_so() -> None:
    [line] = shown_lines("x" * 1_000_000)

    assert len(line) < 2_100
    assert "1000000 characters" in line


def test_a_page_says_what_a_person_does_next() -> None:
    driven = a_loop()
    assert loop_page(driven).next_step == ""
    free = driven.but(lease=Lease())
    assert loop_page(free).next_step.startswith("open your agent in this folder")
    paused = driven.but(status="paused", pause=Pause("stuck", "no progress"))
    assert "loop continue" in loop_page(paused).next_step
    ended = driven.but(status="finished", verdict=Verdict("SHIP", True, grade="proven"))
    assert "loop receipt" in loop_page(ended).next_step
