"""VERIFICATION.md and summary.md of a plan loop: what is proven, what is missing, what a person must look at."""

import re
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from loopwright.core.criteria import Check, Claim, Criterion
from loopwright.core.limits import Spend
from loopwright.core.loop import Loop, plan_of
from loopwright.core.plan.criteria import plan_criteria
from loopwright.core.plan.gaps import gap_of, gaps_in, status_in
from loopwright.core.plan.plan import (
    Gap,
    HistoryEntry,
    Link,
    MustHave,
    Plan,
    PlannedFile,
    Task,
    TaskCheck,
    TaskFailure,
)
from loopwright.core.prompts.gap_texts import GAP_STRATEGIES
from loopwright.core.proof.state import Verdict
from loopwright.core.replies.reports import single_line
from loopwright.verify.probes import probe
from loopwright.views import verification
from loopwright.views.verification import criterion_status, report_status, summary, text
from tests.support.builders import TREE, a_loop, proof
from tests.torture.size import size

often = settings(max_examples=size(commit=20, long=60), deadline=None)
COMMANDS = {"lint": Check("npm run lint"), "test": Check("npm test")}
PLAN = Plan(
    "1",
    "Statistics",
    tasks=(
        Task(
            "01",
            "The card",
            files=(PlannedFile("src/Card.tsx", "create"),),
            checks=(
                TaskCheck("file", "it exists", path="src/Card.tsx"),
                TaskCheck("browser", "it looks good"),
            ),
        ),
        Task("02", "The API", depends=("01",), files=(PlannedFile("src/api.ts"),)),
    ),
    must_haves=(MustHave("numbers are right", "npm run numbers"), MustHave("it is quick")),
    links=(Link("src/Card.tsx", "src/api.ts", "fetch"),),
)
FINE = {
    "01.1 it exists": proof("01.1 it exists"),
    "lint": proof("lint", seconds=1.25),
    "test": proof("test", seconds=61.0),
    "artifact src/Card.tsx": proof(
        "artifact src/Card.tsx",
        detail="L1 ✓ L2 ✓ L3 ✓: src/Card.tsx, 14 lines; used in src/App.tsx",
    ),
    "artifact src/api.ts": proof("artifact src/api.ts", detail="L1 ✓: src/api.ts is there, L2 ✗"),
    "link src/Card.tsx → src/api.ts": proof("link src/Card.tsx → src/api.ts"),
}
PEOPLE = {
    name: proof(name, by="person")
    for name in ("01.2 it looks good", "numbers are right", "it is quick")
}
CLAIMS = {name: Claim(name, True, "observation", "I looked") for name in PEOPLE}


class Page:
    """Markdown as a reader's program takes it apart."""

    def __init__(self, page: str) -> None:
        self.text = page
        tokens = MarkdownIt("commonmark").enable("table").parse(page)
        self.headings = [
            then.content for token, then in pairwise(tokens) if token.type == "heading_open"
        ]
        self.tables: dict[str, list[list[str]]] = {}
        for token, then in pairwise(tokens):
            if token.type == "heading_open":
                rows = self.tables.setdefault(then.content, [])
            elif token.type == "tr_open":
                rows.append([])
            elif token.type in ("td_open", "th_open"):
                rows[-1].append(then.content)

    def section(self, title: str) -> list[str]:
        return (
            self.text.partition(f"\n## {title}\n\n")[2].partition("\n\n## ")[0].strip().split("\n")
        )


def a_plan_loop(proofs=None, claims=None, plan=PLAN, extra=(), **changes) -> Loop:
    """A plan loop on tree-1 whose criteria have these proofs and claims."""
    found = (*plan_criteria(plan, COMMANDS), *extra)
    known = {**FINE, **(proofs or {})}
    stand = tuple(c.but(proof=known.get(c.name), claim=(claims or {}).get(c.name)) for c in found)
    return a_loop(policy="plan", plan=plan, criteria=stand, tree=TREE, **changes)


def a_proven_plan_loop(proofs=None, **changes) -> Loop:
    """A plan loop that nothing is missing from: every check may run, and people have looked."""
    numbers = "numbers are right"
    loop = a_plan_loop({**PEOPLE, numbers: proof(numbers), **(proofs or {})}, **changes)
    allowed = (c.but(check=c.check.but(allowed=True)) if c.check else c for c in loop.criteria)
    return loop.but(criteria=tuple(allowed))


