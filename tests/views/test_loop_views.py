"""The read models of board, loop page and report: what a person sees, without any markup or escape code."""

from __future__ import annotations

import pytest

from loopwright.core import events as ev
from loopwright.core.criteria import Check, Criterion, Evidence
from loopwright.core.loop import Gate, Lease
from loopwright.core.plan.plan import Lane, Plan, Task
from loopwright.core.proof.disputes import Dispute
from loopwright.core.proof.state import Verdict
from loopwright.views.board_of_loops import BoardRow, board_row, board_totals, sort_rows
from loopwright.views.loop_page import loop_page
from loopwright.views.loop_timeline import DESCRIPTIONS, timeline_entries
from loopwright.views.output_difference import output_difference, shown_lines
from loopwright.views.plain_values import plain_value
from loopwright.views.plan_graph import MAX_TASKS, plan_graph
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


# --- The board ---


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
            ("asks", "asking", 0.5),
            ("waits", "paused", 4.0),
        )
    ]

    assert [row.id for row in sort_rows(rows)] == ["waits", "asks", "works", "new", "old", "broken"]
    totals = board_totals(rows)
    assert (totals.needs_you, totals.working, totals.over, totals.unreadable) == (2, 1, 2, 1)


# --- The page of a loop ---


def test_the_page_has_criteria_with_their_last_output() -> None:
    failing = with_check("tests pass", proof=proof("tests pass", fine=False, detail=HOSTILE))
    page = loop_page(a_loop(criteria=(failing,), tree=TREE))

    criterion = page.criteria[0]
    assert (criterion.state, criterion.command) == ("failed", "pytest -q")
    assert criterion.output == "<script>alert(1)</script>redtxt"  # text, no escapes


def test_the_command_of_a_held_out_check_is_not_shown() -> None:
    final = Criterion("hidden", check=Check("digest-of-it", origin="holdout"))

    page = loop_page(a_loop(final_checks=(final,)))

    assert [(c.kind, c.command) for c in page.criteria if c.name == "hidden"] == [("final", "")]


def test_the_page_says_when_the_agent_learns_an_answer() -> None:
    session = loop_page(an_asking_loop("G2"))
    free = loop_page(an_asking_loop("G1", lease=Lease()))

    assert "next prompt" in session.answer_reaches
    assert "No session" in free.answer_reaches


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
