"""Proof by hand: audit, receipt, rewind, diff, accept, and the flags that keep a proof from being made easier."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from loopwright.store.archive import seal_path
from tests.cheats.world import BROKEN, DONE, FAILING, FILES, FIXED, NAME, UNITTEST
from tests.support.hook import stop, types
from tests.support.project import CommandResult, Project
from tests.torture.size import every

pytestmark = pytest.mark.room


def begin(project, *flags: str, check: str = UNITTEST, room: str = "off", **files: str) -> Project:
    here: Project = project({**FILES, **files})
    words = ("--check", f"{NAME}={check}", "--room", room, "--yes", *flags)
    said = here.run("start", "fix all failing tests", *words)
    assert said.code == 0, said.err
    return here


def finish(here: Project) -> Project:
    here.write({"parse.py": FIXED})
    assert "SHIP" in stop(here, DONE).message
    return here


_done: list[Project] = []


@pytest.fixture
def done(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A loop that was refuted once and then proven. It is made once; each test finds it as it was, under the same path."""
    state = Path(os.environ["XDG_STATE_HOME"])
    if not _done:
        place = tmp_path_factory.mktemp("done")
        here = begin(lambda files: Project(place / "project", files), room="on")
        stop(here, DONE)
        finish(here)
        shutil.copytree(here.root, place / "kept", symlinks=True)
        shutil.copytree(state, place / "state", symlinks=True)
        _done.append(here)
    place = _done[0].root.parent
    for kept, there in ((place / "kept", _done[0].root), (place / "state", state)):
        shutil.rmtree(there, ignore_errors=True)
        shutil.copytree(kept, there, symlinks=True)
    return _done[0]


# --- audit ---


def test_a_finished_loop_is_proven_once_more_on_a_clean_checkout(done: Project) -> None:
    done.write(
        {"parse.py": BROKEN, "noise.txt": "not part of it\n"}
    )  # what lies here now does not matter

    said = done.run("audit")

    assert said.code == 0, said.out + said.err
    assert "✓ its journal: " in said.out
    assert (
        "lines, each fits to the next, and the last is the one kept outside the project" in said.out
    )
    assert "✓ tests pass: passed on " in said.out
    assert said.out.endswith("It holds.\n")
    assert done.git("worktree", "list").count("\n") == 1, "the checkout is gone again"


@pytest.mark.long
def test_what_needs_ignored_files_is_set_up_first(project) -> None:
    here = begin(
        project, check="test -e built/it && python3 -B -m unittest -q", **{".gitignore": "built/\n"}
    )
    here.write({"built/it": "ignored\n"})
    finish(here)

    assert "✗ tests pass: passed on " in here.run("audit").out
    assert here.run("audit", "--setup", "mkdir built && touch built/it").code == 0
    failed = here.run("audit", "--setup", "exit 3")
    assert failed.code == 11
    assert "✗ the clean checkout: `exit 3` exited 3" in failed.out


def journal_of(here: Project) -> Path:
    return here.root / ".loop/history" / here.ended.id / "journal.jsonl"


TAMPERED = {
    "edited": (
        lambda path: path.write_bytes(path.read_bytes().replace(b"SHIP", b"SLIP", 1)),
        "✗ its journal: line",
    ),
    "cut off": (
        lambda path: path.write_bytes(b"".join(path.read_bytes().splitlines(True)[:-1])),
        "cut off after line",
    ),
    "torn": (lambda path: path.write_bytes(path.read_bytes()[:-40]), "cannot be read: it is torn"),
}


@pytest.mark.parametrize("name", every(3, list(TAMPERED)))
def test_a_record_that_was_changed_is_named_and_runs_nothing(done: Project, name: str) -> None:
    tamper, words = TAMPERED[name]
    tamper(journal_of(done))

    said = done.run("audit")

    assert said.code == 1
    assert words in said.out
    assert "nothing was run again: no command of a record that was changed is run" in said.out
    assert "running tests pass" not in said.out


