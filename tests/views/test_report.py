"""The morning report, and summary.md: what is read of a night, the good ones and the bad alike."""

from itertools import pairwise

import pytest
from markdown_it import MarkdownIt

from loopwright.core.limits import Limits, Spend
from loopwright.core.loop import Step
from loopwright.views import report
from loopwright.views.turn_history import last_words, turn_history
from tests.support.builders import (
    a_discovery_loop,
    a_loop_without_checks,
    block,
    claim,
    order,
    with_check,
    without_check,
)
from tests.support.night import Night, a_free_loop

DONE = block({"tests pass": True}, exit=True)
FINE = {"tests pass": True}


class Page:
    """Markdown as a reader's program takes it apart."""

    def __init__(self, text: str) -> None:
        self.text = text
        tokens = MarkdownIt("commonmark").enable("table").parse(text)
        follows = [(token.type, then) for token, then in pairwise(tokens)]
        self.headings = [then.content for kind, then in follows if kind == "heading_open"]
        self.cells = [then.content for kind, then in follows if kind in ("td_open", "th_open")]
        self.codes = [
            part.content
            for token in tokens
            for part in token.children or ()
            if part.type == "code_inline"
        ]
        self.bold = "".join(part.content for part in tokens[4].children or ())

    @property
    def rows(self) -> list[list[str]]:
        """The table without its head, eight cells a row."""
        assert len(self.cells) % 8 == 0, self.cells
        return [self.cells[at : at + 8] for at in range(8, len(self.cells), 8)]

    def section(self, title: str) -> list[str]:
        return (
            self.text.partition(f"\n## {title}\n\n")[2].partition("\n\n## ")[0].strip().split("\n")
        )


def page(night: Night, stat: str = "") -> Page:
    return Page(report.text(night.loop, turn_history(night.journal), stat))


# --- Nights ---


def test_a_proven_night():
    night = Night(a_free_loop(limits=Limits(iterations=5)))
    night.whole_turn(DONE, "tree-2", dollars=0.5)
    night.whole_turn(DONE, "tree-3", dollars=0.75, checks=FINE)

    read = page(night, " shop.py | 2 +-")

    assert read.headings == [
        "fix all failing tests",
        "Asked",
        "Shown",
        "Iterations",
        "Changed since the start",
        "Next",
    ]
    assert read.bold == (
        "Finished, proven in place. "
        "The checks pass here; no clean checkout has confirmed it. You can keep it."
    )
    assert "Loop `loop-1`: 2 iterations of 5, $1.25 of $25, 1 of 240 min." in read.text
    assert read.section("Shown") == ["- tests pass: `pytest -q` exited 0 in 0.0 s on tree `tree-3`"]
    assert read.rows == [
        ["1", "claude", "0.2", "$0.50", "", "", "", "claimed done, and was not"],
        ["2", "claude", "0.2", "$0.75", "", "", "✓ tests pass", ""],
    ]
    assert read.section("Changed since the start") == ["```text", "shop.py | 2 +-", "```"]
    assert read.section("Next") == [
        "- Look at the change, and keep it or not. The record: `loop history`.",
        "- The proof, for a pull request: `loop receipt`",
    ]


def test_a_night_that_ran_out_of_money_says_so_first():
    night = Night(
        a_free_loop(
            limits=Limits(dollars=2.0),
            criteria=(with_check("tests pass"), with_check("lint clean")),
        )
    )
    night.whole_turn(DONE, "tree-2", dollars=2.5, checks={"lint clean": True})

    read = page(night)

    assert read.bold == "NOT DONE: paused: budget of $2 reached ($2.50 spent)"
    assert read.section("Shown") == ["- lint clean: `pytest -q` exited 0 in 0.0 s on tree `tree-2`"]
    assert read.section("Not shown") == [
        "- tests pass: `pytest -q` exited 1",
        "```text",
        "1 failed",
        "```",
    ]
    assert read.section("Why it was stopped or warned") == ["- budget of $2 reached ($2.50 spent)"]
    assert read.section("Next") == [
        "- `loop run --continue --budget=2`   (why: `loop why`)",
        "- What the agent did last: `loop logs`",
    ]


def test_a_night_that_only_the_agent_vouches_for_is_not_called_proven():
    night = Night(a_loop_without_checks("docs read well", "links work"))
    night.whole_turn(
        block(
            {"docs read well": {"met": True, "verification": "observation"}, "links work": True},
            exit=True,
        )
    )

    read = page(night)

    assert read.bold == (
        "Finished, reported. The agent says so; no command shows all of it. "
        "Look at it before you keep it."
    )
    assert read.section("Shown") == ["Nothing."]
    assert read.section("Not shown") == [
        "- docs read well: only the agent says so (observation)",
        "- links work: only the agent says so (no evidence given)",
    ]


