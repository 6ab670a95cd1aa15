"""The repository's own checks are in every loop, whatever criteria the model names."""

from __future__ import annotations

import pytest

from tests.support.hook import SESSION, block, prompts, stop, types
from tests.support.project import Project
from tests.torture.size import every

IN_SESSION = {"CLAUDE_CODE_SESSION_ID": SESSION, "CLAUDECODE": "1"}
DIMENSIONS = ("Outcome", "Scope", "Constraints", "Success", "Done")
POINTS = [word for name in DIMENSIONS for word in ("--point", f"{name}: 1 (why)")]
MAKEFILE = "test:\n\t@cat result; ! grep -q failed result\n"
FAILING, WORSE, PASSING = ("2 failed, 3 passed", "3 failed, 2 passed", "5 passed")
BROKEN = {"Makefile": MAKEFILE, "result": f"{FAILING} in 0.1s\n"}
DOCS = {"docs read well": {"met": True, "verification": "observation", "evidence": "read them"}}


def begin(here: Project, spec: str, *words: str, at: str = "") -> str:
    """The person types the spec, the model starts the loop, and the person says yes."""
    types(here, f"/loop:start {spec}")
    started = here.run("start", *POINTS, *words, at=at, **IN_SESSION)
    assert started.code == 0, started.err
    stop(here, "Here is the plan.")
    prompts(here, "y")
    return started.out


def set_result(here: Project, result: str) -> None:
    here.write({"result": f"{result} in 0.1s\n"})


def commands(here: Project) -> dict[str, str | None]:
    return {c.name: c.check.command_line if c.check else None for c in here.loop.criteria}


LONG_NAME = pytest.param("the failing tests are fixed", marks=pytest.mark.long)


@pytest.mark.parametrize(
    "name",
    [
        LONG_NAME,
        *(pytest.param(name, marks=pytest.mark.long) for name in ("all tests pass", "done=@tests")),
    ],
)
def test_failing_tests_never_ship_whatever_the_model_calls_the_criterion(project, name) -> None:
    here = project(BROKEN)
    begin(here, "fix all failing tests", "--criterion", name)
    name = name.partition("=")[0]
    assert commands(here) == {name: "make test"}

    held = stop(here, block({name: True}, exit=True))
    assert f"unmet criteria: {name}" in held.prompt
    assert (here.loop.status, here.loop.gate) == ("running", None)

    set_result(here, PASSING)
    asked = stop(here, block({name: True}, exit=True)).message
    assert "All criteria met. Confirm done?" in asked
    prompts(here, "y")
    stop(here, "ok")
    assert here.ended.verdict is not None
    assert (here.ended.verdict.name, here.ended.verdict.grade) == ("SHIP", "proven")
    assert "It holds." in here.run("audit").out


def test_tests_that_pass_at_the_start_guard_work_that_does_not_name_them(project) -> None:
    here = project({**BROKEN, "result": f"{PASSING} in 0.1s\n"})
    screen = begin(here, "write the docs", "--criterion", "docs read well")
    assert "- tests pass ← make test (passing now: a guard, found in" in screen

    set_result(here, FAILING)
    assert "unmet criteria: tests pass" in stop(here, block(DOCS, exit=True)).prompt


def test_tests_that_fail_already_and_that_nothing_names_must_only_not_get_worse(project) -> None:
    here = project(BROKEN)
    screen = begin(here, "write the docs", "--criterion", "docs read well")
    assert commands(here) == {"docs read well": None}
    assert "Failing already, not required:" in screen
    assert "- tests pass ← make test (must not get worse than 5 tests, 0 skipped, 2 failures)" in (
        screen
    )
    assert "not required: tests pass" in here.run("status").out

    set_result(here, WORSE)
    held = stop(here, block(DOCS, exit=True)).prompt
    assert held.startswith("claim refuted: worse than at the start (tests pass)")
    assert "  - 2 failures\n  + 3 failures" in held

    set_result(here, FAILING)
    asked = stop(here, block(DOCS, exit=True)).message
    assert "Accept its word? y = " in asked


def test_a_failing_check_without_counts_is_shown_and_not_enforced(project) -> None:
    here = project({"Makefile": "lint:\n\t@false\n"})
    screen = begin(here, "write the docs", "--criterion", "docs read well")
    assert (
        "- lint clean ← make lint (it prints no counts, so Loopwright cannot see whether it "
        "gets worse)" in screen
    )

    assert "Accept its word?" in stop(here, block(DOCS, exit=True)).message


def test_a_check_that_cannot_run_is_not_called_failing(project) -> None:
    here = project({"Makefile": "test:\n\tno-such-runner\nlint:\n\t@false\n"})
    screen = begin(here, "write the docs", "--criterion", "docs read well")
    assert "Failing already, not required:\n- lint clean ← make lint" in screen
    assert "Cannot run here, not required:\n- tests pass ← make test (missing: no-such-runner)" in (
        screen
    )
    assert '  Fix: install no-such-runner, or give another command: --check "tests pass=' in screen

    results = {c["name"]: c["result"] for c in here.run("status", "--json").json["not_required"]}
    assert results["tests pass"]["word"] == "missing"
    assert results["tests pass"]["lacks"] == "no-such-runner"
    assert results["lint clean"]["word"] == "failing"


