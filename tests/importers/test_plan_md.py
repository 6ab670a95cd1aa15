"""PLAN.md in the format of the third seed (vector 7): the seed itself, its spellings, and whatever else a file may hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.core.plan.criteria import task_check
from loopwright.core.plan.plan import Link, MustHave, Plan, PlannedFile, Task, TaskCheck
from loopwright.core.plan.schedule import tasks_by_wave
from loopwright.drive.errors import UserError
from loopwright.importers import plan_lint, plan_md, plans
from loopwright.importers.plan_words import check_target
from loopwright.views import plan_waves as view
from tests.torture.size import size

pytestmark = pytest.mark.plans

SEED = Path(__file__).parent / "cases/seed-003.md"


def seed() -> str:
    return SEED.read_text(encoding="utf-8")


def the_task(*lines: str, head: str = 'id="01" wave="1"') -> Task:
    """The one task of a plan with these lines in it."""
    return plan_md.read("\n".join(["# Plan", f"<task {head}>", *lines, "</task>"])).plan.tasks[0]


# --- the seed ---


def test_the_seed_is_read_whole() -> None:
    plan = plan_md.read(seed(), "plan.md").plan
    kinds = [check.kind for task in plan.tasks for check in task.checks]

    assert (plan.phase, plan.title, plan.file) == ("1", "Loop Mechanism", "plan.md")
    assert {wave: [task.id for task in tasks] for wave, tasks in tasks_by_wave(plan)} == {
        1: ["01", "02", "03"],
        2: ["04", "05"],
        3: ["06", "07"],
    }
    assert {task.id: task.depends for task in plan.tasks if task.depends} == {
        **dict.fromkeys(("04", "05"), ("01", "02", "03")),
        **dict.fromkeys(("06", "07"), ("04", "05")),
    }
    assert (len(kinds), kinds.count("file"), kinds.count("content")) == (23, 2, 21)
    assert len(plan.must_haves) == 7
    assert plan.must_haves[4] == MustHave("Loop state tracked in STATE.md under `loop:` section")
    assert len(plan.links) == 6
    assert plan.links[0] == Link("hooks/hooks.json", "hooks/stop-hook.sh", "Points to script path")


def test_every_check_of_the_seed_can_be_run() -> None:
    checks = [check for task in plan_md.read(seed()).plan.tasks for check in task.checks]

    assert [check.text for check in checks if task_check(check) is None] == []
    assert all(check.wanted for check in checks if check.kind == "content")


def test_an_action_of_the_seed_keeps_its_code_and_nothing_in_it_counts() -> None:
    """Tasks 02, 04 and 05 are no XML, and the action of 05 holds a <file> and a <gap> of its own."""
    plan = plan_md.read(seed()).plan

    assert plan.task("02").title == "Create cross-platform stop hook script that checks loop state"
    assert plan.task("02").action.startswith(
        "Create cross-platform stop hook script that checks loop state.\n\nThe script must:\n1. Read"
    )
    assert '\nif [[ ! -f "$STATE_FILE" ]]; then\n  allow_exit\nfi\n' in plan.task("02").action
    assert plan.task("05").files == (PlannedFile("commands/verify.md"),)
    assert "<file>{affected_file}</file>" in plan.task("05").action
    assert plan.task("05").action.endswith(
        '4. Add "## Loop State Reference" and "## Gap Types" reference sections at end.'
    )


def test_the_seed_says_where_its_tasks_and_links_stand() -> None:
    reading, lines = plan_md.read(seed()), seed().split("\n")

    assert reading.problems == ()
    assert all(
        lines[reading.line_of(task.id) - 1].startswith(f'<task id="{task.id}"')
        for task in reading.plan.tasks
    )
    assert lines[reading.line_of("link .gsd/config.md → commands/verify.md") - 1].startswith(
        "| .gsd/config.md | commands/verify.md"
    )


@pytest.mark.parametrize(
    "spelled",
    [
        pytest.param(lambda text: text.replace("\n", "\r\n"), id="CRLF"),
        pytest.param(lambda text: "\ufeff" + text, id="BOM"),
        pytest.param(
            lambda text: text.replace("title: Loop Mechanism", "title: 'Loop Mechanism'  # ours"),
            id="quotes",
        ),
        pytest.param(
            lambda text: text.replace(
                "phase: 1\ntitle: Loop Mechanism\n", "reqs: [A, B]\nlist:\n  - x\n"
            ),
            id="heading only",
        ),
        pytest.param(lambda text: text.replace(' wave="', ' data-wave="'), id="waves by heading"),
        pytest.param(
            lambda text: text.replace('depends="01,02,03"', "depends='T01 T2, 3'"), id="other names"
        ),
        pytest.param(
            lambda text: text.replace("\n  <", "\n<").replace("\n    <", "\n\t<"),
            id="other margins",
        ),
        pytest.param(
            lambda text: text.replace(
                "# Phase 1", "```xml\n<task id='99'>\n</task>\n```\n# Phase 1"
            ),
            id="an example",
        ),
        pytest.param(
            lambda text: text.replace(
                "## Wave 1", "<!-- not yet:\n<task id='99'>\n</task> -->\n## Wave 1"
            ),
            id="a comment",
        ),
        pytest.param(
            lambda text: text.replace("## Wave 1", "```\n## Wave 1"),
            id="a fence that is never closed",
        ),
    ],
)
def test_the_seed_in_other_spellings_is_the_same_plan(spelled) -> None:
    assert plan_md.read(spelled(seed())).plan == plan_md.read(seed()).plan


# --- parts of a task ---


def test_files_count_in_the_first_files_and_checks_in_the_last_verify() -> None:
    task = the_task(
        "  <files><file action='create'>./a//b.py</file></files>",
        "  <action>",
        "    Write <verify><check>no</check></verify>",
        "  <verify>",
        "    <check type='test' cmd='x'>inside the action</check>",
        "  </verify>",
        "    </action> is not the end",
        "  </action>",
        "  <files>",
        "    <file>c.py</file>",
        "  </files>",
        "  <verify>",
        "    <check type='test' cmd='old'>old</check>",
        "  </verify>",
        "  <verify>",
        "    <!-- <check type='test' cmd='later'>later</check>",
        "    <!-- and so on -->",
        '    <check type="content">File contains "</verify>" and "<!-- x -->"</check>',
        '    <check type="test" cmd="grep -c &quot;a&quot; x > /dev/null &amp;&amp; echo \\"ok\\"">greps</check>',
        "  </verify>",
    )

    assert task.files == (PlannedFile("a/b.py", "create"),)
    assert task.checks == (
        TaskCheck(
            "content",
            'File contains "</verify>" and "<!-- x -->"',
            path="a/b.py",
            wanted=("</verify>", "<!-- x -->"),
        ),
        TaskCheck("test", "greps", 'grep -c "a" x > /dev/null && echo "ok"'),
    )
    assert task.action.endswith("</action> is not the end")


def test_a_comment_that_is_never_closed_hides_nothing() -> None:
    task = the_task("<verify>", "  <!-- and", '  <check type="test" cmd="x">y</check>', "</verify>")

    assert task.checks == (TaskCheck("test", "y", "x"),)


def test_what_a_check_looks_at_stays_with_it() -> None:
    task = the_task(
        '<verify><check type="browser" url="http://localhost" viewport="375">the menu opens</check></verify>'
    )

    assert task.checks == (
        TaskCheck("browser", "the menu opens (url: http://localhost) (viewport: 375)"),
    )


@pytest.mark.parametrize(
    ("action", "title"),
    [
        ("Add the menu. Then test it.", "Add the menu"),
        ("Update STATE.md to hold more.\n\nAll of it.", "Update STATE.md to hold more"),
        ("Do these things:\n- one", "Do these things"),
        ("", ""),
        ("word " * 30, f"{('word ' * 14)} …"),
    ],
)
def test_a_task_is_called_by_its_first_sentence(action: str, title: str) -> None:
    task = the_task("  <action>", *(f"    {line}" for line in action.split("\n")), "  </action>")

    assert task.title == title
    assert len(task.title) <= 72


def test_our_own_words_on_a_task() -> None:
    task = the_task(
        "<libraries>zod, React Query</libraries>",
        head='id="a" title="Say &quot;hi&quot;" parallel="false" reqs="R1,R2"',
    )

    assert (task.title, task.runs_alone, task.requirements, task.libraries, task.skills) == (
        'Say "hi"',
        True,
        ("R1", "R2"),
        ("zod", "React Query"),
        (),
    )


def test_an_action_loses_its_margin_and_nothing_else() -> None:
    task = the_task(
        "  <action>",
        "",
        "      first  ",
        "    second",
        "\t",
        "      ",
        "        third",
        "",
        "  </action>",
    )

    assert task.action == "  first  \nsecond\n\n  \n    third"
    assert (
        the_task("  <action>one line", "    and more", "  </action>").action == "one line\nand more"
    )
    assert (
        the_task("<action>", "  \tfirst", "    second", "</action>").action == "\tfirst\n  second"
    )


# --- what the words of a check come to ---

FILES = (PlannedFile("src/app.py"), PlannedFile("docs/app.md"), PlannedFile("src/my file.txt"))


@pytest.mark.parametrize(
    ("kind", "text", "path", "wanted"),
    [
        ("file", "docs/app.md exists", "docs/app.md", ()),
        ("file", "`docs/app.md` exists.", "docs/app.md", ()),
        ("file", "The file app.md is there", "docs/app.md", ()),
        ("file", "dist/bundle.js exists", "dist/bundle.js", ()),
        ("file", "package.json was written", "package.json", ()),
        ("file", "it exists", "src/app.py", ()),
        ("file", "/etc/passwd exists", "src/app.py", ()),
        ("file", "old.py no longer exists", "", ()),
        ("content", 'File contains "x"', "src/app.py", ("x",)),
        ("content", 'app.md contains "src/app.py" and “y”', "docs/app.md", ("src/app.py", "y")),
        ("content", "`docs/app.md` has `def run` in it", "docs/app.md", ("def run",)),
        ("content", "src/my file.txt contains 'TEST 1'", "src/my file.txt", ("TEST 1",)),
        ("content", 'package.json contains "zod"', "package.json", ("zod",)),
        ("content", 'The file docs/other.md contains "zod"', "docs/other.md", ("zod",)),
        ("content", "File mentions app.md", "docs/app.md", ()),
        (
            "content",
            "File exports getUser, max_retries and /api/users.",
            "src/app.py",
            ("getUser", "max_retries", "/api/users"),
        ),
        ("content", "Contains the read/write section, e.g. 3.5 of it", "src/app.py", ()),
        ("content", 'File does not contain "TODO"', "", ()),
        ("content", 'File contains "do not edit"', "src/app.py", ("do not edit",)),
        ("content", 'File contains "a" or "b"', "", ()),
        ("content", "../secret.txt contains `x`", "src/app.py", ("x",)),
        ("browser", 'docs/app.md shows "x"', "", ()),
    ],
)
def test_what_the_words_of_a_check_come_to(
    kind: str, text: str, path: str, wanted: tuple[str, ...]
) -> None:
    assert check_target(kind, text, FILES) == (path, wanted)


def test_a_content_check_of_a_task_without_files_is_for_somebody_who_looks() -> None:
    assert check_target("content", 'File contains "x"', ()) == ("", ())


# --- the rest of the page ---

PAGE = """# Add CSV export