def test_an_output_that_was_edited_is_named(done: Project) -> None:
    log = next((journal_of(done).parent / "evidence").iterdir())
    for log in (journal_of(done).parent / "evidence").iterdir():
        log.write_text("OK\n")

    said = done.run("audit")

    assert said.code == 1
    assert f"the output of tests pass was edited: evidence/{log.name[:4]}" in said.out
    assert "Put the record back from a backup, or prove what is here now" in said.out
    history = done.run("history").out
    assert (
        f"Left out, for it did not end here, or not so: {journal_of(done).parent.name}" in history
    )
    assert "proven" not in history
    assert done.run("history", "--json").json == []


def test_audit_for_programs(done: Project) -> None:
    facts = done.run("audit", "--json").json

    assert facts["holds"] is True
    assert [(rerun["name"], rerun["holds"]) for rerun in facts["reruns"]] == [(NAME, True)]


@pytest.mark.long
def test_without_git_the_files_are_audited_while_they_are_those_of_the_end(project) -> None:
    here: Project = project(FILES, git=False)
    here.run("start", "fix all failing tests", "--check", f"{NAME}={UNITTEST}", "--yes")
    finish(here)

    said = here.run("audit")
    assert (said.code, "It holds." in said.out) == (0, True)

    here.write({"more.py": "x = 1\n"})
    said = here.run("audit")
    assert said.code == 11
    assert "its last tree was not kept, and the files have changed since" in said.out
    assert "--setup" not in said.out


def test_an_active_loop_has_a_journal_to_look_at_and_no_proof_yet(project) -> None:
    said = begin(project).run("audit")

    assert "✓ its journal" in said.out
    assert "the loop is running: there is no proof to look at again" in said.out


def test_audit_says_when_the_files_have_moved_on(done: Project) -> None:
    assert "the files have changed since" not in done.run("audit").out
    done.write({"more.py": "x = 1\n"})

    said = done.run("audit")

    assert said.code == 0, "the proof of that tree holds"
    tree = done.ended.tree[:12]
    assert (
        f"· the files have changed since: this is about {tree}, and the project is at " in said.out
    )


def test_an_archive_of_another_repository_is_nobodys_proof_here(done: Project, project) -> None:
    other: Project = project()
    archive = journal_of(done).parent
    shutil.copytree(archive, other.root / ".loop/history" / archive.name)

    audited = other.run("audit", archive.name)

    assert audited.code == 1
    assert f"it is the record of another folder: the loop ended in {done.root}" in audited.out
    assert "running tests pass" not in audited.out
    assert "did not end here" in other.run("receipt", archive.name).err
    assert "proven" not in other.run("history").out


def test_a_folder_that_was_moved_keeps_its_record(project) -> None:
    here = finish(begin(project))
    moved = here.root.rename(here.root.with_name("moved"))

    assert here.run("receipt", at=str(moved)).code == 0


def test_a_seal_of_an_earlier_version_names_no_folder(done: Project) -> None:
    seal = Path(seal_path(done.ended.id))
    seal.write_text(f"{seal.read_text().splitlines()[0]}\n")

    assert done.run("audit").code == 0
    assert done.run("receipt").code == 0


def test_a_kept_tree_that_is_gone_could_not_be_prepared(done: Project) -> None:
    for ref in done.git("for-each-ref", "--format=%(refname)", "refs/loop").split():
        done.git("update-ref", "-d", ref)
    done.git("reflog", "expire", "--expire=now", "--all")
    done.git("gc", "-q", "--prune=now")

    said = done.run("audit")

    assert said.code == 11
    assert "this repository does not have its kept tree" in said.out
    assert "--setup" not in said.out, "no setup brings the files back"
    assert "prove what is here now in a new loop: loop start SPEC" in said.out