def broken(name: str, detail: str = "1 failed", outcome: str = "exit"):
    return {name: proof(name, fine=False, detail=detail, outcome=outcome, log="evidence/x.log")}


ORPHAN = broken("artifact src/Card.tsx", "L1 ✓ L2 ✓ L3 ✗: nobody imports Card", "orphan")
MISSING = broken("link src/Card.tsx → src/api.ts", "neither names the other", "broken_link")

# --- VERIFICATION.md ---


def test_a_phase_that_passed():
    page = Page(text(a_proven_plan_loop()))

    assert page.headings == [
        "Verification Report: Phase 1",
        "Status: passed",
        "CI Checks",
        "Observable Truths",
        "Artifact Inventory",
        "Key Links",
        "Task Checks",
    ]
    assert "9 of 9 criteria hold, 0 gaps, round 0 of 20." in page.text
    assert page.tables["CI Checks"] == [
        ["Check", "Status", "Time", "Notes"],
        ["lint", "✓ passed", "1.2 s", "proven by `npm run lint`"],
        ["test", "✓ passed", "61.0 s", "proven by `npm test`"],
    ]
    assert page.tables["Observable Truths"][1:] == [
        ["numbers are right", "✓ passed", "proven by `npm run numbers`"],
        ["it is quick", "✓ confirmed", "a person confirmed it"],
    ]
    assert page.tables["Artifact Inventory"] == [
        ["File", "L1", "L2", "L3", "Notes"],
        ["`src/Card.tsx`", "✓", "✓", "✓", "create; src/Card.tsx, 14 lines; used in src/App.tsx"],
        ["`src/api.ts`", "✓", "–", "–", "modify; src/api.ts is there, L2 ✗"],
    ]
    assert page.tables["Key Links"][1:] == [["`src/Card.tsx`", "`src/api.ts`", "fetch", "✓ passed"]]
    assert page.tables["Task Checks"][1:] == [
        ["01", "The card", "2/2", ""],
        ["02", "The API", "no check", ""],
    ]


def test_a_phase_with_gaps_names_them_and_what_was_seen():
    page = Page(
        text(
            a_plan_loop(
                {**PEOPLE, **ORPHAN, **MISSING, **broken("test", "src/b.ts:3: boom\n2 failed")}
            )
        )
    )

    assert page.headings[1] == "Status: gaps_found"
    assert page.tables["CI Checks"][2] == [
        "test",
        "✗ failed",
        "0.0 s",
        "2 failed (`.loop/evidence/x.log`)",
    ]
    assert page.tables["Artifact Inventory"][1] == [
        "`src/Card.tsx`",
        "✓",
        "✓",
        "✗",
        "create; nobody imports Card",
    ]
    assert page.tables["Key Links"][1][3] == "✗ failed"
    assert page.section("Gaps") == [
        "```xml",
        "<gaps>",
        '  <gap type="ci_failure" file="src/b.ts">test: npm test exited 1</gap>',
        '  <gap type="orphan" file="src/Card.tsx">nobody imports Card</gap>',
        '  <gap type="broken_link" from="src/Card.tsx" to="src/api.ts">neither names the other</gap>',
        "</gaps>",
        "```",
    ]
    assert "Human Verification Required" not in page.headings


def test_what_only_the_agent_says_is_for_a_person_to_look_at():
    page = Page(text(a_plan_loop(claims=CLAIMS)))

    assert page.headings[1] == "Status: human_needed"
    assert page.tables["Observable Truths"][2] == [
        "it is quick",
        "? claimed",
        "the agent says so (observation) I looked",
    ]
    assert page.section("Human Verification Required") == [
        "- [ ] 01.2 it looks good: the agent says so (observation) I looked",
        "- [ ] numbers are right: the agent says so (observation) I looked",
        "- [ ] it is quick: the agent says so (observation) I looked",
    ]


