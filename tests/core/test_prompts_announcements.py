"""Announcements: the start, the end with its box, the cancel report, the resume of a session."""

import unicodedata

import pytest

from loopwright.core.criteria import Claim
from loopwright.core.limits import Spend
from loopwright.core.loop import Shape, Step, Workflow
from loopwright.core.prompts import announcements, end_screen, messages
from loopwright.core.proof.state import Verdict
from tests.support.builders import a_loop, a_loop_without_checks, proof, with_check, without_check


def on_screen(line):
    """Columns on a terminal, as wcwidth counts them: marks and format characters none, wide ones two."""
    none = ("Mn", "Me", "Cf")
    return sum(
        0 if unicodedata.category(c) in none else 1 + (unicodedata.east_asian_width(c) in "WF")
        for c in line
    )


def finished(**changes):
    criteria = (with_check("tests pass", proof=proof("tests pass")),)
    return a_loop(
        **{
            "status": "finished",
            "verdict": Verdict("SHIP", True),
            "criteria": criteria,
            "tree": "tree-1",
            **changes,
        }
    )


def test_the_start_is_announced_in_the_seeds_words():
    loop = a_loop(shape=Shape("tool", 9), workflow=Workflow("B"), steps=(Step("x"), Step("y")))

    assert (
        messages.start_line(loop)
        == "[LOOP] Starting | Shape: Tool (9/10) | Workflow: B | Steps: 2 | Budget: $25"
    )


def test_the_first_prompt_holds_all_that_an_agent_needs():
    loop = a_loop(
        must_not=(without_check("touch the API"),),
        steps=(Step("find it", True), Step("fix it")),
        workflow=Workflow("B", "name the root cause"),
        guidance="mind the docs",
    )
    prompt = messages.opening_prompt(loop)

    for part in (
        "Spec: fix all failing tests",
        "Criteria:\n- tests pass",
        "Must not:\n- touch the API",
        "Steps:\n0. name the root cause (record it: `GATE: <text>` in the status block)\n1. find it (done)\n2. fix it",
        "The person says: mind the docs",
        "---LOOP_STATUS---",
    ):
        assert part in prompt


# --- Coming back ---


def test_vector_5_the_resume_announcement_has_five_lines():
    loop = a_loop_without_checks(
        "a", "b", steps=(Step("x", True), Step("y"), Step("z")), spend=Spend(iterations=1)
    )

    assert messages.resume_text(loop).splitlines() == [
        "[LOOP RESUME] Active loop detected",
        "Spec: fix all failing tests",
        "Progress: 1/3 steps | Iteration: 2",
        "Unmet criteria: a, b",
        "Next: y",
    ]


@pytest.mark.parametrize("letter", ["ä", "日", "🎉", "e\u0301"])
def test_m12_a_long_multibyte_spec_is_cut_between_characters(letter):
    text = messages.resume_text(a_loop(spec="a" * 99 + letter * 21))

    assert text.encode().decode() == text
    assert "\ufffd" not in text
    assert len(text.splitlines()[1]) <= len("Spec: ") + 100


def test_a_spec_of_many_lines_is_shown_on_one():
    assert (
        messages.resume_text(a_loop(spec="one\n\ntwo\r\n  three")).splitlines()[1]
        == "Spec: one two three"
    )


@pytest.mark.parametrize(
    ("criterion", "shown"),
    [
        pytest.param(without_check("a"), "a", id="not claimed"),
        pytest.param(
            without_check("a", claim=Claim("a", False), detailed=True),
            "a",
            id="M4b: an object with met false",
        ),
        pytest.param(without_check("a", claim=Claim("a", True)), "none", id="claimed"),
        pytest.param(
            with_check("a", claim=Claim("a", True)), "a", id="claimed, but its check has not run"
        ),
        pytest.param(
            with_check("a", proof=proof("a", tree="tree-0")), "a", id="proven on another tree"
        ),
        pytest.param(with_check("a", proof=proof("a")), "none", id="proven on this tree"),
    ],
)
def test_m4b_none_is_unmet_only_when_nothing_is(criterion, shown):
    assert f"\nUnmet criteria: {shown}\n" in messages.resume_text(
        a_loop(criteria=(criterion,), tree="tree-1")
    )


def test_without_steps_the_work_goes_on():
    assert messages.resume_text(a_loop()).endswith("\nNext: continue work")


# --- The end ---


def test_what_our_own_run_did_not_show_is_never_ticked():
    failing = with_check("lint clean", proof=proof("lint clean", fine=False))
    loop = finished()
    text = end_screen.end_screen(loop.but(criteria=(*loop.criteria, failing)))

    assert "Checklist: 1/2 criteria verified" in text
    shown, _, not_shown = text.partition("Not shown by a command:\n")
    assert "✓ tests pass" in shown
    assert "lint clean" not in shown
    assert "✗ lint clean: its check does not pass" in not_shown


def test_the_end_begins_with_the_box_and_says_what_was_asked_and_shown():
    text = end_screen.end_screen(
        finished(confidence=90, points=5, alternative="a cache", risk="load")
    )

    assert text.startswith("╭─ 🟢 SHIP: you can keep it ─")
    for part in (
        "│ Verified: execution output ",
        "│ Checklist: 1/1 criteria verified ",
        "│ Agent 90% sure · quick to undo · effort 5 points ",
        "│ ↳ Alternative: a cache ",
        "│ ↳ Risk: load ",
        "\nAsked: ",
        "\nShown:\n  ✓ tests pass ← ",
    ):
        assert part in text
    assert "Not shown" not in text


