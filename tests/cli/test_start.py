"""loop start: what was typed is worked out, shown and asked once; nothing is invented, clamped or run unseen."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from loopwright.core.criteria import Check
from loopwright.core.start import rubric
from tests.support.project import Project
from tests.torture.size import every

SPEC = "fix all failing tests in readme.md"
SHAPE = """### Implementation Criteria
criteria:
- tests pass
- docs read well
### Must-NOT Constraints
mustNot:
- change the public API
| Criterion | Verification Type | Command/Method |
|---|---|---|
| tests pass | execution output | `touch ran; true` |
"""


def criteria(here: Project) -> dict[str, Check | None]:
    return {c.name: c.check for c in here.loop.criteria}


@pytest.fixture
def tools(tmp_path: Path) -> str:
    """A PATH on which every tool says that all is well."""
    (tmp_path / "bin").mkdir()
    for name in ("pytest", "npm", "pnpm", "cargo", "go", "make"):
        (tmp_path / "bin" / name).write_text("#!/bin/sh\n")
        (tmp_path / "bin" / name).chmod(0o755)
    return f"{tmp_path / 'bin'}:/usr/bin:/bin"


# --- what it shows and asks ---


def test_a_8_the_screen_shows_scores_with_reasons_criteria_steps_and_bounds(project) -> None:
    said = project().run(
        "start", SPEC, "--check", "tests pass=exit 1", "--step", "look", "--step", "mend", "--yes"
    )

    assert said.code == 0
    assert "[LOOP] Starting | Shape: " in said.out
    assert "- Success: 2 (1 check given)" in said.out
    assert "tests pass ← exit 1 (failing now (exit 1))" in said.out
    assert "1. look\n2. mend" in said.out
    assert "Limits: 10 iterations, $25, 240 minutes" in said.out


def test_a_19_where_state_is_written_is_disclosed(project) -> None:
    assert (
        "Writing state to `.loop/state.json`. Delete after session?"
        in project().run("start", SPEC, "--criterion", "x").out
    )


def test_a_colleague_waits_for_a_yes(project) -> None:
    here = project()
    said = here.run("start", SPEC, "--check", "tests pass=true", "--shape", "colleague")

    assert said.code == 0
    assert "It waits for a yes: `loop answer yes`" in said.out
    assert here.loop.status == "asking"
    assert here.run("answer", "yes").code == 0
    assert here.loop.status == "running"


def test_a_23_type_1_is_attacked_before_the_yes(project) -> None:
    here = project()
    said = here.run("start", SPEC, "--score", "9", "--reversibility", "1", "--criterion", "x")

    assert "Before you say yes, attack the spec" in said.out
    assert here.loop.status == "asking"


def test_a_loop_without_a_check_is_warned_of(project) -> None:
    assert (
        "can end as reported, never as proven"
        in project().start("--criterion", "docs read well").out
    )


def test_checks_that_pass_already_are_warned_of(project) -> None:
    assert "Every check passes already" in project().start("--check", "fine=true").out


def test_json_prints_facts_and_nothing_else(project) -> None:
    facts = project().run("start", SPEC, "--check", "tests pass=true", "--yes", "--json").json

    assert facts["status"] == "running"
    assert facts["criteria"][0]["evidence"]["passed"] is True


# --- where the spec comes from ---


def test_a_spec_from_a_file(project) -> None:
    here = project(
        {"spec.md": f"\ufeff{SPEC}\n\nSuccess criteria:\n- docs read well\n- lint is clean\n"}
    )
    assert here.run("start", "--file", "spec.md", "--yes", "--score", "9").code == 0

    assert here.loop.spec.startswith(SPEC)
    assert list(criteria(here))[:2] == ["docs read well", "lint is clean"]


def test_a_spec_from_stdin(project) -> None:
    for words in (("start", "-"), ("start",)):
        here = project()
        assert (
            here.run(*words, "--yes", "--criterion", "x", "--score", "9", stdin=f"{SPEC}\n").code
            == 0
        )
        assert here.loop.spec == SPEC


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("start", SPEC, "--criterion", "no command"), None),
        (("start", ""), "what is to be done? Say it: loop start"),
        (("start", "--file", "gone.md"), "cannot read gone.md"),
        (("start", SPEC, "--budget", "101"), "--budget 101 is above 100. Add --yes if you mean it"),
        (
            ("start", SPEC, "--iterations", "51"),
            "--iterations 51 is above 50. Add --yes if you mean it",
        ),
    ],
)
def test_what_is_wrong_is_said_with_the_way_out_and_nothing_is_started(
    project, words: tuple[str, ...], says: str | None
) -> None:
    here = project()
    said = here.run(*words)

    if says is None:  # a criterion without a check is allowed
        assert said.code == 0
    else:
        assert (said.code, says in said.err) == (1, True), said.err
        assert not (here.root / ".loop").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("start", SPEC, "--check", "name="), "write it as NAME=COMMAND"),
        (("start", SPEC, "--check", "no command"), "write it as NAME=COMMAND"),
        (("start", SPEC, "--check", "x=true", "--check", "x=false"), "two commands are called 'x'"),
        (("start", SPEC, "--demand", ""), "--demand needs a text"),
        (("start", SPEC, "--check", "=true"), "write it as NAME=COMMAND"),
        (("start", SPEC, "--check", 'x=["ruff", 7]'), "JSON list of strings"),
        (("start", SPEC, "--holdout", "=true"), "--holdout: write it as NAME=COMMAND"),
        (("start", SPEC, "--holdout", "name only"), "--holdout needs a command"),
        (("start", SPEC, "--budget", "lots"), "--budget takes a number, not 'lots'"),
        (("start", SPEC, "--budget", "-1"), "--budget takes a number above 0"),
        (("start", SPEC, "--budget", "nan"), "--budget takes a number above 0"),
        (("start", SPEC, "--iterations", "0"), "--iterations takes a number above 0"),
        (("run", SPEC, "--until", "25:99"), "--until takes a time such as 07:00"),
        (("run", "--resume-all", "now"), "--resume-all takes no SPEC"),
    ],
)
def test_a_wrong_value_is_wrong_usage(project, words: tuple[str, ...], says: str) -> None:
    here = project()
    said = here.run(*words)

    assert (said.code, says in said.err) == (64, True), said.err
    assert not (here.root / ".loop").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("--shape", "square"),
        ("--score", "11"),
        ("--reversibility", "3"),
        ("--no-such-flag",),
        ("one", "two"),
    ],
)
def test_wrong_usage_is_64(project, words: tuple[str, ...]) -> None:
    said = project().run("start", SPEC, *words)

    assert said.code == 64
    assert "See `loop start --help`" in said.err


@pytest.mark.parametrize(
    "spec", ["make better", "make it better", "Make the app better and fix all the problems"]
)
def test_a_23_a_vague_spec_is_not_started(project, spec: str) -> None:
    here = project()
    said = here.run("start", spec)

    assert said.code == 5
    assert "- Outcome: 0 (vague words, no target)" in said.out
    assert "too vague to start on. Say more in the spec: What will be different" in said.err
    assert '--check "NAME=COMMAND"' in said.err
    assert not (here.root / ".loop").exists()


@pytest.mark.parametrize("headless", ["1", "true", "yes"])
def test_a_20_headless_a_vague_spec_is_exit_5(project, headless: str) -> None:
    here = project()

    assert here.run("start", "make better", LOOP_HEADLESS=headless).code == 5
    assert not (here.root / ".loop").exists()


# --- criteria and their checks ---


def test_the_same_name_in_criterion_and_check_is_one(project) -> None:
    here = project()
    here.start(
        "--criterion", "tests pass", "--check", "tests pass=true", "--criterion", "tests pass"
    )

    assert criteria(here) == {"tests pass": Check("true")}


def test_a_check_is_split_at_the_first_equals_and_a_list_is_an_argv(project) -> None:
    here = project()
    here.start("--check", "x=A=1 true", "--check", 'y=["printf", "a = b; c"]')

    assert criteria(here) == {"x": Check("A=1 true"), "y": Check(("printf", "a = b; c"))}


@pytest.mark.parametrize(
    ("files", "name", "command"),
    every(
        3,
        [
            ({"pytest.ini": "[pytest]\n"}, "tests pass", "pytest"),
            ({"pyproject.toml": "[tool.pytest.ini_options]\n"}, "tests pass", "pytest"),
            (
                {"package.json": '{"scripts": {"test": "jest", "lint": "eslint ."}}'},
                "tests pass",
                "npm run test",
            ),
            (
                {"package.json": '{"scripts": {"test": "jest"}}', "pnpm-lock.yaml": ""},
                "tests pass",
                "pnpm run test",
            ),
            ({"Cargo.toml": "[package]\n"}, "tests pass", "cargo test"),
            ({"go.mod": "module x\n"}, "tests pass", "go test ./..."),
            ({"Makefile": "test:\n\ttrue\nlint: x\n\ttrue\n"}, "tests pass", "make test"),
        ],
    ),
    ids=every(3, ["pytest.ini", "pyproject", "npm", "pnpm", "cargo", "go", "make"]),
)
def test_the_repositorys_own_commands_are_found(
    project, tools: str, files: dict[str, str], name: str, command: str
) -> None:
    here = project(files)
    said = here.run("start", "fix all failing tests", "--yes", PATH=tools)

    assert said.code == 0, said.err
    check = criteria(here)[name]
    assert check is not None
    assert command in str(check.command)
    assert (check.origin, check.allowed) == ("detected", True)
    assert "found in the repository" in said.out


def test_a_check_that_cannot_be_run_is_shown_so(project) -> None:
    here = project({"Cargo.toml": "[package]\n"})
    said = here.run(
        "start",
        "fix all failing tests",
        "--yes",
        PATH=f"{os.path.dirname(os.__file__)}:/bin:/usr/bin",
    )

    assert "tests pass ← cargo test (missing: cargo, found in the repository)" in said.out
    assert "  Fix: install Rust, or give another command" in said.out


def test_words_of_the_spec_become_criteria(project) -> None:
    here = project()
    here.run(
        "start",
        "fix all failing tests and lint errors in readme.md; no type errors",
        "--yes",
        "--score",
        "9",
    )

    assert set(criteria(here)) >= {"tests pass", "lint clean", "no type errors"}


def test_a_10_commands_in_shape_md_wait_for_loop_allow(project) -> None:
    here = project()
    here.write({".loop/shape/SHAPE.md": SHAPE})
    said = here.run("start", SPEC, "--yes", "--score", "9")

    assert said.code == 0, said.err
    assert "waits for your `loop allow`" in said.out
    assert not (here.root / "ran").exists()
    assert [c.name for c in here.loop.must_not] == ["change the public API"]
    assert here.run("check").code == 0
    assert not (here.root / "ran").exists()

    assert here.run("allow").code == 6
    assert here.run("allow", "--yes").code == 0
    assert here.run("check").code == 0
    assert (here.root / "ran").exists()


def test_the_kinds_of_evidence_planned_in_shape_md_are_kept_for_criteria_that_are_typed_too(
    project,
) -> None:
    here = project({"Makefile": "test:\n\tfalse\n"})
    lines = ("criteria:", "- tests pass", "- UI renders", "verification:")
    kinds = ("- tests pass: execution output", "- UI renders: observation")
    here.write({".loop/shape/SHAPE.md": "\n".join((*lines, *kinds))})
    here.start("--criterion", "tests pass", "--criterion", "UI renders")

    shown = here.state["criteriaStatus"]
    assert criteria(here)["tests pass"].command_line == "make test"
    assert shown["tests pass"]["planned"] == "execution output"
    assert shown["UI renders"] == {
        "met": False,
        "verification": "observation",
        "planned": "observation",
    }


def test_what_was_allowed_once_needs_no_second_yes(project) -> None:
    here = project()
    here.write({".loop/shape/SHAPE.md": SHAPE})
    here.run("start", SPEC, "--yes", "--score", "9")
    here.run("allow", "--yes")
    here.run("cancel")
    here.write({".loop/shape/SHAPE.md": SHAPE})
    here.run("start", SPEC, "--yes", "--score", "9")
    check = criteria(here)["tests pass"]

    assert check is not None
    assert check.allowed


def test_a_round_that_cannot_fit_into_the_hook_is_refused(project) -> None:
    here = project()
    words = [word for n in range(13) for word in ("--check", f"c{n}=true")]
    said = here.run("start", SPEC, "--yes", *words)

    assert said.code == 1
    assert "may take 3900 s together, the hook has 3600 s" in said.err
    assert "loop config check.timeout N" in said.err


def test_a_must_not_with_a_command(project) -> None:
    here = project()
    here.start(
        "--criterion",
        "x",
        "--must-not",
        "vendor changed=! git diff --quiet vendor",
        "--must-not",
        "no command",
    )

    assert [(c.name, c.check and c.check.command) for c in here.loop.must_not] == [
        ("vendor changed", "! git diff --quiet vendor"),
        ("no command", None),
    ]


# --- limits ---


def test_limits_above_the_maxima_need_a_yes(project) -> None:
    here = project()
    here.start("--criterion", "x", "--budget", "150", "--iterations", "80", "--minutes", "30")

    assert (here.loop.limits.dollars, here.loop.limits.iterations, here.loop.limits.minutes) == (
        150,
        80,
        30,
    )


def test_a_20_the_environment_sets_limits_and_flags_win(project) -> None:
    here = project()
    here.start("--criterion", "x", "--budget", "7", LOOP_BUDGET="9", LOOP_MAX_ITERATIONS="4")

    assert (here.loop.limits.dollars, here.loop.limits.iterations) == (7, 4)


@pytest.mark.parametrize("name", ["LOOP_BUDGET", "LOOP_MAX_ITERATIONS"])
def test_a_20_a_wrong_variable_is_named_not_ignored(project, name: str) -> None:
    said = project().run("start", SPEC, "--criterion", "x", "--yes", **{name: "many"})

    assert said.code == 64
    assert "takes a number, not 'many'" in said.err


@pytest.mark.parametrize("shape", ["tool", "colleague"])
def test_a_20_the_environment_sets_the_shape(project, shape: str) -> None:
    here = project()
    here.run("start", SPEC, "--criterion", "x", LOOP_SHAPE=shape)

    assert here.loop.shape.name == shape


def test_a_20_an_unknown_shape_is_an_error_never_a_default(project) -> None:
    said = project().run("start", SPEC, "--criterion", "x", LOOP_SHAPE="square")

    assert said.code == 64
    assert "square" in said.err


def test_a_20_headless_asks_nothing(project) -> None:
    here = project()
    assert (
        here.run("start", SPEC, "--check", "x=true", "--shape", "colleague", LOOP_HEADLESS="1").code
        == 0
    )

    assert (here.loop.shape.name, here.loop.gates_enabled, here.loop.status) == (
        "tool",
        False,
        "running",
    )


# --- where it lies ---


def test_it_lies_at_the_checkouts_top(project) -> None:
    here = project({"src/deep/a.py": ""})
    here.run("start", SPEC, "--criterion", "x", "--yes", "--score", "9", at="src/deep")

    assert (here.root / ".loop/journal.jsonl").exists()
    assert here.run("status", at="src/deep").code == 0


def test_a_loop_in_the_home_folder_could_never_be_found_so_none_is_started(tmp_path: Path) -> None:
    home = Project(tmp_path / "a home", git=False)
    said = home.run("start", SPEC, "--criterion", "x", "--yes", "--score", "9", HOME=str(home.root))

    assert said.code == 1
    assert not (home.root / ".loop").exists()


def test_a_home_under_git_is_not_the_top_of_a_folder_in_it(tmp_path: Path) -> None:
    home = Project(tmp_path / "a home", {"work/a.py": ""})
    home.run(
        "start", SPEC, "--criterion", "x", "--yes", "--score", "9", at="work", HOME=str(home.root)
    )

    assert (home.root / "work/.loop/journal.jsonl").exists()
    assert home.run("status", at="work", HOME=str(home.root)).code == 0


def test_a_checkout_that_holds_the_home_is_not_the_top_of_a_folder_beside_it(
    tmp_path: Path,
) -> None:
    """A sandbox in the same /tmp lays a .git there for a moment."""
    above = Project(tmp_path / "above", {"work/a.py": "", "home/.profile": ""})
    above.run(
        "start",
        SPEC,
        "--criterion",
        "x",
        "--yes",
        "--score",
        "9",
        at="work",
        HOME=str(above.root / "home"),
    )

    assert (above.root / "work/.loop/journal.jsonl").exists()
    assert not (above.root / ".loop").exists()


# --- the one that is there ---


def test_an_active_loop_is_named_with_the_three_ways_on(project) -> None:
    here = project()
    here.start()
    said = here.run("start", "something else entirely", "--yes")

    assert said.code == 1
    assert f"a loop is running here: {SPEC!r}" in said.err
    for way in ("loop continue", "loop cancel", "--replace"):
        assert way in said.err


def test_replace_cancels_it_and_keeps_both_their_evidence(project) -> None:
    here = project()
    here.start("--check", "old=true")
    old = here.loop
    here.start("--check", "new=true", "--replace")

    assert here.ended.id == old.id
    assert here.ended.status == "cancelled"
    proof = here.loop.criteria[0].proof
    assert proof is not None
    assert (here.root / ".loop" / proof.log).exists()
    old_proof = old.criteria[0].proof
    assert old_proof is not None
    assert (here.root / ".loop/history" / old.id / old_proof.log).exists()


def test_a_loop_that_is_not_ours_is_not_replaced(project, tmp_path: Path) -> None:
    here, other = project(), project()
    here.start()
    os.rename(here.root / ".loop", other.root / ".loop")
    said = other.run("start", SPEC, "--criterion", "x", "--yes", "--replace")

    assert said.code == 1
    assert "loop allow" in said.err


# --- under an agent's marker ---

POINTS = [word for name in rubric.QUESTIONS for word in ("--point", f"{name}: 1 (because)")]
AS_A_TOOL = [word.replace("1", "2") for word in POINTS]


def test_an_agent_may_start_within_the_defaults_and_its_checks_wait_for_the_yes(project) -> None:
    here = project()
    said = here.run(
        "start", SPEC, "--check", "tests pass=touch ran", *POINTS, CLAUDE_CODE_SESSION_ID="s-1"
    )

    assert said.code == 0, said.err
    assert here.loop.lease.holder == "s-1"
    assert here.loop.gates_enabled
    assert not (here.root / "ran").exists()
    check = criteria(here)["tests pass"]
    assert check is not None
    assert (check.origin, check.allowed) == ("proposed", False)

    here.run("answer", "yes")
    check = criteria(here)["tests pass"]
    assert check is not None
    assert check.allowed, "the yes to G1 covers what its question named"


def test_an_agents_check_waits_for_a_yes_also_when_the_spec_scores_as_a_tool(project) -> None:
    here = project()
    here.run("start", SPEC, "--check", "tests pass=touch ran", *AS_A_TOOL, CLAUDECODE="1")

    assert not (here.root / "ran").exists()
    assert here.loop.status == "asking", "somebody must be asked"


def test_an_agent_may_use_the_repositorys_own_commands(project) -> None:
    here = project({"Makefile": "test:\n\ttrue\n"})
    here.run("start", SPEC, "--check", "tests pass=make test", CLAUDECODE="1")
    check = criteria(here)["tests pass"]

    assert check is not None
    assert check.allowed


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--yes",), "--yes is the person's to say"),
        (("--shape", "tool"), "--shape is the person's to say"),
        (("--score", "10"), "--score is the person's to say. Score with five --point"),
        (("--pass-env", "TOKEN"), "--pass-env is the person's to say"),
        (("--volatile", "*"), "--volatile is the person's to say"),
        (("--replace",), "--replace is the person's to say"),
        (("--without", "tests"), "--without is the person's to say"),
        (("--budget", "26"), "a higher limit is the person's to give"),
        (("--iterations", "11"), "a higher limit is the person's to give"),
        (("--minutes", "500"), "a higher limit is the person's to give"),
    ],
)
def test_an_agent_may_not_loosen(project, words: tuple[str, ...], says: str) -> None:
    here = project()
    said = here.run("start", SPEC, "--criterion", "x", *words, CLAUDECODE="1")

    assert (said.code, says in said.err) == (1, True)
    assert not (here.root / ".loop").exists()


def test_an_agent_may_not_replace(project) -> None:
    here = project()
    here.start()

    assert here.run("start", SPEC, "--criterion", "x", "--replace", CLAUDECODE="1").code == 1
    assert here.loop.status == "running"


def test_settings_are_copied_into_the_loop_and_later_edits_touch_new_ones_only(project) -> None:
    here = project()
    here.run("config", "limits.stuck", "3")
    here.start()
    here.run("config", "limits.stuck", "4")

    assert here.loop.limits.stuck == 3
    first_line = (here.root / ".loop/journal.jsonl").read_text().splitlines()[0]
    started = json.loads(first_line)["events"][0]["loop"]
    assert started["limits"]["stuck"] == 3
    assert started["settings"]["prices"]


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_an_empty_git_above_is_no_checkout(project, kind: str) -> None:
    """Codex puts one into the temporary folder while a command of it runs."""
    above = project(git=False)
    (above.root / ".git").mkdir() if kind == "folder" else (above.root / ".git").touch()
    here = Project(above.root / "below", git=False)

    here.start()

    assert (here.root / ".loop").is_dir()
    assert not (above.root / ".loop").exists()


def test_a_dry_run_calls_no_check_failing_that_has_not_run(project) -> None:
    here = project({"calc.py": "A = 1\n", "Makefile": "test:\n\ttrue\n"})
    said = here.run("start", "Add a flag -n to calc.py that prints nothing", "--dry-run").out

    assert "Run once at the start; what passes then becomes a guard:\n- tests pass" in said
    assert "Failing already" not in said
    assert "never as proven" not in said