def test_what_nobody_has_shown_says_what_it_waits_for():
    stale = {
        "lint": proof("lint", tree="tree-0"),
        "artifact src/Card.tsx": proof("artifact src/Card.tsx", tree="tree-0"),
    }
    page = Page(text(a_plan_loop(stale, claims={"it is quick": Claim("it is quick", True)})))

    assert page.tables["CI Checks"][1] == ["lint", "– open", "–", "not run on this tree"]
    assert page.tables["Artifact Inventory"][1] == [
        "`src/Card.tsx`",
        "–",
        "–",
        "–",
        "create; not looked at on this tree",
    ]
    assert page.tables["Task Checks"][1][2:] == ["1/2", "01.2 it looks good: open"]
    assert page.section("Human Verification Required") == [
        "- [ ] 01.2 it looks good: not shown yet",
        "- [ ] lint: not run on this tree",
        "- [ ] artifact src/Card.tsx: not run on this tree",
        "- [ ] numbers are right: `npm run numbers` waits for `loop allow`",
        "- [ ] it is quick: the agent says so (no evidence given)",
    ]


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        pytest.param(a_proven_plan_loop(), "passed", id="all is proven or confirmed"),
        pytest.param(a_plan_loop(PEOPLE), "human_needed", id="a check may not run"),
        pytest.param(
            a_proven_plan_loop(plan=PLAN.but(parked=("02",))),
            "human_needed",
            id="a task is parked",
        ),
        pytest.param(
            a_proven_plan_loop(plan=PLAN.but(parked=("stub:b.ts",))),
            "passed",
            id="a parked gap is mended since",
        ),
        pytest.param(a_plan_loop(claims=CLAIMS), "human_needed", id="something is only claimed"),
        pytest.param(a_plan_loop(), "human_needed", id="something is open"),
        pytest.param(
            a_proven_plan_loop({"lint": proof("lint", tree="old")}),
            "human_needed",
            id="proven on another tree",
        ),
        pytest.param(a_plan_loop({**PEOPLE, **broken("lint")}), "gaps_found", id="something fails"),
        pytest.param(
            a_plan_loop(broken("lint"), CLAIMS),
            "gaps_found",
            id="something fails and something is claimed",
        ),
        pytest.param(
            a_plan_loop(PEOPLE, plan=PLAN.but(gaps=(Gap("stub", "a", "b"),))),
            "gaps_found",
            id="an agent saw a gap",
        ),
        pytest.param(
            a_loop(plan=Plan("1"), criteria=()), "human_needed", id="nothing can be proven"
        ),
    ],
)
def test_the_status_is_as_honest_as_the_evidence(loop, expected):
    assert report_status(loop) == expected
    assert status_in(text(loop)) == expected


def test_a_gap_that_the_plan_holds_is_told_once_and_in_its_words():
    known = Gap(
        "orphan", "src/Card.tsx", "as found before", criterion="artifact src/Card.tsx", tries=3
    )
    mine = PLAN.but(gaps=(known,), parked=(known.key,), fix_rounds=4)
    page = Page(text(a_plan_loop({**PEOPLE, **ORPHAN}, plan=mine)))

    assert (
        page.section("Gaps")[2]
        == '  <gap type="orphan" file="src/Card.tsx" parked="true">as found before</gap>'
    )
    assert "1 gap, round 4 of 20." in page.text
    assert page.section("Human Verification Required") == [
        "- [ ] orphan:src/Card.tsx: parked, out of retries."
    ]


@pytest.mark.parametrize(
    ("source", "levels"),
    [
        pytest.param(None, ["✗", "–", "–"], id="not there"),
        pytest.param("# TODO: implement\n", ["✓", "✗", "–"], id="a stub"),
        pytest.param(
            "def card(name):\n    return f'<b>{name}</b>'\n", ["✓", "✓", "✗"], id="used by nobody"
        ),
    ],
)
def test_the_levels_are_those_that_the_probes_see(tmp_path, source, levels):
    if source:
        (tmp_path / "card.py").write_text(source)
    plan = Plan("1", tasks=(Task("01", files=(PlannedFile("card.py", "create"),)),))
    (c,) = plan_criteria(plan, {})
    assert c.check is not None
    loop = a_loop(
        plan=plan,
        criteria=(c.but(proof=probe.run_probe(c.check, c.name, TREE, str(tmp_path))),),
        tree=TREE,
    )

    page = Page(text(loop))

    assert page.tables["Artifact Inventory"][1][1:4] == levels
    assert [gap.file for gap in gaps_in(page.text)] == ["card.py"]


