"""Tests and settings that were not committed at the start: the replay also runs as committed."""

from __future__ import annotations

import pytest

from loopwright.cleanroom.committed import committed_surroundings
from loopwright.cleanroom.trees import end_commit
from loopwright.core.findings import MEDIUM
from loopwright.core.proof.clean_checkout import FINAL_TREE_RUN, NOT_NEEDED, PASSED, REPLAY_RUN
from loopwright.repo.tree import tree_hash
from tests.drive.test_room_runs import (
    BROKEN,
    FILES,
    FIXED,
    NAME,
    TESTS,
    UNITTEST,
    end,
    make_run,
    rules_found,
)
from tests.support.project import Project

pytestmark = pytest.mark.room

# The letters become what the broken product returns; a new test is red instead.
EASIER = TESTS.replace('parse("a"), "a"', 'parse("a")[0], "a"') + (
    "\n    def test_name(self):\n        import parse\n\n"
    '        self.assertEqual(parse.NAME, "parser")\n'
)
NAMED = f'{BROKEN}\n\nNAME = "parser"\n'
LETTERS = "test_letters (test_parse.Parse.test_letters)"


def begin(project, uncommitted: dict[str, str], **files: str) -> Project:
    here: Project = project({**FILES, **files})
    here.write(uncommitted)
    started = here.run("start", "fix the tests", "--check", f"{NAME}={UNITTEST}", "--yes")
    assert started.code == 0, started.err
    return here


def test_a_test_that_was_made_easier_before_the_start_is_a_question(project) -> None:
    here = begin(project, {"test_parse.py": EASIER})
    here.write({"parse.py": NAMED})
    make_run(here, FINAL_TREE_RUN)
    run = make_run(here, REPLAY_RUN)

    assert (run.outcome, rules_found(run)) == (PASSED, [(MEDIUM, "fails-with-committed-tests")])
    (finding,) = run.findings
    assert finding.file == "test_parse.py"
    assert finding.after == f"tests pass fails: 1 test: {LETTERS}"
    assert finding.text == (
        "changed before the start, not committed: with the version of the last commit it fails"
    )


def test_an_honest_loop_with_other_expectations_is_never_refuted(project) -> None:
    """The person wants another result than the last commit says."""
    here = begin(project, {"test_parse.py": TESTS.replace('parse("a"), "a"', 'parse("a"), "A"')})
    here.write({"parse.py": FIXED.replace("text\n", "text.upper()\n")})
    end(here)

    loop = here.ended
    assert loop.verdict is not None
    assert (loop.verdict.name, loop.verdict.grade) == ("MONITOR", "reported")
    assert any("of the last commit it fails" in note for note in loop.verdict.notes)


def test_tests_that_pass_as_committed_too_settle_what_was_changed_before(project) -> None:
    changed = TESTS.replace('parse("a"), "a"', 'parse("b"), "b"')
    here = begin(project, {"test_parse.py": changed})
    assert here.loop.baseline.start_findings
    here.write({"parse.py": FIXED})
    end(here)

    loop = here.ended
    assert loop.verdict is not None
    assert loop.verdict.grade == "proven"
    assert any("of the last commit before the start" in note for note in loop.verdict.notes)


def test_what_is_weaker_than_the_last_commit_is_not_settled_by_the_start(project) -> None:
    here = begin(project, {"test_parse.py": EASIER})
    here.write({"parse.py": NAMED, "test_parse.py": f"{EASIER}\n# ended\n"})
    make_run(here, FINAL_TREE_RUN)
    run = make_run(here, REPLAY_RUN)

    assert "fails-with-committed-tests" in [finding.rule for finding in run.findings]
    assert "test_parse.py" not in run.settled


@pytest.mark.long
def test_a_test_written_before_the_start_costs_no_run(project) -> None:
    here = begin(project, {"test_more.py": TESTS.replace("Parse(", "More(")})
    here.write({"parse.py": FIXED})
    end(here)

    assert [run.outcome for run in here.ended.room.runs] == [PASSED, NOT_NEEDED, NOT_NEEDED]
    assert here.ended.verdict is not None
    assert here.ended.verdict.grade == "proven"


MODULE = "def fare():\n    return 1\n\n\ndef test_fare():\n    assert fare() == 1\n"
KINDS = {  # what is committed, what is there at the start, and whether the replay takes it back
    "tests/test_changed.py": ("a = 1\n", "a = 2\n", True),
    "tests/test_new.py": ("", "a = 2\n", False),
    "pytest.ini": ("", "[pytest]\n", True),
    "conftest.py": ("", "def pytest_configure(config): pass\n", True),
    "tests/helper.py": ("", "A = 1\n", False),
    "cart.py": ("A = 1\n", "A = 2\n", False),
    "with_a_test.py": (MODULE, MODULE.replace("== 1", "== 2"), True),
    "tests/git_lfs.snap": ("version https://git-lfs.x/v1\n", "data\n", False),
    "tests/.coverage": ("", "data\n", False),
}
NEW_TEST_IN_PRODUCT = {"fare.py": ("A = 1\n", f"A = 1\n{MODULE[29:]}", False)}


@pytest.mark.parametrize("kinds", [KINDS, NEW_TEST_IN_PRODUCT])
def test_which_files_are_as_in_the_last_commit(
    project, kinds: dict[str, tuple[str, str, bool]]
) -> None:
    committed = {path: before for path, (before, _, _) in kinds.items() if before}
    here: Project = project({**FILES, **committed})
    here.write({path: now for path, (_, now, _) in kinds.items()})
    words = ("--check", f"{NAME}=test -e parse.py", "--room", "off")
    assert here.run("start", "fix the tests", *words, "--yes").code == 0
    loop = here.loop
    tree = tree_hash(str(here.root), here.folder.path, loop.settings.volatile_globs)
    commit = end_commit(here.folder, loop, tree)

    found = committed_surroundings(here.folder, loop, commit)
    assert set(found.paths) == {path for path, (_, _, is_taken) in kinds.items() if is_taken}
    if found.paths:
        assert found.commit == here.git("rev-parse", "HEAD").strip()
    may_change = loop.but(room=loop.room.but(may_change=tuple(kinds)))
    assert not committed_surroundings(here.folder, may_change, commit).paths


def test_a_repository_without_commits_has_no_committed_version(project) -> None:
    here: Project = project(FILES, git=False)
    here.git("init", "-q", "-b", "main")
    started = here.run("start", "fix the tests", "--check", f"{NAME}={UNITTEST}", "--yes")
    assert started.code == 0, started.err
    here.write({"parse.py": FIXED})
    make_run(here, FINAL_TREE_RUN)

    assert make_run(here, REPLAY_RUN).outcome == NOT_NEEDED


def test_installed_packages_that_git_does_not_ignore_are_no_changes_of_the_person(project) -> None:
    packages = ".venv/lib/python3.11/site-packages/other"
    installed = {".venv/pyvenv.cfg": "home = /usr/bin\n", f"{packages}/test_other.py": TESTS}
    here = begin(project, installed | {"tests/conftest.py": "collect_ignore = ['test_a.py']\n"})

    assert here.loop.baseline.uncommitted_files == ("tests/conftest.py",)
    assert not [f for f in here.loop.baseline.start_findings if packages in f.file]
