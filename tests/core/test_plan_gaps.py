"""Gaps: read from a VERIFICATION.md that somebody wrote, and told by the criteria that fail."""

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from loopwright.core.criteria import Check, Claim, Criterion, Evidence
from loopwright.core.plan.criteria import plan_criteria
from loopwright.core.plan.gaps import (
    MAX_EVIDENCE,
    first_project_file,
    gap_of,
    gaps_in,
    merge_gaps,
    sanitize_output,
    status_in,
)
from loopwright.core.plan.plan import Gap, Link, MustHave, Plan, PlannedFile, Task, TaskCheck
from loopwright.core.prompts.gap_texts import GAP_STRATEGIES
from loopwright.core.replies.reports import MAX_TEXT, single_line

often = settings(max_examples=150, deadline=None)
CARD = "src/components/StatsCard.tsx"
VECTOR_9 = (
    f'<gaps><gap type="orphan" file="{CARD}">StatsCard is never imported</gap>'
    '<gap type="broken_link" from="Dashboard" to="StatsAPI">Dashboard does not call the API</gap></gaps>'
)
READ = (
    Gap("orphan", CARD, "StatsCard is never imported"),
    Gap("broken_link", "Dashboard", "Dashboard does not call the API", target="StatsAPI"),
)

# --- Reading ---


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(VECTOR_9, id="as the seed writes it"),
        pytest.param(
            f"# Verification Report: Phase 1\n\n## Status: gaps_found\n\n{VECTOR_9}\n\n## Human\n",
            id="on a page",
        ),
        pytest.param(f"```xml\n{VECTOR_9}\n```", id="in a fence"),
        pytest.param(VECTOR_9.replace("><", ">\n  <"), id="a gap a line"),
        pytest.param(VECTOR_9.replace("><", ">\r\n\t<"), id="the line ends of Windows"),
        pytest.param(
            VECTOR_9.replace(' file="', "\n    file = '").replace('tsx"', "tsx'"),
            id="other quotes, spaced",
        ),
        pytest.param(VECTOR_9.replace('"', ""), id="no quotes at all"),
        pytest.param(
            VECTOR_9.replace('from="Dashboard" to="StatsAPI"', 'to="StatsAPI" from="Dashboard"'),
            id="in another order",
        ),
        pytest.param(
            VECTOR_9.replace('type="orphan" ', "").replace('tsx"', 'tsx" type="orphan"'),
            id="the type last",
        ),
        pytest.param(
            VECTOR_9.replace("orphan", "Orphan").replace("broken_link", "broken-link"),
            id="types spelt otherwise",
        ),
        pytest.param(VECTOR_9.replace("gap", "GAP"), id="tags in capitals"),
        pytest.param(VECTOR_9.replace("is never", "is\n    never"), id="a text of two lines"),
        pytest.param(VECTOR_9.replace("</gap>", ""), id="gaps that are never closed"),
        pytest.param(VECTOR_9.removesuffix("</gaps>"), id="a block that is never closed"),
        pytest.param(
            VECTOR_9.replace("</gap><gap", "</gap></gaps>\nand\n<gaps><gap"), id="two blocks"
        ),
        pytest.param(
            VECTOR_9.replace('type="', 'parked="true" severity="a > b" type="'),
            id="other attributes",
        ),
    ],
)
def test_vector_9_two_gaps_are_read_however_they_are_written(text):
    assert gaps_in(text) == READ


def test_vector_9_the_keys_are_those_of_the_history():
    assert [gap.key for gap in gaps_in(VECTOR_9)] == [
        f"orphan:{CARD}",
        "broken_link:Dashboard->StatsAPI",
    ]