def test_another_check_that_fails_in_the_same_file_is_told_with_the_first():
    known = Gap("ci_failure", "src/b.ts", "lint: npm run lint exited 1", criterion="lint")
    fails = {**broken("lint", "src/b.ts:1: no"), **broken("test", "src/b.ts:3: boom")}
    (gap,) = gaps_in(text(a_plan_loop({**PEOPLE, **fails}, plan=PLAN.but(gaps=(known,)))))

    assert gap.text == "lint: npm run lint exited 1; test: npm test exited 1"


def test_what_a_person_added_to_the_plan_is_a_truth_too():
    mine = Criterion("the logo is blue", Check("grep blue logo.svg"))
    loop = a_plan_loop({**PEOPLE, mine.name: proof(mine.name)}, extra=(mine,))

    assert Page(text(loop)).tables["Observable Truths"][-1] == [
        "the logo is blue",
        "✓ passed",
        "proven by `grep blue logo.svg`",
    ]


def test_the_history_is_on_the_page():
    rounds = (
        HistoryEntry(0, "verify", "gaps_found", ("orphan:a.ts", "broken_link:A->B")),
        HistoryEntry(1, "verify", "passed"),
    )
    page = Page(text(a_plan_loop(PEOPLE, plan=PLAN.but(history=rounds))))

    assert page.tables["History"][1:] == [
        ["0", "verify", "gaps_found", "orphan:a.ts, broken_link:A->B"],
        ["1", "verify", "passed", ""],
    ]


# --- summary.md ---

WORKED = PLAN.but(
    done=("01",),
    parked=("02", "stub:b.ts"),
    failures=(TaskFailure("01", 1, "a typo"), TaskFailure("02", 4, "no key\nfor the API")),
    commits=(("01", "0123456789abcdef"), ("orphan:a.ts", "fedcba9876543210")),
    issues=("[low] a typo in the docs",),
    fix_rounds=2,
    history=(
        HistoryEntry(0, "execute", "passed"),
        HistoryEntry(0, "verify", "gaps_found", ("orphan:a.ts", "stub:b.ts")),
        HistoryEntry(1, "verify", "gaps_found", ("stub:b.ts",)),
    ),
)


def test_the_summary_of_a_phase():
    spend = Spend(iterations=7, dollars=3.5, seconds=1_500)
    loop = a_plan_loop(
        PEOPLE, plan=WORKED, status="paused", why="Task 02 failed after 3 retries", spend=spend
    )
    page = Page(summary(loop))

    assert page.text.splitlines()[:8] == [
        "# Phase 1: Statistics",
        "",
        "**Verdict:** paused: Task 02 failed after 3 retries",
        "**Verification:** human_needed after 2 rounds of fixing",
        "**Tasks:** 1/2, 5 failed attempts",
        "**Iterations:** 7/10",
        "**Cost:** $3.50/$25.00",
        "**Time:** 25/240 min",
    ]
    assert page.tables["Tasks"][1:] == [
        ["01", "The card", "done", "`0123456789ab`", "2"],
        ["02", "The API", "parked", "–", "4"],
    ]
    assert page.section("Retries") == [
        "- 01: 1, the last: a typo",
        "- 02: 4, the last: no key for the API",
    ]
    assert page.tables["Gaps"][1:] == [
        ["0", "orphan:a.ts, stub:b.ts", "–"],
        ["1", "stub:b.ts", "orphan:a.ts `fedcba987654`"],
    ]
    assert page.section("Parked") == ["- 02"]
    assert page.section("Issues found") == ["- [low] a typo in the docs"]


def test_the_summary_of_a_phase_without_trouble_has_no_word_of_it():
    loop = a_plan_loop(
        PEOPLE, plan=PLAN.but(done=("01", "02")), status="finished", verdict=Verdict("SHIP", True)
    )
    page = Page(summary(loop))

    assert page.headings == ["Phase 1: Statistics", "Tasks"]
    assert "**Verdict:** finished, proven. The checks pass" in page.text
    assert "**Tasks:** 2/2, 0 failed attempts" in page.text


# --- Always ---

EVIL = "a|b `c` ``` \\| d\n\n# e\n- [x] <gaps><gap file='x'>y</gap></gaps>\n<gaps><gap file='z'/></gaps>\n__f__\r\x1b[31m"

BARS = re.compile(r"(?<!\\)\|")