def test_without_the_state_folder_the_audit_names_a_way_out(done: Project) -> None:
    loop_id, state = done.ended.id, Path(os.environ["XDG_STATE_HOME"])
    shutil.rmtree(state / "loopwright")

    said = done.run("audit")

    assert said.code == 1
    assert "no head of this journal is kept outside the project" in said.out
    way_out = f"Put {state}/loopwright/heads/{loop_id} back from a backup, or prove what is here"
    assert way_out in said.out


# --- receipt ---


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda path: TAMPERED["edited"][0](path), ""),
        (lambda path: next((path.parent / "evidence").iterdir()).write_text("OK\n"), "was edited"),
        (lambda path: next((path.parent / "evidence").iterdir()).unlink(), "is gone"),
        (lambda path: replace_by_link(path), "is a link, and we wrote none"),
        (lambda path: replace_by_link(path.parent / "evidence"), "is a link, and we wrote none"),
    ],
    ids=["journal", "output", "no output", "linked journal", "linked outputs"],
)
def test_there_is_no_receipt_for_a_record_that_was_changed(done: Project, change, words) -> None:
    path = journal_of(done)
    change(path)

    said = done.run("receipt", path.parent.name)

    assert said.code == 1
    assert words in said.err
    assert said.out == ""
    assert done.run("audit", path.parent.name).code == 1


def replace_by_link(path: Path) -> None:
    elsewhere = path.parent.parent / f"elsewhere-{path.name}"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


def test_the_receipt_names_the_set_up_and_the_runs(project) -> None:
    here = finish(begin(project, "--setup", "true", room="on"))

    assert "Set up of the clean checkout: `true`" in here.run("receipt").out
    facts = here.run("receipt", "--json").json
    assert facts["setup"] == "true"
    assert ("room", "passed") in [(run["kind"], run["outcome"]) for run in facts["runs"]]


def test_verdict_receipt_and_history_have_one_word_for_the_grade(project) -> None:
    here = finish(begin(project))

    assert "**proven in place**" in here.run("receipt").out
    assert "  proven in place  " in here.run("history").out
    assert here.run("receipt", "--json").json["grade"] == "proven-in-place"
    assert here.run("status", "--json").json["verdict"]["grade"] == "proven-in-place"


def test_the_receipt_is_for_a_pull_request(done: Project) -> None:
    said = done.run("receipt")

    assert said.code == 0
    assert said.out.startswith("### SHIP: fix all failing tests\n\n**proven**: The checks pass ")
    assert f"| ✓ | tests pass | `{UNITTEST}` | failed | exit 0 in " in said.out
    assert ", 3 tests, 0 skipped, output `" in said.out
    assert "STALE" not in said.out


def test_it_is_stale_when_the_files_have_moved_on(done: Project) -> None:
    done.write({"more.py": "x = 1\n"})

    said = done.run("receipt")

    assert said.code == 1
    assert "> **STALE**: the files have changed since." in said.out
    assert done.run("receipt", "--json").json["stale"] is True


def test_a_commit_of_the_same_files_is_not_stale(done: Project) -> None:
    done.commit("the work")

    assert done.run("receipt").code == 0


def hide_from_git(here: Project, name: str) -> None:
    """Tell git in our own folder that this file never changes."""
    git_dir = {"GIT_DIR": str(here.root / ".loop/tree"), "GIT_WORK_TREE": str(here.root)}
    for flag in ("--assume-unchanged", "--skip-worktree"):
        subprocess.run(
            ["git", "update-index", flag, name],
            cwd=here.root,
            env={**os.environ, **git_dir},
            check=True,
        )


def test_an_index_that_hides_a_change_does_not_hide_it_from_receipt_and_audit(
    done: Project,
) -> None:
    assert done.run("receipt").code == 0
    hide_from_git(done, "parse.py")
    done.write({"parse.py": BROKEN})

    assert "> **STALE**" in done.run("receipt").out
    assert "the files have changed since" in done.run("audit").out