def test_what_the_agent_did_not_give_is_not_made_up():
    text = end_screen.verdict_box(finished())

    assert "│ Quick to undo   " in text
    assert not any(word in text for word in ("sure", "effort", "↳", "├", "not given"))


def test_what_is_only_reported_is_shown_as_such():
    verdict = Verdict("MONITOR", False, "reported by the agent, not run")
    loop = a_loop(
        criteria=(
            without_check("a", claim=Claim("a", True), proof=proof("a", by="agent", kind="")),
        ),
        verdict=verdict,
    )
    text = end_screen.end_screen(loop)

    assert "🟡 MONITOR" in text
    assert "│ Not verified: reported by the agent, not run " in text
    assert "Checklist: 0/1 criteria verified" in text
    assert "Not shown by a command:\n  ? a: reported by the agent (no evidence given)" in text
    assert not any(word in text for word in ("✓", "satisfied", "Verified"))


HOSTILE = [
    pytest.param("plain", id="plain"),
    pytest.param("", id="empty"),
    pytest.param("x" * 1000, id="very long"),
    pytest.param("日本語の長い説明文" * 20, id="CJK"),
    pytest.param("x" * 49 + "日本", id="a wide letter on the edge"),
    pytest.param("🎉🚀" * 40, id="emoji"),
    pytest.param("e\u0301" * 200, id="combining accents"),
    pytest.param("ที่นี่มีที่พัก", id="Thai vowels above the line"),
    pytest.param("❤\ufe0f ok", id="a variation selector"),
    pytest.param("👩\u200d💻 codes", id="joined emoji"),
    pytest.param("zero\u200bwidth", id="a zero-width space"),
    pytest.param("two\nlines\tand a tab", id="line ends"),
    pytest.param("a\u2028b\u0085c", id="line ends of other kinds"),
    pytest.param("ｆｕｌｌ width", id="full width"),
    pytest.param("مرحبا", id="from right to left"),
]


@pytest.mark.parametrize("text", HOSTILE)
def test_every_line_of_the_box_is_equally_wide(text):
    verdict = Verdict("RESEARCH", True, text)
    lines = end_screen.verdict_box(
        finished(alternative=text, risk=text, verdict=verdict)
    ).splitlines()

    assert {on_screen(line) for line in lines} == {on_screen(lines[0])}
    assert all(line[0] + line[-1] in ("╭╮", "├┤", "││", "╰╯") for line in lines)


@pytest.mark.parametrize("verdict", ["SHIP", "MONITOR", "RESEARCH"])
def test_the_box_is_straight_for_every_verdict(verdict):
    lines = end_screen.verdict_box(finished(verdict=Verdict(verdict, True))).splitlines()

    assert {on_screen(line) for line in lines} == {56}


@pytest.mark.parametrize(
    "letter",
    ["\x1b[2J", "\x07", "\x00", "\x9b31m", "\u202e"],
    ids=["escape", "bell", "null", "csi", "bidi"],
)
def test_no_text_of_the_agent_commands_the_terminal(letter):
    text = end_screen.verdict_box(finished(alternative=f"a{letter}b", risk=letter))

    assert not [c for c in text if c != "\n" and unicodedata.category(c) == "Cc"]
    assert "\u202e" not in text


# --- Cancelled ---


def test_a_cancelled_loop_reports_what_was_and_what_was_not_done():
    loop = a_loop(
        spec="fix\nit",
        criteria=(without_check("a", claim=Claim("a", True)), without_check("b")),
        steps=(Step("x", True), Step("y")),
        spend=Spend(iterations=3, dollars=1.234),
    )

    assert announcements.cancel_report(loop).splitlines() == [
        "Loop cancelled.",
        "Completed: 3 iterations, $1.23 cost",
        "Accomplished:",
        "- x",
        "Remaining:",
        "- y",
        "Criteria status:",
        "✓ a",
        "✗ b",
        'To restart: `loop start "fix it"`',
    ]


RESTARTS = {
    "a spec of more than a line": (
        "fix " + "it, " * 20,
        f'`loop start "fix {"it, " * 20}'[:-1] + '"`',
    ),
    "quotes": ('say "no"', "`loop start 'say \"no\"'`"),
    "a text too long to paste": ("x" * 501, "`loop start` with the same spec (`loop report`"),
}


@pytest.mark.parametrize(("spec", "command"), RESTARTS.values(), ids=RESTARTS)
def test_the_command_that_restarts_a_cancelled_loop_can_be_pasted(spec, command):
    assert f"To restart: {command}" in announcements.cancel_report(a_loop(spec=spec))


def test_a_cancelled_loop_without_steps_says_none():
    assert "Accomplished:\n(none)\nRemaining:\n(none)\n" in announcements.cancel_report(a_loop())


def test_why_a_person_must_look_is_never_cut() -> None:
    why = "1 of 2 demands is shown by no test: 2. With a coupon, the total is rounded to cents"
    verdict = Verdict("MONITOR", proven=True, why=why, grade="proven")
    rows = end_screen.verdict_box(a_loop(verdict=verdict)).splitlines()

    assert len({on_screen(row) for row in rows}) == 1
    # With exit code 0 nothing is held back.
    assert f"Note: {why}" in " ".join(row.strip("│ ") for row in rows)