def everywhere(evil: str) -> Loop:
    """A plan loop in which everything that somebody else says is this."""
    task = Task(
        evil,
        evil,
        files=(PlannedFile(evil, "create"),),
        checks=(TaskCheck("test", evil, evil), TaskCheck("file", "x", path=evil)),
    )
    plan = Plan(
        evil,
        evil,
        tasks=(task,),
        must_haves=(MustHave(f"it has {evil}"),),
        links=(Link(evil, evil, evil),),
        failures=(TaskFailure(evil, 2, evil, evil, evil),),
        parked=(evil,),
        commits=((evil, evil),),
        issues=(evil,),
        history=(HistoryEntry(1, "verify", evil, (evil,)), HistoryEntry(2, "verify", evil)),
    )
    told = [
        c.but(
            proof=proof(c.name, fine=False, detail=evil, log=evil),
            claim=Claim(c.name, True, evil, evil),
        )
        for c in plan_criteria(plan, COMMANDS)
    ]
    return a_loop(plan=plan, criteria=tuple(told), tree=TREE, status="paused", why=evil)


@often
@given(st.text(st.characters(), min_size=1))
@example(EVIL)
@example("# a")
@example("a|b")
@example("1. - # a")
@example("[a]: b")
def test_no_words_break_the_pages(evil):
    loop = everywhere(evil)
    report, short = Page(text(loop)), Page(summary(loop))

    titles = [
        "CI Checks",
        "Observable Truths",
        "Artifact Inventory",
        "Key Links",
        "Task Checks",
        "Gaps",
    ]
    assert report.headings[1:] == [
        "Status: gaps_found",
        *titles,
        "Human Verification Required",
        "History",
    ]
    assert short.headings[1:] == ["Tasks", "Retries", "Gaps", "Parked", "Issues found"]
    assert {len(BARS.findall(line)) for line in report.section("Artifact Inventory")} == {6}
    assert {len(BARS.findall(line)) for line in report.section("Observable Truths")} == {4}
    assert {len(BARS.findall(line)) for line in report.section("Task Checks")} == {5}
    assert {len(BARS.findall(line)) for line in short.section("Tasks")} == {6}
    assert len(gaps_in(report.text)) == len(verification.open_gaps(loop))
    assert (report.text + short.text).encode()


said = st.text(st.characters()).map(single_line).filter(bool)
found = st.builds(
    Gap,
    st.sampled_from(sorted(GAP_STRATEGIES)),
    said,
    said,
    st.text(max_size=9),
    said | st.just(""),
    st.text(max_size=3),
)


@often
@given(st.lists(found, max_size=8, unique_by=lambda gap: gap.key))
def test_the_gaps_on_the_page_are_read_back_as_they_were(known):
    loop = a_plan_loop(
        PEOPLE, plan=PLAN.but(gaps=tuple(known), parked=tuple(gap.key for gap in known[::2]))
    )

    assert gaps_in(text(loop)) == tuple(
        Gap(gap.kind, gap.file, gap.text, target=gap.target) for gap in known
    )


@often
@given(
    st.lists(st.sampled_from(sorted(FINE)), unique=True),
    st.sampled_from([*GAP_STRATEGIES, "exit", "timeout"]),
    st.text(st.characters()),
)
def test_whatever_fails_is_a_gap_on_the_page_with_the_same_key(names, outcome, detail):
    loop = a_plan_loop({**PEOPLE, **{name: broken(name, detail, outcome)[name] for name in names}})
    failing = [gap_of(c) for c in loop.criteria if c.name in names]

    assert [gap.key for gap in gaps_in(text(loop))] == list(
        dict.fromkeys(gap.key for gap in failing)
    )


def test_a_page_is_bounded_whatever_it_is_about():
    gaps = tuple(Gap("stub", f"{n} " + "x" * 1_000, "y" * 5_000, "z" * 5_000) for n in range(500))
    loop = everywhere("w " * 50_000)
    page = text(
        loop.but(
            plan=plan_of(loop).but(
                gaps=gaps, history=(HistoryEntry(1, "verify", "x", ("k" * 500,) * 50),) * 500
            )
        )
    )

    assert len(page) < 200_000
    assert len(gaps_in(page)) == 100
    assert "… and 4" in page


def test_a_check_that_a_person_must_allow_stands_on_what_is_claimed():
    c = Criterion("x", Check("x", allowed=False), claim=Claim("x", True))

    assert criterion_status(c, a_loop()) == "claimed"
    assert criterion_status(c.but(claim=None), a_loop()) == "open"