def test_an_archive_that_cannot_be_read_names_the_command_that_says_why(done: Project) -> None:
    path = journal_of(done)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines[:-2], lines[-2].replace("{", "{ ", 1), lines[-1]]))

    said = done.run("receipt")

    assert said.code == 1
    assert "doctor" not in said.err
    assert f"`loop audit {path.parent.name}`" in said.err


def test_the_deleted_record_of_the_only_loop_is_named_with_the_way_out(done: Project) -> None:
    loop_id = done.ended.id
    shutil.rmtree(done.root / ".loop/history")

    gone = f"loop {loop_id} was here, and its record is gone"
    assert gone in done.run("history").out
    for words in (["receipt"], ["receipt", loop_id], ["audit"], ["report"]):
        said = done.run(*words)
        assert said.code == 1
        assert gone in said.err, words
        assert f"`loop forget {loop_id}`" in said.err

    assert done.run("forget", loop_id, "--yes").code == 0
    assert done.run("history").out == "No loop has ended here yet.\n"


def test_an_older_copy_of_the_folder_is_noticed(
    done: Project, tmp_path: Path, own_terminal
) -> None:
    shutil.copytree(done.root / ".loop", tmp_path / "older")
    words = ("--check", f"{NAME}={UNITTEST}", "--room", "off", "--yes")
    assert done.run("start", "once more", *words).code == 0
    second = done.loop.id

    def put_older_copy_back() -> None:
        shutil.rmtree(done.root / ".loop")
        shutil.copytree(tmp_path / "older", done.root / ".loop")

    put_older_copy_back()  # while the second loop is active
    said = done.run("receipt")
    assert said.code == 1
    assert f"> **NOT THE LAST**: loop {second} was here later" in said.out

    assert done.run("restore").code == 0
    assert done.run("receipt", done.ended.id).code == 0
    assert done.run("cancel").code == 0
    put_older_copy_back()  # and after its end
    for command in ("receipt", "audit"):
        said = done.run(command)
        assert said.code == 1
        assert f"loop {second} was here later, and its record is gone" in said.out
    for command in ("history", "accept", "status"):
        said = done.run(command)
        assert f"loop {second} was here later" in said.out + said.err, command
    said = done.run("accept", "--all", "--yes")
    assert said.code == 1
    assert said.err.startswith(f"loop: nothing is added: loop {second} was here later")
    assert done.run("receipt", "--json").json["lost_later_loops"] == [second]

    assert done.run("forget", second, "--yes").code == 0  # the way out of who deleted it
    assert done.run("receipt").code == 0
    assert done.run("audit").code == 0


def test_without_a_finished_loop_there_is_none(project) -> None:
    said = begin(project).run("receipt")

    assert said.code == 1
    assert "is running" in said.err


# --- rewind and diff ---


def test_back_to_an_iteration_and_forth_again(project) -> None:
    here = begin(project)
    here.write({"parse.py": "def parse(text):\n    return 1 / 0\n"})
    stop(here, "worse")
    here.write({"parse.py": FIXED, "new.py": "x\n"})
    here.git("add", "new.py")
    stop(here, "better")
    here.write({"parse.py": "def parse(text):\n    raise ValueError\n"})
    stop(here, "worse again")
    status = here.git("status", "--porcelain=v2", "--branch").splitlines()[:2]

    listed = here.run("rewind").out
    said = here.run("rewind", "best")

    best = next(line for line in listed.splitlines() if "★   2 " in line)
    assert "s  $0.00  1 of 1 check pass  " in best, "time, cost and results"
    assert "parse.py" in best, "and the files"
    assert "The files are as iteration 2 left them." in said.out
    assert (here.root / "parse.py").read_text() == FIXED
    assert here.git("status", "--porcelain=v2", "--branch").splitlines()[:2] == status
    assert [event["iteration"] for event in here.events("FilesRewound")] == [2]
    assert "raise ValueError" in here.run("diff", "best", "3").out

    assert here.run("rewind", "saved-1").code == 0
    assert (here.root / "parse.py").read_text().endswith("raise ValueError\n")