@pytest.mark.parametrize(
    ("signal", "outcome", "following"),
    [
        (order("cancel"), "cancelled", "- Start again: `loop start`"),
        (
            claim(ask="which port?"),
            "asking: which port?",
            "- `loop answer TEXT`   (which port?)",
        ),
        (
            order("pause", reason="lunch"),
            "paused: lunch",
            "- `loop run --continue`   (why: `loop why`)",
        ),
    ],
    ids=["cancelled", "asking", "paused"],
)
def test_a_night_that_ended_otherwise_says_how_and_what_to_do(signal, outcome, following):
    night = Night()
    night.whole_turn("", "tree-2")
    night.tell(signal)

    read = page(night)

    assert (read.bold, read.section("Next")[0]) == (f"NOT DONE: {outcome}", following)
    assert [row[0] for row in read.rows] == ["1"]


def test_a_night_in_which_nothing_happened():
    night = Night()

    read = page(night)

    assert read.headings == [
        "fix all failing tests",
        "Asked",
        "Shown",
        "Not shown",
        "Iterations",
        "Next",
    ]
    assert read.bold == "NOT DONE: running"
    assert (read.section("Shown"), read.section("Not shown")) == (
        ["Nothing."],
        ["- tests pass: not shown"],
    )
    assert read.section("Iterations") == ["None."]


def test_a_night_of_improving_lists_what_was_found_and_fixed():
    night = Night(a_discovery_loop("the menu", "a typo", guards=("tests stay green",)))
    night.whole_turn(
        "<cycle_complete>\ndone: a typo\n</cycle_complete>",
        "tree-2",
        checks={"tests stay green": True},
    )

    rows = page(night).section("Found and fixed")

    assert rows[2:] == ["- [x] a typo", "- [ ] the menu"]


# --- Rows ---


def test_what_came_true_and_what_broke_stands_in_the_row_of_its_turn():
    night = Night(
        a_free_loop(
            criteria=(with_check("tests pass"), with_check("lint clean"), without_check("docs"))
        ),
        "claude",
        "codex",
    )
    night.whole_turn("", "tree-2")
    night.whole_turn(block({"docs": True}), "tree-3", checks=FINE)
    night.whole_turn(usage_limited=True, limit_reset_at=9_000.0, tree="tree-3")
    night.whole_turn("", "tree-4", checks={"lint clean": True})

    assert [(row[0], row[1], row[6]) for row in page(night).rows] == [
        ("1", "claude", ""),
        ("2", "claude", "✓ tests pass"),  # docs are only said
        ("–", "claude", ""),
        ("3", "codex", "✓ lint clean, ✗ tests pass"),
    ]


def test_what_held_before_the_night_is_no_change_of_it():
    night = Night(a_free_loop(criteria=(without_check("docs"), with_check("tests pass"))))
    night.tell(claim({"docs": True}))
    night.whole_turn("", "tree-2")

    assert page(night).rows[0][6] == ""


@pytest.mark.parametrize(
    ("ending", "number", "note"),
    [
        pytest.param(
            {"cut_reason": "it showed no sign of life"},
            "1",
            "cut off: it showed no sign of life",
            id="cut",
        ),
        pytest.param(
            {"lost": True, "cut_reason": "the runner died in it"},
            "–",
            "cut off: the runner died in it",
            id="lost",
        ),
        pytest.param(
            {"denied_calls": ("Bash(a)", "Bash(b)", "Bash(c)")},
            "1",
            "denied: Bash(a); Bash(b)",
            id="denied",
        ),
        pytest.param(
            {"usage_limited": True, "limit_reset_at": 1_630.0},
            "–",
            "usage limit; waited 10 min",
            id="a usage limit",
        ),
        pytest.param(
            {"api_failure": "overloaded"},
            "–",
            "the API failed; waited 0 min",
            id="a fault that passes",
        ),
        pytest.param(
            {"api_failure": "invalid api key"}, "–", "the API failed", id="a fault that does not"
        ),
    ],
)
def test_what_went_wrong_in_a_turn_stands_in_its_row(ending, number, note):
    night = Night()
    night.whole_turn("", "tree-2", **ending)

    assert [(row[0], row[7]) for row in page(night).rows] == [(number, note)]