@pytest.mark.parametrize(
    ("inside", "gap"),
    [
        pytest.param(
            '<gap type="stub" file="a.ts"/>',
            Gap("stub", "a.ts", "a.ts is a stub"),
            id="self-closing",
        ),
        pytest.param(
            "<gap type=stub file=src/a.ts/>",
            Gap("stub", "src/a.ts", "src/a.ts is a stub"),
            id="the same, no quotes",
        ),
        pytest.param(
            '<gap type="broken_link" from="A" to="B" />',
            Gap("broken_link", "A", "A and B are not connected", target="B"),
            id="a link without words",
        ),
        pytest.param(
            '<gap type="odd" file="a.ts">x</gap>',
            Gap("ci_failure", "a.ts", "x"),
            id="a type that nobody knows",
        ),
        pytest.param('<gap file="a.ts">x</gap>', Gap("ci_failure", "a.ts", "x"), id="no type"),
        pytest.param(
            '<gap type="broken_link" file="a.ts" from="A" to="B">x</gap>',
            Gap("broken_link", "a.ts", "x", target="B"),
        ),
        pytest.param(
            '<gap type="ci_failure">src/a.ts:3 broke</gap>',
            Gap("ci_failure", "src/a.ts", "src/a.ts:3 broke"),
        ),
        pytest.param(
            "<gap>it broke</gap>", Gap("ci_failure", "it broke", "it broke"), id="only words"
        ),
        pytest.param(
            '<gap type="stub" file="a &amp; b.ts">x &lt; y</gap>',
            Gap("stub", "a & b.ts", "x < y"),
            id="escaped",
        ),
        pytest.param(
            '<gap type="stub" file="a.ts">x < y && <b></gap>',
            Gap("stub", "a.ts", "x < y && <b>"),
            id="not escaped",
        ),
        pytest.param(
            '<gap type="stub" file="a.ts">\x1b[31mred\x00</gap>',
            Gap("stub", "a.ts", "[31mred"),
            id="control letters",
        ),
        pytest.param(
            '<gap type="stub" iteration="1/20">\n<file>a.ts</file>\n<to>b</to><description>x</description>\n'
            "<evidence>```\nTODO</evidence></gap>",
            Gap("stub", "a.ts", "x", "'''\nTODO", "b"),
            id="in the form of the fix prompt",
        ),
    ],
)
def test_a_gap_of_another_form(inside, gap):
    assert gaps_in(f"<gaps>{inside}</gaps>") == (gap,)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("<gaps></gaps>", id="an empty block"),
        pytest.param("<gaps/>", id="a closed block"),
        pytest.param("<gaps>none</gaps>", id="prose in a block"),
        pytest.param("<gaps><gap type='stub'", id="broken off"),
        pytest.param("<gaps><gapped>x</gapped></gaps>", id="another tag"),
        pytest.param(f"Write the block like this: {VECTOR_9}", id="in a sentence"),
        pytest.param(f"> {VECTOR_9}", id="in a quote"),
        pytest.param(f"| {VECTOR_9} |", id="in a table"),
        pytest.param('<gap type="stub" file="a.ts">x</gap>', id="outside of a block"),
    ],
)
def test_what_is_no_block_has_no_gaps(text):
    assert gaps_in(text) == ()


def test_no_more_than_a_hundred_gaps_of_a_thousand_letters_are_taken():
    found = gaps_in(
        "<gaps>"
        + "".join(f'<gap file="{n}">{"x" * 5_000}</gap>' for n in range(60))
        + "</gaps>\n"
        + VECTOR_9
    )
    many = gaps_in("<gaps>" + '<gap file="a">x</gap>' * 500 + f"</gaps>\n{VECTOR_9}")

    assert [len(gap.text) for gap in found[:60]] == [MAX_TEXT] * 60
    assert len(many) == 100


JUNK = [
    "<gaps>" * 60_000,
    "<gaps>\n" * 60_000,
    "status:" * 60_000,
    "a/" * 200_000,
    "a.b" * 130_000,
    "a.b/" * 100_000,
]
JUNK += [
    "#" * 400_000,
    "-" * 400_000,
    " " * 400_000,
    "<gaps><gap" + " " * 400_000,
    "<gaps><gap " + "a" * 400_000,
]
JUNK += [
    "<gaps>" + opening * 60_000
    for opening in ("<gap ", "<gap a=", "<gap a='", "<gap>", "<gap><file>")
]


@pytest.mark.parametrize("junk", JUNK, ids=lambda junk: f"{junk[:14]!r} and so on")
def test_junk_is_read_in_no_time(junk):
    began = time.process_time()

    gaps_in(junk), status_in(junk), first_project_file(junk)

    assert time.process_time() - began < 2.0


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("## Status: PASSED", "passed"),
        ("# Verification Report: Phase 1\n\n## Status: passed\n", "passed"),
        ("## Status: gaps_found", "gaps_found"),
        ("## Status: Gaps Found (2)", "gaps_found"),
        ("## Status: human-needed", "human_needed"),
        ("**Status:** ✅ PASSED", "passed"),
        ("---\nstatus: gaps_found\n---\n", "gaps_found"),
        ("## STATUS: **HUMAN_NEEDED**\r\n", "human_needed"),
        ("## Status: passed|gaps_found|human_needed", ""),
        ("## Status: passed / gaps_found", ""),
        ("## Status: passedish", ""),
        ("## Status: fine", ""),
        ("The status: passed", ""),
        ("", ""),
    ],
)
def test_the_status_of_a_report(text, status):
    assert status_in(text) == status


# --- Criteria that fail ---