## Must-Haves

- [ ] every row is written (check: `pytest -q tests/test_csv.py`)
- [x] the help says so,
  in both languages
- (check: `make docs`)

## Wave 7 (Parallel)

<task id="a">
</task>

### Wave 8

<task id="b" wave="x">
</task>

## Notes

- [ ] no must-have

<task id="c">

## Key Links

| From | To | Connection |
|---|---|---|
| app.py | `b.md` | a \\| b |
| nowhere |

| From | To |
|---|---|
| c.py | d.py |
"""


def test_a_page_of_our_own() -> None:
    reading = plan_md.read(
        PAGE.replace('<task id="a">', '<task id="a">\n<files>\n<file>src/app.py</file>\n</files>')
    )
    plan = reading.plan

    assert (plan.phase, plan.title) == ("1", "Add CSV export")
    assert plan.must_haves == (
        MustHave("every row is written", "pytest -q tests/test_csv.py"),
        MustHave("the help says so, in both languages"),
        MustHave("make docs", "make docs"),
    )
    assert [(task.id, task.wave) for task in plan.tasks] == [("a", 7), ("b", 8), ("c", 1)]
    assert plan.links == ()
    assert [(problem.line, problem.text.partition(":")[0]) for problem in reading.problems] == [
        (20, "task b"),
        (27, "task c"),
    ]


def test_links_and_the_files_that_they_name() -> None:
    text = PAGE.replace('<task id="c">\n', "").replace(
        '<task id="a">', '<task id="a">\n<files>\n<file>src/app.py</file>\n</files>'
    )

    assert plan_md.read(text).plan.links == (
        Link("src/app.py", "b.md", "a | b"),
        Link("c.py", "d.py"),
    )


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        pytest.param(
            ("<verify>", '<check type="test" cmd="x">y</check>'),
            "<verify> is never closed",
            id="a part without an end",
        ),
        pytest.param(
            ("<verify>", '<check cmd="echo "hi"">y</check>', "</verify>"),
            "1 of its 1 <check> cannot be read",
            id="quotes",
        ),
        pytest.param(
            ("<verify>", "<check type=test>y</check>", "</verify>"),
            "1 of its 1 <check> cannot be read",
            id="no quotes",
        ),
        pytest.param(
            ("<files>", "<file>a", "<file>b</file>", "</files>"),
            "1 of its 2 <file> cannot be read",
            id="a file without an end",
        ),
    ],
)
def test_what_of_a_task_cannot_be_read_is_an_error(lines: tuple[str, ...], words: str) -> None:
    (problem,) = plan_md.read("\n".join(["", '<task id="01">', *lines, "</task>"])).problems

    assert (problem.severity, problem.line) == ("error", 2)
    assert problem.text.startswith(f"task 01: {words}. ")


def test_files_without_a_file_are_not_lost_silently() -> None:
    (problem,) = plan_md.read('<task id="01">\n  <files>src/a.py</files>\n</task>').problems

    assert (problem.severity, problem.line) == ("warning", 1)
    assert "<files> names none" in problem.text


# --- whatever it is ---

words = (
    st.text(st.sampled_from("abcXYZ019_ é<>&#|:'/()"), min_size=1, max_size=12)
    .map(str.strip)
    .filter(lambda text: text.strip("|#: "))
)
names = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,6}", fullmatch=True)
paths = st.from_regex(r"[a-z.]{1,3}[a-z]/?[a-z]{1,4}( [a-z])?\.(py|md)", fullmatch=True).map(
    lambda text: text.removeprefix("./")
)
TRICKY = (
    "</action>",
    "<action>",
    "  <verify>",
    "<check>",
    "</files>",
    "```",
    "<task id='9'>",
    "</task>",
    "a && b < c",
    "",
    "\t",
    "&amp;",
    "---",
)
lines = st.sampled_from(TRICKY) | st.text(
    st.characters(exclude_categories=("Cs",), exclude_characters="\r\n"), max_size=20
)
actions = st.lists(lines, max_size=5).map(lambda rows: "\n".join(["Begin", *rows, "end."]))
checks = st.builds(
    TaskCheck,
    st.sampled_from(("test", "lint", "grep")),
    words.map(lambda t: t.replace("<", "")),
    words,
) | st.builds(
    TaskCheck, st.just("browser"), words.map(lambda text: " ".join(text.replace("<", "x").split()))
)


@st.composite
def written_plans(draw) -> Plan:
    ids = draw(st.lists(names, min_size=1, max_size=4, unique_by=str.lower))
    tasks = [
        Task(
            name,
            draw(words),
            draw(st.integers(0, 3)),
            tuple(draw(st.lists(st.sampled_from(ids), unique=True, max_size=2))),
            tuple(
                draw(
                    st.lists(
                        st.builds(
                            PlannedFile, paths, st.sampled_from(("create", "modify", "delete"))
                        ),
                        max_size=2,
                    )
                )
            ),
            draw(actions),
            tuple(draw(st.lists(st.sampled_from(("zod", "React Query")), unique=True))),
            (),
            " ".join(draw(words).split()),
            tuple(
                check.but(text=" ".join(check.text.split()))
                for check in draw(st.lists(checks, max_size=2))
            ),
            runs_alone=draw(st.booleans()),
        )
        for name in ids
    ]
    musts = draw(
        st.lists(st.builds(MustHave, words, st.sampled_from(("", "make -k test"))), max_size=2)
    )
    links = draw(
        st.lists(
            st.builds(
                Link, st.just("Q.py"), paths.map("zz/".__add__), st.sampled_from(("", "imports it"))
            ),
            max_size=2,
        )
    )
    return Plan(
        draw(names),
        draw(st.sampled_from(("CSV export", "A: b"))),
        "",
        tuple(tasks),
        tuple(musts),
        tuple(links),
    )


def quoted(text: str) -> str:
    return text.replace("&", "&amp;").replace('"', "&quot;")


def written(plan: Plan) -> str:
    """The plan as the seed writes one."""
    rows = [
        "---",
        f"phase: {plan.phase}",
        f"title: {plan.title}",
        f"task_count: {len(plan.tasks)}",
        "---",
        "",
        f"# Phase {plan.phase}: x",
    ]
    rows += ["", "## Must-Haves (Goal-Backward)", ""]
    rows += [
        f"- [ ] {must.text}{f' (check: `{must.command}`)' if must.command else ''}"
        for must in plan.must_haves
    ]
    for task in plan.tasks:
        alone = ' parallel="false"' if task.runs_alone else ""
        rows += [
            "",
            f'<task id="{task.id}" wave="{task.wave}" depends="{",".join(task.depends)}" title="{quoted(task.title)}"{alone}>',
        ]
        rows += [
            "  <files>",
            *(f'    <file action="{file.action}">{file.path}</file>' for file in task.files),
            "  </files>",
        ]
        rows += [
            "  <action>",
            *(f"    {line}" if line else "" for line in task.action.split("\n")),
            "  </action>",
        ]
        rows += [f"  <libraries>{', '.join(task.libraries) or 'none'}</libraries>", "  <verify>"]
        for check in task.checks:
            command = f' cmd="{quoted(check.command)}"' if check.command else ""
            rows.append(f'    <check type="{check.kind}"{command}>{check.text}</check>')
        rows += [
            "  </verify>",
            f"  <done>{task.done_when}</done>",
            "  <skills>none</skills>",
            "</task>",
        ]
    rows += ["", "## Key Links", "", "| From | To | Connection |", "|------|-----|------------|"]
    return "\n".join(
        [*rows, *(f"| {link.source} | {link.target} | {link.how} |" for link in plan.links), ""]
    )


@settings(max_examples=size(commit=20, long=40), deadline=None)
@given(written_plans(), st.sampled_from(("\n", "\r\n")), st.sampled_from(("", "\ufeff")))
def test_a_plan_written_as_the_seed_writes_one_reads_back_the_same(
    plan: Plan, end: str, mark: str
) -> None:
    reading = plan_md.read(mark + written(plan).replace("\n", end))

    assert reading.plan == plan
    assert reading.problems == ()


PIECES = (
    "---",
    "<task id='1' wave='2' depends='1'>",
    "</task>",
    "<action>",
    "</action>",
    "<verify>",
    "<check type='file'>a exists</check>",
)
PIECES += (
    "</verify>",
    "<files>",
    "<file action='x'>../a</file>",
    "```",
    "<!--",
    "-->",
    "## Wave 2",
    "## Key Links",
    "| a | b |",
    "|--|--|",
)
PIECES += (
    "- [ ] x",
    "  - [x] y (check: `z`)",
    "# Phase 1: x",
    "### T-1: x",
    "<!-- task",
    "id: T-1",
    "blockedBy: [T-2]",
    "{",
    '{"stories": [{}]}',
)
PIECES += ("## Must-Haves", "~~~", "wave_count: 9", "\x00", "\u2028", "<task ", "<task>")
PIECES += (
    "- [ ] T001 [P] [US1] write src/a.py",
    "  - [ ]* 1.1 words",
    "- [ ] **S01: a** `depends:[S02]`",
    "### US-001: x",
    "**Acceptance Criteria:**",
    "## Tasks / Subtasks",
    "[PRD]",
    "<tasks>",
    "<name>Task 1: x</name>",
    "must_haves:\n  artifacts:\n    - path: a/b.py",
    '{"master": {"tasks": [{"id": 1, "dependencies": [7]}]}}',
    '{"waves": [{"tasks": [{"id": 1, "verify": {"cmd": 3}}]}]}',
    '{"id": "a", "title": "b"}',
)
some_bytes = st.binary(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=14).map(
    "\n".join
).map(str.encode)


@settings(max_examples=size(commit=40, long=100), deadline=None)
@given(some_bytes, st.sampled_from(("PLAN.md", "prd.json", "issues.jsonl", "todo")))
def test_whatever_a_file_holds_it_is_a_plan_with_problems_or_said_to_be_none(
    tmp_path_factory, raw: bytes, name: str
) -> None:
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(raw)
    try:
        reading = plans.read(str(path), str(path.parent))
    except UserError as error:
        refused = str(error)
    else:
        refused = ""
    if refused:
        assert refused.endswith((". Save it as UTF-8", "ame another file"))
        return

    wrong = plan_lint.lint_plan(reading, str(path.parent))
    last = raw.count(b"\n") + 1
    assert reading.plan.tasks or any(problem.severity == "error" for problem in wrong)
    assert all(1 <= problem.line <= last for problem in wrong)
    assert view.text(reading.plan).startswith("Phase ")


def test_a_long_word_in_a_tag_is_read_at_once() -> None:
    text = f'<task id="01" {"a" * 100_000}! wave="2">\n</task>\n'

    assert [(task.id, task.wave) for task in plan_md.read(text).plan.tasks] == [("01", 2)]