def test_every_pause_is_named_once():
    night = Night()
    night.tell(
        order("pause", reason="lunch"),
        order("continue"),
        order("pause", reason="lunch"),
        order("continue"),
    )
    night.tell(claim(must_not=("push",)))

    assert page(night).section("Why it was stopped or warned") == ["- lunch", "- must not: push"]


def test_waiting_is_told_apart_from_work():
    night = Night()
    night.whole_turn(usage_limited=True, limit_reset_at=1_630.0)
    night.begin(at=1_630.0)

    assert "0 of 240 min, 10 min waited for limits." in page(night).text


# --- Words that are not ours ---

EVIL = "a|b `c` ``` \\| d\n\n# e\n- [x] f"


def test_no_words_break_the_page():
    night = Night(
        a_free_loop(
            spec=EVIL, criteria=(with_check(EVIL, "grep '`a|b`' x |\nwc -l"), without_check("docs"))
        )
    )
    night.whole_turn("", "tree-2", cut_reason=EVIL, denied_calls=(EVIL,), checks={EVIL: True})
    night.whole_turn("", "tree-3")
    night.tell(order("pause", reason=EVIL))

    read = page(night, EVIL)

    expected = [
        "Asked",
        "Shown",
        "Not shown",
        "Iterations",
        "Why it was stopped or warned",
        "Changed since the start",
        "Next",
    ]
    assert read.headings[1:] == expected
    assert len(read.rows) == 2
    assert "grep '`a|b`' x | wc -l" in read.codes
    assert "loop run --continue" in read.codes


def test_no_words_break_the_summary():
    night = Night(
        a_free_loop(criteria=(without_check(EVIL),), steps=(Step(EVIL, True), Step(EVIL)))
    )
    night.tell(order("pause", reason=EVIL))

    assert Page(report.summary(night.loop)).headings == ["Loop summary", "Completed", "Remaining"]


# --- summary.md, as the seeds have it ---


def test_the_summary_of_a_night_that_is_not_done():
    night = Night(
        a_free_loop(
            spend=Spend(iterations=7, dollars=12.0),
            criteria=(with_check("tests pass"), with_check("lint clean")),
            steps=(Step("find it", True), Step("fix it")),
        )
    )
    night.whole_turn("", "tree-2", dollars=0.5, checks=FINE)
    night.tell(order("pause", reason="enough"))

    assert report.summary(night.loop) == (
        "# Loop summary\n\n**Status:** paused: enough\n**Iterations:** 8/10\n**Cost:** $12.50/$25.00\n"
        "\n## Completed\n\n- [x] find it\n- [x] tests pass\n"
        "\n## Remaining\n\n- [ ] fix it\n- [ ] lint clean\n"
    )


def test_the_summary_of_a_proven_night_leaves_nothing():
    night = Night()
    night.whole_turn(DONE, "tree-2", checks=FINE)

    rows = report.summary(night.loop).splitlines()

    assert rows[2].startswith("**Status:** finished, proven in place. ")
    assert rows[-3:] == ["## Remaining", "", "(none)"]


# --- What each turn did ---

TREES = ("a" * 40, "b" * 40)


def test_a_turn_is_shown_with_its_files_the_size_of_its_change_and_its_last_words():
    night = Night(a_free_loop(tree=TREES[0]))
    night.whole_turn("I looked around.\nI fixed the parser.\n" + DONE, f"{TREES[1]}+x", dollars=0.5)
    history = turn_history(night.journal)
    change = report.TurnChange(("a.py", "b.py", "c.py", "d.py"), 10, 3)

    read = Page(report.text(night.loop, history, changes={TREES: change}))

    assert history.rows[0].trees == TREES
    assert read.rows[0][3:6] == [
        "$0.50",
        "a.py, b.py, c.py and 1 more (+10 −3)",
        "I fixed the parser.",
    ]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("", ""),
        ("Done.\n\n<loop-complete>", "Done."),
        (block({"tests pass": True}), ""),
        ("One.\nTwo.\n", "Two."),
    ],
)
def test_the_last_words_are_those_for_a_person(answer: str, words: str):
    assert last_words(answer) == words


def test_of_a_long_run_the_last_turns_are_shown():
    night = Night(a_free_loop(limits=Limits(iterations=500, stuck=1_000)))
    for number in range(60):
        night.whole_turn("", f"tree-{number}")

    read = page(night)

    assert [row[0] for row in read.rows] == [str(number) for number in range(11, 61)]
    assert "The last 50 turns. All of them: `loop journal`" in read.text
