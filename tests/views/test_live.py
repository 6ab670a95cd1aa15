"""The live view: what a person sees while a runner works, as rows of text."""

import pytest

from loopwright.core.limits import Spend
from loopwright.core.loop import Gate
from loopwright.views import live
from loopwright.views.live import LiveState
from tests.support.builders import a_discovery_loop, with_check
from tests.support.night import Night, a_free_loop, runner_turn_over


def test_the_live_rows_of_a_turn():
    night = Night(a_free_loop(criteria=(with_check("tests pass"), with_check("lint clean"))))
    night.whole_turn("", "tree-2", dollars=0.5, checks={"tests pass": True})
    night.begin()

    rows = live.rows(
        night.loop,
        LiveState(
            turn_seconds=65.0, tool_call="Bash pytest -q", tail=tuple(f"line {n}" for n in range(9))
        ),
    )

    assert rows == [
        "▶ fix all failing tests",
        "  iteration 2/10 | $0.50 of $25 | 1:45 of 240 min | claude",
        "  ✓ tests pass  ← pytest -q  (passed in 0.0 s)",
        "  ✗ lint clean  ← pytest -q  (failed in 0.0 s)",
        "  … turn of 1:05 | Bash pytest -q",
        *(f"  │ line {n}" for n in range(3, 9)),
    ]


@pytest.mark.parametrize(
    ("scene", "row"),
    [
        pytest.param(
            LiveState(wait="⏳ 1:02:05 left, until 15:00 | claude: a limit"),
            "⏳ 1:02:05 left, until 15:00 | claude: a limit",
            id="waits",
        ),
        pytest.param(LiveState(checking=True), "… the checks run", id="checks"),
        pytest.param(LiveState(turn_seconds=5.0), "… turn of 0:05", id="works"),
    ],
)
def test_the_last_live_row_says_what_happens_now(scene, row):
    assert live.rows(Night().loop, scene)[-1] == f"  {row}"


def test_the_live_rows_of_a_loop_that_improves_and_of_one_that_nobody_drives():
    improving = live.rows(a_discovery_loop("the menu", guards=("tests stay green",)), LiveState())
    asking = live.rows(a_free_loop(gate=Gate("ask", "?"), spend=Spend(iterations=10)), LiveState())

    assert improving[2:4] == [
        "  0 found, 0 fixed, 1 open",
        "  ✗ tests stay green  ← pytest -q  (not run yet)",
    ]
    assert asking[1].startswith("  iteration 10/10 |")
    assert asking[1].endswith("| no agent")


@pytest.mark.parametrize(
    ("turn", "lines"),
    [
        pytest.param(
            runner_turn_over("\nI fixed it.\nMore words.", dollars=0.5),
            ["agent: I fixed it.", "1:05, $0.50"],
            id="the first line",
        ),
        pytest.param(runner_turn_over(" "), ["agent: (no words)", "1:05, $0.00"], id="no words"),
        pytest.param(
            runner_turn_over("Hm.", unpriced=("gpt-x",)),
            ["agent: Hm.", "1:05, cost unknown"],
            id="no price",
        ),
        pytest.param(
            runner_turn_over("Hm.", cut_reason="it hung"),
            ["agent: Hm.", "1:05, $0.00", "✗ cut off: it hung"],
            id="cut off",
        ),
        pytest.param(
            runner_turn_over("Hm.", denied_calls=("Bash(a)", "Bash(b)")),
            ["agent: Hm.", "1:05, $0.00", "✗ blocked: 2 calls denied: Bash(a); Bash(b)"],
            id="denied",
        ),
    ],
)
def test_a_turn_that_is_over_in_plain_lines(turn, lines):
    assert live.turn_lines(turn, 65.0) == [f"    {line}" for line in lines]


def test_the_cost_of_the_turn_under_way_is_live():
    night = Night(a_free_loop())
    night.whole_turn("", "tree-2", dollars=0.5)
    night.begin()
    state = LiveState(turn_seconds=65.0, turn_dollars=0.25, tool_call="Bash pytest -q")

    rows = live.rows(night.loop, state)

    assert "| $0.75 of $25 |" in rows[1]
    assert rows[-1] == "  … turn of 1:05 | $0.25 of $6.12 | Bash pytest -q"


@pytest.mark.parametrize(
    ("state", "line"),
    [
        (
            LiveState(turn_seconds=65.0, turn_dollars=0.25, tool_call="Bash pytest -q"),
            "    … 1:05 | Bash pytest -q | $0.25 so far",
        ),
        (LiveState(turn_seconds=3_700.0), "    … 1:01:40 | the agent works | $0.00 so far"),
        (LiveState(checking=True), "    … 0:00 | the checks run | $0.00 so far"),
    ],
    ids=["a tool", "no tool", "checks"],
)
def test_the_line_of_plain_output_about_a_turn_under_way(state, line):
    assert live.progress_line(a_free_loop(), state) == line
