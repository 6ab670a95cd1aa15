"""After the end: a person accepts or revokes a result, and completes a proof, in the record."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from loopwright.cleanroom.spare_files import SPARE_FOLDER
from loopwright.core.prompts.end_screen import end_screen
from loopwright.core.prompts.open_questions import open_questions
from loopwright.core.proof.clean_checkout import COULD_NOT_PREPARE, FINAL_TREE_RUN
from loopwright.drive.notify.person import notify_person
from loopwright.store.state_folder import room_store
from tests.drive.test_room_runs import FIXED, NAME, TESTS, begin, end
from tests.support.hook import block, stop
from tests.support.project import Project
from tests.torture.size import every

pytestmark = pytest.mark.room

WITHOUT_A_TEST = TESTS.partition("    def test_kind")[0]  # a test that would pass is deleted


def ends_as_reported(project) -> Project:
    here = begin(project)
    here.write({"parse.py": FIXED, "test_parse.py": WITHOUT_A_TEST})
    end(here)
    return here


def journal_of(here: Project) -> Path:
    return here.root / ".loop/history" / here.ended.id / "journal.jsonl"


def test_every_place_about_the_end_names_the_question_until_a_person_answers_it(
    project, own_terminal
) -> None:
    here = ends_as_reported(project)
    assert here.ended.verdict is not None
    assert here.ended.verdict.grade == "reported"
    listed = here.run("accept")
    assert listed.code == 0
    assert "has ended, reported" in listed.out
    assert "test deleted" in listed.out
    key = here.run("accept", "--json").json[-1]["key"]
    command, told = f"`loop accept {key}`", here.root / "told"
    notify_person(f'printf "%s" "$LOOP_WHY" > {told}', here.ended, str(here.root), print)
    assert command in told.read_text()
    assert command in end_screen(here.ended)
    assert command in here.run("report").out
    assert command in here.run("report", "--html").out
    assert command in listed.out
    before = journal_of(here).read_bytes()

    said = here.run("accept", "--all", "--yes")

    assert said.code == 0, said.err
    assert said.out.startswith("proven. "), "every run of the proof is recorded as passed"
    assert journal_of(here).read_bytes().startswith(before), "earlier lines stay as they are"
    assert "accepted by a person" in here.run("receipt").out
    assert here.run("audit").code == 0
    assert open_questions(here.ended) == ()
    assert "To decide" not in here.run("report").out

    revoked = here.run("accept", "--revoke")
    assert revoked.code == 10
    assert revoked.out.startswith("reported. ")
    assert "nothing was accepted after its end" in here.run("accept", "--revoke").err


@pytest.mark.parametrize("words", every(2, [("--all",), ()]), ids=every(2, ["all", "by its key"]))
def test_without_every_run_of_the_proof_it_is_accepted(project, own_terminal, words) -> None:
    here = begin(project, "--room", "off")
    here.write({"parse.py": FIXED, "conftest.py": "", ".env": "A=1\n", ".gitignore": ".env\n"})
    end(here)
    assert here.ended.verdict is not None
    assert here.ended.verdict.grade == "reported"
    keys = [] if words else [f["key"] for f in here.run("accept", "--json").json]

    said = here.run("accept", *words, *keys, "--yes")

    assert said.code == 10, said.err
    assert said.out == ("accepted. You took it as it is; no command shows all of it.\n")
    assert "**accepted**" in here.run("receipt").out
    assert here.run("accept", "--revoke").out.startswith("reported. ")


@pytest.mark.long
def test_a_result_that_only_guards_support_can_be_accepted_once(project, own_terminal) -> None:
    here = begin(project, check="python3 -c 'import parse'")
    here.write({"parse.py": FIXED})
    end(here)
    listed = here.run("accept").out
    assert "they guard it" in listed
    assert "KEY" not in listed, "there is none"
    assert "`loop accept --all`" in listed

    said = here.run("accept", "--all", "--yes")

    assert (said.code, said.out.partition(".")[0]) == (10, "accepted"), said.err
    assert "loop accept --revoke" in here.run("accept").out
    assert "nothing is open: you accepted it" in here.run("accept", "--all", "--yes").err
    assert here.run("accept", "--revoke").out.startswith("reported. ")


def test_a_question_about_the_word_of_an_agent_shows_what_to_read(project) -> None:
    here: Project = project({"a.py": "x = 1\n"})
    here.run("start", "write a page", "--criterion", "it reads well", "--yes", "--shape", "tool")
    here.write({"page.md": "text\n"})
    stop(here, block({"it reads well": True}, exit=True))

    (question,) = open_questions(here.ended)
    assert "Read the change (page.md, +1 −0 lines: git diff " in question.text
    command = question.text.partition("lines: ")[2].partition(")")[0]
    done = subprocess.run(command.split(), cwd=here.root, capture_output=True, check=True)
    assert done.stdout.endswith(b"+++ b/page.md\n@@ -0,0 +1 @@\n+text\n")


@pytest.mark.long
def test_the_word_of_an_agent_can_be_accepted_after_the_end(project, own_terminal) -> None:
    here: Project = project({"a.py": "x = 1\n"})
    here.run("start", "write a page", "--criterion", "it reads well", "--yes", "--shape", "tool")
    here.write({"page.md": "text\n"})
    stop(here, block({"it reads well": True}, exit=True))
    assert here.ended.verdict is not None
    assert here.ended.verdict.grade == "reported"
    assert "it reads well: no command has shown it" in here.run("accept").out

    said = here.run("accept", "--all", "--yes")

    assert said.code == 10, said.err
    assert said.out.startswith("accepted. You took it as it is")
    assert here.run("accept", "--revoke").out.startswith("reported. ")
    assert "no finding 'abc'" in here.run("accept", "abc", "--yes").err


def test_nothing_is_accepted_for_files_that_nobody_kept(project, own_terminal) -> None:
    here: Project = project({"a.py": "x = 1\n"}, git=False)
    here.run("start", "write a page", "--criterion", "it reads well", "--yes", "--shape", "tool")
    stop(here, block({"it reads well": True}, exit=True))
    here.write({"a.py": "x = 2\n"})

    said = here.run("accept", "--all", "--yes")

    assert said.code == 1
    assert "its final files were not kept, and those here have changed" in said.err


@pytest.mark.parametrize(
    ("ruling", "line"),
    every(
        2,
        [
            ("drop", "accepted. You took it as it is"),
            ("keep", "reported. The agent says so"),
        ],
    ),
)
def test_a_dispute_that_was_open_at_the_end_can_be_decided(
    project, own_terminal, ruling: str, line: str
) -> None:
    here = begin(project, "--criterion", "docs", "--room", "off")
    here.write({"parse.py": FIXED})
    docs = {"met": True, "verification": "observation", "evidence": "seen"}
    stop(here, block({NAME: True, "docs": docs}, "DISPUTE: docs: there are none", exit=True))
    assert here.ended.verdict is not None
    assert here.ended.verdict.why == "disputed and not decided: docs"
    assert "docs" in here.run("rule").out
    assert here.run("rule", NAME, ruling).code == 1, "it is not disputed"
    assert "Write: keep, or drop" in here.run("rule", "docs", "change", "true").err

    said = here.run("rule", "docs", ruling)

    assert (said.code, said.out.partition(";")[0]) == (10, line), said.err
    assert here.run("audit", "--json").json["problems"] == []


def test_a_run_that_could_not_be_prepared_is_made_later(project, own_terminal) -> None:
    here = begin(project, "--include", ".env", __gitignore=".env\n", __env="A=1\n")
    here.write({"parse.py": FIXED})
    saved = Path(room_store(here.loop, "files"))
    shutil.copytree(saved, saved.parent / "kept")
    (saved / ".env").write_text("A=2\n")
    shutil.rmtree(saved.parent / SPARE_FOLDER)  # the copy of the calibration would do
    end(here)
    assert [(run.kind, run.outcome) for run in here.ended.room.runs] == [
        (FINAL_TREE_RUN, COULD_NOT_PREPARE)
    ]
    shutil.rmtree(saved)
    (saved.parent / "kept").rename(saved)

    said = here.run("audit", "--finish")

    assert said.code == 0, said.out + said.err
    assert here.ended.verdict is not None
    assert (here.ended.verdict.name, here.ended.verdict.grade) == ("SHIP", "proven")
    assert not saved.exists()
    assert "no run of its proof is left" in here.run("audit", "--finish").err
    assert "nothing is open: it is proven" in here.run("accept", "--all", "--yes").err


def accept_in_a_terminal(here: Project, marker: dict[str, str]) -> int:
    """The exit code of `loop accept` in a process with a controlling terminal."""
    pid, screen = pty.fork()
    if not pid:
        os.chdir(here.root)
        words = [sys.executable, "-m", "loopwright.cli.main", "accept", "--all", "--yes"]
        os.execve(sys.executable, words, {**os.environ, **marker})
    try:
        while os.read(screen, 65536):
            pass
    except OSError:  # it has ended
        pass
    os.close(screen)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


@pytest.mark.skipif(os.name == "nt", reason="there are no such terminals")
def test_the_record_changes_only_in_a_terminal_of_the_person(project) -> None:
    here = ends_as_reported(project)
    before = journal_of(here).read_bytes()

    orders = (["accept", "--all", "--yes"], ["rule", NAME, "drop"], ["audit", "--finish"])
    for words in orders:
        said = subprocess.run(
            [sys.executable, "-m", "loopwright.cli.main", *words],
            cwd=here.root,
            start_new_session=True,  # without a controlling terminal
            capture_output=True,
            text=True,
            check=False,
        )
        assert said.returncode == 1
        assert "type it in a terminal of your own" in said.stderr, words
    assert accept_in_a_terminal(here, {"CLAUDECODE": "1"}) == 1
    assert journal_of(here).read_bytes() == before
    assert accept_in_a_terminal(here, {}) == 0