def test_diff_says_what_changed_since(done: Project) -> None:
    assert "-    return text + '!'\n+    return text\n" in done.run("diff", "0").out
    assert (
        done.run("diff", "0", "2", "--stat").out.strip().endswith("1 insertion(+), 1 deletion(-)")
    )
    assert done.run("diff", "2").out == "Nothing has changed.\n"


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("rewind", "99"), "'99' is no iteration of this loop; there are 0 to 2, and best"),
        (("rewind", "soon"), "'soon' is no iteration of this loop"),
        (("rewind", "saved-7"), "saved-7 is not kept here"),
        (("diff", "--", "-1"), "'-1' is no iteration of this loop"),
    ],
)
def test_wrong_words_change_nothing(done: Project, words, hint) -> None:
    before = (done.root / "parse.py").read_text()
    said = done.run(*words)

    assert said.code == 1
    assert hint in said.err
    assert (done.root / "parse.py").read_text() == before


@pytest.mark.parametrize(
    "words", every(2, [("rewind",), ("rewind", "0"), ("diff", "0"), ("receipt",), ("report",)])
)
def test_a_loop_that_came_with_a_repository_is_not_gone_by(project, words) -> None:
    here = begin(project)
    Path(here.folder.note_path).unlink()
    said = here.run(*words)

    assert said.code == 1
    assert "was not started here by you. Read it, then run `loop allow`" in said.err


@pytest.mark.long
def test_without_git_no_iteration_is_kept(project) -> None:
    here: Project = project(FILES, git=False)
    here.run("start", "fix all failing tests", "--check", f"{NAME}={UNITTEST}", "--yes")
    here.write({"parse.py": FIXED})
    stop(here, "better")

    assert (
        "iteration 1 is not kept: this folder is no git repository" in here.run("rewind", "1").err
    )


# --- accept ---


def test_a_person_accepts_what_was_found(project) -> None:
    here = begin(project, room="on")
    here.write({"parse.py": FIXED, "test_parse.py": FILES["test_parse.py"].replace(FAILING, "")})
    assert "test deleted" in stop(here, DONE).prompt

    listed = here.run("accept").out
    keys = [
        line.split()[0] for line in listed.splitlines() if line.endswith(("  high", "  medium"))
    ]
    assert here.run("accept", "00000000").code == 1
    said = here.run("accept", *keys, "--yes")
    assert "accepted; the verdict names " in said.out
    assert "accepted by a person: " in stop(here, DONE).message

    # What was accepted is gone, but no test that is left needs the work.
    assert (here.ended.verdict.name, here.ended.verdict.proven) == ("MONITOR", False)
    assert "the final tests also pass without the work" in here.ended.verdict.why
    assert "accepted by a person" in here.run("receipt").out


@pytest.mark.long
def test_the_same_is_typed_in_a_session(project) -> None:
    here = begin(project)
    here.write({"parse.py": FIXED, "test_parse.py": FILES["test_parse.py"].replace(FAILING, "")})
    stop(here, DONE)

    listed = types(here, "/loop:accept").reply["reason"]
    assert "fewer tests run than at the start" in listed
    assert "no finding 'nothing'" in types(here, "/loop:accept nothing").reply["reason"]
    keys = [line.split()[0] for line in listed.splitlines() if line.endswith("  high")]
    assert "accepted" in types(here, f"/loop:accept {' '.join(keys)}").reply["reason"]
    assert set(here.loop.baseline.accepted_findings) == set(keys)


# --- flags of the start ---


