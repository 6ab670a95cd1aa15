"""What an agent reports of its tasks and gaps, where it says so itself."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from loopwright.core.replies.reports import (
    MAX_REPORTS,
    MAX_TEXT,
    Reports,
    TaskReport,
    reports_in,
    single_line,
)

often = settings(max_examples=150, deadline=None)
TWO = ("02", "03")


def failure(reason: str = "", task: str = "02", **more: str) -> Reports:
    return Reports(failed=(TaskReport(task, reason, **more),))


# --- TASK COMPLETE ---

ALONE = [
    pytest.param("TASK COMPLETE", id="alone"),
    pytest.param("TASK COMPLETE.", id="with a full stop"),
    pytest.param("TASK COMPLETE ✅", id="with cheer behind it"),
    pytest.param("✅ TASK COMPLETE", id="with cheer before it"),
    pytest.param("**TASK COMPLETE**", id="bold"),
    pytest.param("**✅ TASK COMPLETE**", id="bold with cheer"),
    pytest.param("_TASK COMPLETE_", id="slanted"),
    pytest.param("## TASK COMPLETE", id="a heading"),
    pytest.param("### **TASK COMPLETE**", id="a bold heading"),
    pytest.param("- TASK COMPLETE", id="a bullet"),
    pytest.param("* TASK COMPLETE", id="a bullet of another kind"),
    pytest.param("- [x] TASK COMPLETE", id="a ticked box"),
    pytest.param("1. TASK COMPLETE", id="an item of a numbered list"),
    pytest.param("Everything is in place.\n\nTASK COMPLETE\n\nHave a look.", id="between prose"),
    pytest.param("all fine\r\nTASK COMPLETE\r\n", id="with the line ends of Windows"),
    pytest.param("```\nsome code\n```\nTASK COMPLETE", id="after a fence that is closed"),
    pytest.param(
        "TASK COMPLETE\nFiles: a.py, b.py\nCommit: 1a2b3c4\nAuto-fixes: none",
        id="with the lines of the seed",
    ),
    pytest.param("TASK COMPLETE: added the export", id="with words and no id"),
    pytest.param("TASK COMPLETE - the export is there", id="with a dash"),
    pytest.param("TASK COMPLETE: 3 files changed", id="a number that begins a sentence is no id"),
    pytest.param("<story-complete></story-complete>", id="the empty tag of ralph"),
]
NAMED = [
    pytest.param("TASK COMPLETE: 02", id="behind a colon"),
    pytest.param("TASK COMPLETE:02", id="right behind a colon"),
    pytest.param("TASK COMPLETE : 02", id="a space before the colon"),
    pytest.param("TASK 02 COMPLETE", id="in the middle"),
    pytest.param("TASK 02: COMPLETE", id="in the middle with a colon"),
    pytest.param("TASK #02 COMPLETE!", id="in the middle with a number sign"),
    pytest.param("TASK 02 COMPLETE - it works", id="in the middle, with words"),
    pytest.param("TASK COMPLETE 02", id="behind a space"),
    pytest.param("TASK COMPLETE 02 - it works", id="behind a space, with words"),
    pytest.param("TASK COMPLETE 02 it works", id="behind a space, with words and no dash"),
    pytest.param("TASK COMPLETE: 02 Added the hook", id="behind a colon, with words and no dash"),
    pytest.param("TASK COMPLETE — 02: it works", id="behind a long dash"),
    pytest.param("TASK COMPLETE (02)", id="in brackets"),
    pytest.param("TASK COMPLETE: T2", id="as T2"),
    pytest.param("TASK COMPLETE: T02", id="as T02"),
    pytest.param("TASK COMPLETE: t02", id="as t02"),
    pytest.param("TASK COMPLETE: 2", id="as 2"),
    pytest.param("TASK COMPLETE: 002", id="as 002"),
    pytest.param("**TASK COMPLETE: 02**", id="bold"),
    pytest.param("**TASK COMPLETE:** 02", id="the words bold"),
    pytest.param("TASK COMPLETE: **02**", id="the id bold"),
    pytest.param("TASK COMPLETE: `02`", id="the id as code"),
    pytest.param("TASK  COMPLETE:  02", id="with more spaces"),
    pytest.param("<story-complete>02</story-complete>", id="the tag of ralph"),
    pytest.param("  <story-complete> 2 </story-complete>", id="the tag of ralph, spaced"),
]


@pytest.mark.parametrize("text", [*ALONE, *NAMED])
def test_a_report_is_about_the_only_task(text):
    assert reports_in(text, ("02",)) == Reports(complete=("02",))


@pytest.mark.parametrize("text", NAMED)
def test_a_report_with_an_id_is_about_that_task(text):
    assert reports_in(text, TWO) == Reports(complete=("02",))


@pytest.mark.parametrize("text", ALONE)
def test_a_report_without_an_id_counts_for_none_of_several(text):
    assert reports_in(text, TWO) == Reports()


@pytest.mark.parametrize(
    "text",
    [
        "TASK COMPLETE: 07",
        "TASK 07 COMPLETE",
        "TASK COMPLETE 7",
        "<story-complete>07</story-complete>",
        "<story-complete>ID</story-complete>",
        "TASK 07 FAILED: no network",
        "TASK FAILED: 07: no network",
    ],
)
@pytest.mark.parametrize("tasks", [("02",), TWO])
def test_a_report_about_another_task_counts_for_none(text, tasks):
    assert reports_in(text, tasks) == Reports()


UNSAID = [
    pytest.param("", id="nothing"),
    pytest.param("The work goes on.", id="prose"),
    pytest.param("I say TASK COMPLETE when it is.", id="in the middle of a sentence"),
    pytest.param(
        "TASK COMPLETE is what I say when it is done", id="at the beginning of a sentence"
    ),
    pytest.param(
        "TASK COMPLETE, TASK FAILED and CHECKPOINT are the words", id="in a list of words"
    ),
    pytest.param("TASK COMPLETE or TASK FAILED: no idea yet", id="as an alternative"),
    pytest.param("TASK NOT COMPLETE", id="denied"),
    pytest.param("TASK IS COMPLETE when 02 passes", id="in a condition"),
    pytest.param("TASK 02 COMPLETE in the last session, now the next", id="as news of old"),
    pytest.param("TASK 02 COMPLETES soon", id="another word"),
    pytest.param("TASK FAILEDNESS", id="a longer word"),
    pytest.param("TASKS COMPLETE", id="several tasks and no id"),
    pytest.param("task complete", id="in small letters"),
    pytest.param('"TASK COMPLETE"', id="in quotation marks"),
    pytest.param("`TASK COMPLETE`", id="as code"),
    pytest.param("> TASK COMPLETE", id="in a quote"),
    pytest.param("  > TASK COMPLETE", id="in a quote set in"),
    pytest.param("    TASK COMPLETE", id="in indented code"),
    pytest.param("```\nTASK COMPLETE\n```", id="in a fence"),
    pytest.param("~~~text\nTASK FAILED: no\n~~~", id="in a fence of tildes"),
    pytest.param("```\nTASK COMPLETE", id="in a fence that never ends"),
    pytest.param("- [ ] TASK COMPLETE", id="a box that is not ticked"),
    pytest.param("| TASK COMPLETE | 02 |", id="in a table"),
    pytest.param(
        "TASK COMPLETE: <id>\nTASK FAILED: {reason}\nTASK FAILED: 02: <reason>",
        id="our own words for it",
    ),
    pytest.param("TASK 02 FAILED: {reason}\nCHECKPOINT: {reason}", id="more of our own words"),
    pytest.param(
        "NEW ISSUE: [{severity}] …\nNEW ISSUE: [severity] <what you found>\nGAP CLOSED: <file>",
        id="and more",
    ),
    pytest.param("<story-complete>02</story-complete> I hope", id="a tag in a sentence"),
    pytest.param("see <story-blocked>no</story-blocked>", id="a tag at the end of a sentence"),
    pytest.param("GAP CLOSED and GAP FAILED are the answers", id="gaps in a sentence"),
    pytest.param("CHECKPOINTS: three", id="something like a checkpoint"),
    pytest.param("NEW ISSUE", id="an issue that says nothing"),
]


@pytest.mark.parametrize("text", UNSAID)
def test_what_is_quoted_mentioned_or_blank_reports_nothing(text):
    assert reports_in(text, ("02",)) == Reports()


def test_several_tasks_report_in_one_message():
    text = "1. TASK COMPLETE: 01\n2. **TASK COMPLETE: 03** - the hook\n\nTASK FAILED: 02: no network\nTASK COMPLETE: 01"

    assert reports_in(text, ("01", "02", "03")) == failure("no network").but(complete=("01", "03"))


@pytest.mark.parametrize(
    "text", ["TASK FAILED: no network\nTASK COMPLETE", "TASK COMPLETE\nTASK FAILED: no network"]
)
def test_a_task_that_is_both_complete_and_failed_has_failed(text):
    assert reports_in(text, ("02",)) == failure("no network")


@pytest.mark.parametrize(
    ("said", "task"),
    [
        ("US-001", "US-001"),
        ("us-001", "US-001"),
        ("T2", "T2"),
        ("2", "2"),
        ("0", "0"),
        ("1.2", "1.2"),
        ("login", "login"),
    ],
)
def test_ids_are_known_as_they_are_written(said, task):
    tasks = ("US-001", "T2", "2", "0", "1.2", "login")

    assert reports_in(f"TASK COMPLETE: {said}", tasks) == Reports(complete=(task,))
    assert reports_in(f"TASK {said} FAILED: no", tasks) == failure("no", task)


def test_an_id_that_two_tasks_could_have_is_neither():
    assert reports_in("TASK COMPLETE: T002", ("2", "T2")) == Reports()


# --- TASK FAILED ---


@pytest.mark.parametrize(
    "text",
    [
        "TASK FAILED: the API is gone",
        "**TASK FAILED:** the API is gone",
        "**TASK FAILED: the API is gone**",
        "❌ TASK FAILED: the API is gone",
        "TASK FAILED: 02: the API is gone",
        "TASK FAILED: 02 - the API is gone",
        "TASK FAILED 02: the API is gone",
        "TASK 02 FAILED: the API is gone",
        "TASK T2 FAILED — the API is gone",
        "TASK FAILED\n\nthe API is gone\n\nI am sorry.",
        "TASK FAILED: the API\nis gone\n\nI am sorry.",
        "TASK FAILED: the API is gone\n# What now\nI am sorry.",
        "TASK FAILED: an error\nTASK FAILED: the API is gone",
        "<story-blocked>the API is gone</story-blocked>",
        "<story-blocked>02: the API is gone</story-blocked>",
    ],
)
def test_a_failure_and_its_reason(text):
    assert reports_in(text, ("02",)) == failure("the API is gone")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        pytest.param("TASK FAILED", "", id="none"),
        pytest.param(
            "TASK FAILED: 2 tests are red", "2 tests are red", id="a number that begins it is no id"
        ),
        pytest.param(
            "TASK FAILED: 404: not found",
            "404: not found",
            id="nor is a number that no task looks like",
        ),
        pytest.param("TASK FAILED: .env is missing", ".env is missing", id="a dot that begins it"),
        pytest.param(
            "**TASK FAILED:** __init__.py is missing",
            "__init__.py is missing",
            id="underscores of its own",
        ),
        pytest.param(
            "TASK FAILED: a\x1b[31m\u2028b", "a [31m b", id="letters that a terminal obeys"
        ),
        pytest.param("TASK FAILED: " + "x" * 3_000, "x" * MAX_TEXT, id="far too long"),
    ],
)
def test_the_reason_of_a_failure(line, reason):
    assert reports_in(line, ("02",)) == failure(reason)


@pytest.mark.parametrize(
    "below",
    [
        "Progress: the form\nBlocker: no key\nSuggested fix: ask for one",
        "- Progress: the form\n- Blocker: no key\n- Suggested fix: ask for one",
        "**Progress:** the form\n**Blocker**: no key\n**Suggested Fix:** ask for one",
        "\nProgress: the form\n\nBlocker: no key\n\nSuggested fix: ask for one",
        "Progress:\n- the form\nBlocker:\n\nno key\n\nmore\nSuggested fix: ask\nfor one\nFiles: a.py\nb.py",
        "Suggested fix: ask for one\nFiles: a.py\nBlocker: no key\nProgress: the form\n\nThat is all.",
    ],
)
def test_the_lines_below_a_failure_tell_more(below):
    more = {"progress": "the form", "blocker": "no key", "fix": "ask for one"}

    assert reports_in(f"TASK FAILED: no login\n{below}", ("02",)) == failure("no login", **more)
    assert reports_in(f"TASK FAILED: no login\n{below}", TWO) == Reports()


def test_what_stands_below_one_report_is_not_said_of_the_next():
    text = "TASK FAILED: 02: no\nBlocker: no key\nTASK COMPLETE: 03\nBlocker: none\nNEW ISSUE: [low] a typo\nProgress: all"

    assert reports_in(text, TWO) == failure("no", blocker="no key").but(
        complete=("03",), issues=("[low] a typo",)
    )


# --- The other words ---


def test_a_checkpoint_has_a_reason_and_the_last_one_counts():
    assert (
        reports_in("CHECKPOINT: which key?\n\n**CHECKPOINT:** which colour?", ()).checkpoint
        == "which colour?"
    )
    assert reports_in("CHECKPOINT", ()).checkpoint == "no reason given"


def test_issues_are_kept_once_each_with_their_severity():
    text = "NEW ISSUE: [high] a leak of x[0] here\n- NEW ISSUE: [low] a typo\nNEW ISSUE: slow\nNEW ISSUE: [low] a typo"

    assert reports_in(text, ()).issues == ("[high] a leak of x[0] here", "[low] a typo", "slow")


def test_gaps_are_closed_or_not():
    text = (
        "GAP CLOSED: src/a.ts\n**GAP CLOSED:** src/b.ts\n- GAP FAILED: no such module\nGAP CLOSED"
    )

    assert reports_in(text, ()) == Reports(closed_gaps=("src/a.ts", "src/b.ts", ""))


def test_no_more_than_fifty_of_each_are_taken():
    text = "\n".join(
        f"{word}: number {n}" for n in range(200) for word in ("NEW ISSUE", "GAP CLOSED")
    )
    said = reports_in(text, ())

    assert [len(said.issues), len(said.closed_gaps)] == [MAX_REPORTS] * 2
    assert said.closed_gaps[0] == "number 0"


# --- Always ---

words = [
    "TASK",
    "COMPLETE",
    "FAILED",
    "TASK COMPLETE",
    "TASK FAILED:",
    "02",
    "T3",
    ":",
    "-",
    "CHECKPOINT:",
    "NEW ISSUE: [",
]
words += [
    "GAP CLOSED:",
    "GAP FAILED:",
    "Progress:",
    "Blocker:",
    "Suggested fix:",
    "<story-complete>",
    "</story-complete>",
]
words += [
    "<story-blocked>",
    "</story-blocked>",
    "**",
    "#",
    "- ",
    "1. ",
    "> ",
    "```",
    "\n",
    "\r\n",
    "    ",
    "²",
    "x",
    "]",
]
markup = st.lists(st.sampled_from(words), max_size=20)
messages = (
    st.text(st.characters()) | markup.map("".join) | markup.map(" ".join) | markup.map("\n".join)
)
some_tasks = st.lists(
    st.sampled_from(["02", "3", "T3", "US-001", "a b", "", "²"]), max_size=3, unique=True
).map(tuple)


@often
@given(messages, some_tasks)
@example("TASK COMPLETE: ²", ("²",))
@example("- " * 50_000 + "TASK COMPLETE", ("02",))
def test_every_message_can_be_read_and_speaks_of_given_tasks_only(text, tasks):
    said = reports_in(text, tasks)

    failed = [report.task for report in said.failed]
    assert {*said.complete, *failed} <= set(tasks)
    assert not {*said.complete} & {*failed}
    told = [
        said.checkpoint,
        *said.issues,
        *said.closed_gaps,
        *(report.reason for report in said.failed),
    ]
    assert all(words == single_line(words) for words in told)


@often
@given(messages, some_tasks)
def test_a_message_in_a_fence_a_quote_or_code_reports_nothing(text, tasks):
    lines = text.replace("\r", "\n").split("\n")

    assert reports_in("`" * 300 + f"\n{text}\n", tasks) == Reports()
    assert reports_in("\n".join(f"> {line}" for line in lines), tasks) == Reports()
    assert reports_in("\n".join(f"    {line}" for line in lines), tasks) == Reports()