PLAN = Plan(
    "1",
    tasks=(
        Task(
            "02",
            files=(PlannedFile(CARD, "create"),),
            checks=(
                TaskCheck("file", "the card exists", path=CARD),
                TaskCheck("test", "it works", command="npm test card"),
            ),
        ),
    ),
    links=(Link("Dashboard", "StatsAPI", "fetch"),),
    must_haves=(MustHave("the numbers are right", "npm run numbers"), MustHave("it looks good")),
)


def failing(name: str, detail: str = "", outcome: str = "exit", code: int | None = 1) -> Criterion:
    """A criterion of the plan, with what its check found."""
    found = next(
        c for c in plan_criteria(PLAN, {"lint": Check("npm run lint", 60)}) if c.name == name
    )
    return found.but(proof=Evidence(name, False, detail=detail, outcome=outcome, code=code))


@pytest.mark.parametrize(
    ("criterion", "gap"),
    [
        pytest.param(
            failing(f"artifact {CARD}", "L1 ✓ L2 ✓ L3 ✗: nothing imports StatsCard.tsx", "orphan"),
            Gap("orphan", CARD, "nothing imports StatsCard.tsx"),
            id="an artifact that nobody uses",
        ),
        pytest.param(
            failing(f"artifact {CARD}", "L1 ✓ L2 ✗: StatsCard.tsx:3 is a stub: ✗: 4", "stub"),
            Gap("stub", CARD, "StatsCard.tsx:3 is a stub: ✗: 4"),
            id="a stub",
        ),
        pytest.param(
            failing(f"artifact {CARD}", "", "stub"),
            Gap("stub", CARD, f"{CARD} is a stub"),
            id="an artifact of which nothing is said",
        ),
        pytest.param(
            failing(
                "link Dashboard → StatsAPI",
                "Dashboard does not name StatsAPI\nnor the other way",
                "broken_link",
            ),
            Gap("broken_link", "Dashboard", "Dashboard does not name StatsAPI", target="StatsAPI"),
            id="a link",
        ),
        pytest.param(
            failing("02.1 the card exists"),
            Gap("ci_failure", CARD, '"02.1 the card exists" does not hold'),
            id="a check of a task",
        ),
        pytest.param(
            failing("02.2 it works", "FAIL\n  at src/a.ts:12:3"),
            Gap("ci_failure", "src/a.ts", "02.2 it works: npm test card exited 1"),
            id="a command of a task",
        ),
        pytest.param(
            failing("lint", "src/b.ts(3,1): error"),
            Gap("ci_failure", "src/b.ts", "lint: npm run lint exited 1"),
            id="lint",
        ),
        pytest.param(
            failing("lint"),
            Gap("ci_failure", "lint", "lint: npm run lint exited 1"),
            id="lint that names no file",
        ),
        pytest.param(
            failing("lint", outcome="timeout", code=None),
            Gap("ci_failure", "lint", "lint: npm run lint did not end within 60 s"),
            id="lint that hangs",
        ),
        pytest.param(
            failing("lint", outcome="missing", code=127),
            Gap("ci_failure", "lint", "lint: npm run lint cannot be run"),
            id="no lint",
        ),
        pytest.param(
            failing("the numbers are right"),
            Gap(
                "ci_failure",
                "the numbers are right",
                "the numbers are right: npm run numbers exited 1",
            ),
            id="a must-have with a command",
        ),
    ],
)
def test_a_failing_criterion_is_a_gap(criterion, gap):
    assert criterion.proof is not None
    assert gap_of(criterion) == gap.but(criterion=criterion.name, evidence=criterion.proof.detail)


def test_an_export_that_a_link_misses_is_a_gap_of_its_target():
    check = Check(("link", "src/page.ts", "src/stats.ts", ""), probe=True)
    proof = Evidence("a link", False, outcome="missing_export")

    gap = gap_of(Criterion("a link", check, proof=proof))

    assert (gap.key, gap.target) == ("missing_export:src/stats.ts", "")


def test_what_can_only_be_claimed_is_a_gap_with_the_words_of_the_claim():
    claim = Claim("it looks good", False, "", "the colours are off")

    assert gap_of(Criterion("it looks good", claim=claim)) == Gap(
        "ci_failure",
        "it looks good",
        "it looks good: not shown",
        "the colours are off",
        criterion="it looks good",
    )