def test_a_held_out_check_is_nowhere_to_be_read(project) -> None:
    here = begin(
        project,
        "--holdout",
        "secret corpus=python3 -B -c \"from parse import parse; assert parse('zebra') == 'zebra'\"",
    )
    here.write({"parse.py": "def parse(text):\n    return 'a' if text == 'a' else ''\n"})
    said = stop(here, DONE).prompt

    assert said.startswith("claim refuted: secret corpus\n")
    told = [
        here.run(*words).out
        for words in (("why",), ("status",), ("why", "--json"), ("journal", "--json"))
    ]
    files = [path.read_bytes() for path in (here.root / ".loop").rglob("*") if path.is_file()]
    assert not any("zebra" in text for text in (said, *told))
    assert not any(b"zebra" in data for data in files)
    kept = Path(os.environ["XDG_STATE_HOME"]) / "loopwright/holdouts" / here.loop.id
    assert "zebra" in (kept / "commands.json").read_text()
    assert list((kept / "evidence").iterdir())

    finish(here)
    assert "| ✓ | secret corpus | held out |" in here.run("receipt").out
    assert "zebra" not in here.run("receipt", "--json").out
    assert here.run("audit").code == 0


REVIEWER = """\
import json, sys
asked = json.load(sys.stdin)
assert set(asked) == {"asked", "spec", "criteria", "must_not", "findings", "diff"}, asked.keys()
assert asked["criteria"][0]["exit"] == 0 and "+    return text" in asked["diff"]
bad = "TODO" in asked["diff"]
print("I have read it.")
print(json.dumps({"verdict": "object", "objections": [{"file": "parse.py", "line": 2, "problem": "a TODO is left"}]} if bad
                 else {"verdict": "approve", "objections": []}))
"""


def test_a_reviewer_gets_criteria_diff_and_evidence_and_its_objection_counts(
    project, tmp_path: Path
) -> None:
    script = tmp_path / "review.py"
    script.write_text(REVIEWER)
    here = begin(project, "--review", f"{sys.executable} {script}")
    here.write({"parse.py": FIXED + "# TODO\n"})

    said = stop(here, DONE).prompt
    assert said.startswith("claim refuted: review\n")
    assert "parse.py:2: a TODO is left" in said

    finish(here)
    receipt = here.run("receipt").out
    assert "review: a reviewer has no objection at look 2 (code review)" in receipt
    assert ", look 2 |" in receipt


@pytest.mark.parametrize(
    "command", every(3, ["echo looks fine to me", "exit 1", "no-such-reviewer"])
)
def test_a_reviewer_that_does_not_answer_in_the_form_is_the_persons_matter(
    project, command
) -> None:
    here = begin(project, "--review", command)
    here.write({"parse.py": FIXED})

    assert "⏸ Paused: review cannot be run: " in stop(here, DONE).message
    assert here.run("status", "--exit-code").code == 4


def test_known_failures_may_go_on_to_fail_and_no_others(project) -> None:
    broken = FILES["test_parse.py"] + "\n    def test_old(self):\n        self.assertEqual(1, 2)\n"
    here = begin(project, "--no-worse-than-baseline", check=UNITTEST, **{"test_parse.py": broken})
    assert here.loop.criteria[0].guard is True
    assert len(here.loop.criteria[0].check.frozen) == 2

    here.write({"parse.py": "def parse(text):\n    return None\n"})
    assert "unmet criteria: tests pass" in stop(here, DONE).prompt

    here.write({"parse.py": FIXED})
    stop(here, DONE)
    assert here.ended.verdict.name == "MONITOR"


def test_a_baseline_that_nobody_can_read_is_refused(project) -> None:
    here: Project = project(FILES)
    said = here.run(
        "start", "x", "--check", "works=false", "--no-worse-than-baseline", "--yes", "--score", "9"
    )

    assert said.code == 1
    assert "its output names no test that does" in said.err