def test_a_check_that_rewrites_committed_files_is_named_and_not_required(project) -> None:
    here = project({"Makefile": "lint:\n\t@cat Makefile >> dist.js\n", "dist.js": "x\n"})
    screen = begin(here, "write the docs", "--criterion", "docs read well")

    assert commands(here) == {"docs read well": None}
    assert "- lint clean ← make lint (it rewrites dist.js)" in screen
    (offer,) = here.run("status", "--json").json["offered"]
    assert offer == {
        "name": "lint clean",
        "command": "make lint",
        "why": "it rewrites dist.js",
    }


def test_a_check_that_only_makes_new_files_is_a_guard(project) -> None:
    here = project({"Makefile": "lint:\n\t@cp Makefile dist.js\n"})
    begin(here, "write the docs", "--criterion", "docs read well")

    assert commands(here) == {"docs read well": None, "lint clean": "make lint"}


def test_the_checks_of_packages_are_offered_at_the_top(project) -> None:
    here = project({"api/go.mod": "module api\n", "readme.md": ""})
    screen = begin(here, "write the docs", "--criterion", "docs read well")

    assert "Found too, not run" in screen
    assert "- tests pass ← cd api && go test ./... (a package of this repository)" in screen


def test_a_yes_without_any_command_is_accepted_and_never_called_proven(project) -> None:
    here = project()
    screen = begin(here, "write the docs", "--criterion", "docs read well")
    assert "No criterion has a check that may run" in screen

    asked = stop(here, block(DOCS, exit=True)).message
    assert 'The agent says "docs read well". No command has run. Accept its word? y = done' in asked
    prompts(here, "y")
    stop(here, "ok")

    verdict = here.ended.verdict
    assert verdict is not None
    assert (verdict.name, verdict.grade, verdict.why) == (
        "MONITOR",
        "accepted",
        "accepted by you, no command has run",
    )
    assert here.run("status", "--exit-code").code == 10
    assert here.run("receipt").code == 10
    assert "**accepted**: You took it as it is; no command shows all of it." in (
        here.run("receipt").out
    )
    assert here.run("receipt", "--json").json["grade"] == "accepted"
    assert "accepted" in here.run("history").out
    assert here.run("history", "--json").json[0]["verdict"]["grade"] == "accepted"
    assert here.state["grade"] == "accepted"

    audit = here.run("audit")
    assert audit.code == 1
    assert "It holds" not in audit.out
    assert "Not proven, so there is nothing to hold: docs read well." in audit.out


MONOREPO = {
    "readme.md": "a monorepo\n",
    "packages/api/Makefile": MAKEFILE,
    "packages/api/result": f"{FAILING} in 0.1s\n",
    "packages/api/src/a.py": "",
}


@pytest.mark.parametrize("at", every(2, ["packages/api", "packages/api/src"]))
def test_in_a_monorepo_the_checks_of_the_persons_folder_are_found(project, at) -> None:
    here = project(MONOREPO)
    begin(here, "fix all failing tests", "--criterion", "all tests pass", at=at)
    assert commands(here) == {"all tests pass": "cd packages/api && make test"}

    assert "unmet criteria" in stop(here, block({"all tests pass": True}, exit=True)).prompt
    here.write({"packages/api/result": f"{PASSING} in 0.1s\n"})
    assert "y = done" in stop(here, block({"all tests pass": True}, exit=True)).message


def test_the_person_can_leave_a_check_of_the_repository_out(project) -> None:
    here = project(BROKEN)
    begin(here, "write the docs --without tests", "--criterion", "docs read well")
    assert (commands(here), here.loop.unrequired_checks) == ({"docs read well": None}, ())


@pytest.mark.parametrize(
    ("criterion", "says"),
    [
        ("x=@speed", "x=@speed: there are @tests, @lint, @types, @build. Or give the command"),
        ("x=@lint", "x=@lint: no such command was found in this repository. Give the command: "),
    ],
)
def test_a_kind_of_check_that_is_not_there_is_an_error_with_a_way_out(
    project, criterion, says
) -> None:
    said = project(BROKEN).run("start", "fix the tests", "--criterion", criterion)

    assert (said.code, says in said.err) == (1, True)


def test_a_criterion_that_is_added_later_may_name_the_repositorys_tests(project) -> None:
    here = project(BROKEN)
    begin(here, "write the docs", "--criterion", "docs read well")
    assert [c.name for c in here.loop.unrequired_checks] == ["tests pass"]

    assert here.run("criteria", "add", "tests pass=@tests").code == 0
    assert commands(here)["tests pass"] == "make test"
    assert here.loop.unrequired_checks == (), "what a criterion names is required"


def test_a_discovery_loop_is_guarded_by_the_repositorys_checks(project) -> None:
    here = project({**BROKEN, "result": f"{PASSING} in 0.1s\n"})
    said = here.run("start", "--preset", "docs", "the manual", "--yes")

    assert said.code == 0, said.err
    assert commands(here) == {"tests pass": "make test"}