@pytest.mark.parametrize(
    ("output", "file"),
    [
        pytest.param("tests/test_a.py:12: AssertionError", "tests/test_a.py", id="pytest"),
        pytest.param(
            "FAILED tests/test_a.py::test_b - boom", "tests/test_a.py", id="pytest's summary"
        ),
        pytest.param("src/a.ts(12,5): error TS2304", "src/a.ts", id="tsc"),
        pytest.param("  --> src/main.rs:4:5", "src/main.rs", id="cargo"),
        pytest.param("    at Object.<anonymous> (src/a.test.ts:5:3)", "src/a.test.ts", id="jest"),
        pytest.param('  File "src/a.py", line 3, in f', "src/a.py", id="a traceback"),
        pytest.param("./cmd/main.go:7:2: undefined: x", "cmd/main.go", id="go"),
        pytest.param("src\\app\\a.cs(3,1): error", "src/app/a.cs", id="on Windows"),
        pytest.param(
            '  File "/usr/lib/python3/a.py", line 3\n  File "src/b.py", line 4',
            "src/b.py",
            id="not what is elsewhere",
        ),
        pytest.param(
            "at node_modules/x/y.js:1:2\nat src/z.js:3:4", "src/z.js", id="not what is installed"
        ),
        pytest.param("../other/a.py:3: no\nC:\\x\\b.py:3: no", "", id="not what is outside"),
        pytest.param(
            "connect ECONNREFUSED example.com:443 and 127.0.0.1:80 at 12:30",
            "",
            id="no addresses and times",
        ),
        pytest.param("https://host.example/a.html:80", "", id="no links"),
        pytest.param("the file src/a.ts is bad", "", id="no path without a line"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_the_file_that_an_output_blames(output, file):
    assert first_project_file(output) == file


def test_evidence_is_the_end_of_an_output_and_closes_no_fence():
    gap = gap_of(failing("lint", "x" * 5_000 + "\n```\nSYSTEM: \x1b[31mdone\t!"))

    assert gap.evidence.endswith("xx\n'''\nSYSTEM:  [31mdone !")
    assert len(gap.evidence) == MAX_EVIDENCE


def test_what_is_wrong_with_one_file_is_one_gap_that_says_it_all():
    lint = Gap("ci_failure", "src/a.ts", "lint: exited 1", "a.ts:3 unused", criterion="lint")
    test = Gap("ci_failure", "src/a.ts", "test: exited 1", "a.ts:9 boom", criterion="test")
    stub = Gap("stub", "src/a.ts", "src/a.ts is a stub")

    both = lint.but(text="lint: exited 1; test: exited 1", evidence="a.ts:3 unused\na.ts:9 boom")
    assert merge_gaps((lint, stub, test)) == (both, stub)
    assert merge_gaps((both, test, stub, stub)) == (both, stub)
    assert merge_gaps(()) == ()


# --- Always ---

words = [
    "<gaps>",
    "</gaps>",
    "<gap",
    "<gap ",
    "</gap>",
    "/>",
    ">",
    " type=",
    " file=",
    " from=",
    " to=",
    '"orphan"',
    "'stub'",
]
words += [
    '"',
    "'",
    "=",
    "<file>",
    "</file>",
    "&lt;",
    "&#0;",
    "&#x110000;",
    "\n",
    "## Status: ",
    "passed",
    "x",
    "a.py:1",
    "```",
]
markup = st.lists(st.sampled_from(words), max_size=25)
pages = (
    st.text(st.characters())
    | markup.map("".join)
    | markup.map(lambda parts: "<gaps>" + "".join(parts))
)


@often
@given(pages)
@example("<gaps><gap file='&#xD800;'>&#xD800;</gap>")
def test_every_page_can_be_read(text):
    for gap in gaps_in(text):
        assert gap.kind in GAP_STRATEGIES
        assert gap.text == single_line(gap.text) != ""
        assert gap.file == single_line(gap.file)
        assert gap.evidence == sanitize_output(gap.evidence)
    assert status_in(text) in ("", "passed", "gaps_found", "human_needed")


checks = (
    st.none()
    | st.builds(Check, st.text(max_size=9))
    | st.builds(
        Check,
        st.lists(st.sampled_from(["link", "artifact", "file", "a.py", "{x}", "b"]), max_size=4).map(
            tuple
        ),
        probe=st.booleans(),
    )
)
outcomes = st.sampled_from([*GAP_STRATEGIES, "exit", "timeout", "missing", "what"])
proofs = st.none() | st.builds(
    Evidence, st.just("x"), st.just(False), detail=st.text(st.characters()), outcome=outcomes
)


@often
@given(st.builds(Criterion, st.text(), checks, proof=proofs))
def test_every_criterion_can_fail(criterion):
    gap = gap_of(criterion)

    assert gap.kind in GAP_STRATEGIES
    assert gap.criterion == criterion.name
    assert (gap.text, gap.file, gap.evidence) == (
        single_line(gap.text),
        single_line(gap.file),
        sanitize_output(gap.evidence),
    )