def test_retries_run_a_flaky_check_again_and_name_it(project) -> None:
    here = begin(
        project,
        "--retries",
        "2",
        check="test -e gone || { touch gone; false; }",
        **{".gitignore": "gone\n"},
    )
    (here.root / "gone").unlink()
    here.write({"parse.py": FIXED})

    assert "flaky: tests pass" in stop(here, DONE).message
    assert here.ended.verdict.name == "MONITOR"


def test_wrong_flags_start_nothing(project) -> None:
    here: Project = project(FILES)
    for flags, code, hint in [
        (("--protect", "no/such"), 1, "--protect no/such: there is no such path here"),
        (("--holdout", f"{NAME}=true"), 1, "'tests pass' is the name of two things"),
        (("--retries", "many"), 64, "--retries takes a whole number from 0 to 10, not 'many'"),
    ]:
        said: CommandResult = here.run(
            "start", "fix all failing tests", "--check", f"{NAME}={UNITTEST}", "--yes", *flags
        )

        assert said.code == code
        assert hint in said.err
        assert here.folder.read_loop() is None


# --- red first ---


def test_the_screen_says_which_check_can_prove_the_work(project) -> None:
    here: Project = project(FILES)
    checks = (
        "--check",
        f"{NAME}={UNITTEST}",
        "--check",
        "it is there=test -e parse.py",
        "--check",
        "report made=test -e report.md",
    )
    out = here.run("start", "fix all failing tests", *checks, "--yes").out

    assert f"- {NAME} ← {UNITTEST} (failing now (exit 1))" in out
    assert "- it is there ← test -e parse.py (passing now: a guard)" in out
    assert (
        "- report made ← test -e report.md (failing now (exit 1))" in out
    )  # a missing deliverable is red
    assert [c.guard for c in here.loop.criteria] == [False, True, False]


def test_tests_that_are_modified_before_the_start_are_named(project) -> None:
    here: Project = project(FILES)
    tests = next(name for name in FILES if name.startswith("test"))
    words = ("start", "fix all failing tests", "--check", f"{NAME}={UNITTEST}", "--yes")
    here.write({tests: f"{FILES[tests]}\n# edited\n", "parse.py": f"{BROKEN}\n# edited\n"})

    said = here.run(*words, "--room", "off").out

    assert f"changes that are not committed; the loop takes them as they are: {tests}\n" in said


def test_all_green_is_told_before_a_cent_is_spent(project) -> None:
    here: Project = project(FILES)
    out = here.run(
        "start",
        "tidy up parse.py",
        "--check",
        "it is there=test -e parse.py",
        "--yes",
        "--score",
        "9",
    ).out

    assert "Every check passes already: they guard the work. At the end the new tests are" in out


# --- allow ---


def test_allow_spells_out_every_letter_of_what_would_run(project) -> None:
    here: Project = project(
        {**FILES, "package.json": json.dumps({"scripts": {"test": "vitest run"}})}
    )
    check = "echo fine \x1b[8m; rm -rf ~ \u202e"
    said = here.run(
        "start",
        "fix all failing tests in parse.py",
        "--check",
        f"odd={check}",
        "--check",
        "js=npm test --silent",
        CLAUDECODE="1",
    )
    assert said.code == 0, said.err

    out = here.run("allow").out

    assert "odd ← echo fine \\x1b[8m; rm -rf ~ \\u202e\n      (proposed by the agent; in " in out
    assert "js ← npm test --silent\n      which runs: vitest run\n" in out


def test_a_verdict_that_came_with_the_repository_or_was_changed_is_nobodys_proof(
    done: Project,
) -> None:
    archive = journal_of(done).parent
    archive.rename(archive.with_name("theirs"))

    assert "proven" not in done.run("status").out + done.run("history").out
    assert "Left out, for it did not end here, or not so: " in done.run("history").out
    for words in ("report theirs", "receipt theirs", "rewind 0 --id theirs", "diff 0 --id theirs"):
        assert "did not end here" in done.run(*words.split()).err, words
