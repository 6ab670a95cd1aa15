"""Files of a loop that disappear, and conditions under which the hook was silent: one line is said, nothing is lost."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from loopwright.cli import exits
from loopwright.disk.user_folders import state_home
from loopwright.plugin import build
from loopwright.store import second_copy
from tests.support.hook import (
    HOOK_SCRIPT,
    OTHER,
    SESSION,
    SOURCE,
    prompts,
    session_starts,
    stop,
    stop_event,
    types,
)
from tests.support.project import Project
from tests.support.runner import DONE, script

GATE = str(SOURCE.parents[1] / "plugins/claude/vendor/loopwright/hook/gate.sh")
SHELL = str(shutil.which("sh"))


@pytest.fixture
def one_turn_project(project) -> Project:
    made = project({"readme.md": "x\n", "src/deep/a.py": "a = 1\n"})
    made.start("--check", "done=test -e done.txt", "--session", SESSION)
    stop(made, "I look around.")
    return made


def clean(here: Project) -> None:
    here.git("clean", "-fdxq")
    assert not (here.root / ".loop").exists()


def stash(here: Project) -> None:
    here.git("stash", "--all", "-q")
    assert not (here.root / ".loop").exists()


def switch_branch(here: Project) -> None:
    here.git("branch", "other")
    here.git("add", "-f", ".loop")
    here.git("commit", "-qm", "the loop too")
    here.git("checkout", "-q", "other")
    assert not (here.root / ".loop/journal.jsonl").exists()


LOSSES = {"git clean": clean, "git stash": stash, "another branch": switch_branch}


@pytest.mark.parametrize("loss", LOSSES)
def test_a_loop_that_git_took_away_is_named_once_and_restored(
    one_turn_project: Project, loss: str
) -> None:
    before = one_turn_project.loop
    LOSSES[loss](one_turn_project)

    first, second = stop(one_turn_project, "Done."), stop(one_turn_project, "Done.")
    assert first.prompt == ""
    assert "Nothing is lost. Put it back: `loop restore`" in first.message
    assert first.message.count("\n") == 0
    assert second.reply is None

    said = one_turn_project.run("restore")
    assert (said.code, f"Restored: loop {before.id}, running." in said.out) == (0, True)
    assert one_turn_project.loop == before
    assert "unmet criteria: done" in stop(one_turn_project, "Going on.").prompt
    one_turn_project.write({"done.txt": ""})
    assert one_turn_project.loop.status == "running"


@pytest.mark.parametrize("says", [session_starts, lambda here: prompts(here, "go on")])
def test_a_session_and_a_prompt_name_it_too(one_turn_project: Project, says) -> None:
    clean(one_turn_project)

    assert "is gone from" in says(one_turn_project).message


def test_below_the_folder_and_through_a_link_it_is_named(
    one_turn_project: Project, tmp_path: Path
) -> None:
    clean(one_turn_project)
    (tmp_path / "link").symlink_to(one_turn_project.root)

    assert "is gone from" in stop(tmp_path / "link/src/deep").message


def test_status_and_start_name_it_and_forget_drops_it(one_turn_project: Project) -> None:
    loop_id = one_turn_project.loop.id
    clean(one_turn_project)

    for words in (["status"], ["why"], ["start", "make the tests pass", "--yes"]):
        said = one_turn_project.run(*words, at="src/deep")
        assert (said.code, "Put it back: `loop restore`" in said.err) == (1, True), words
    assert "is gone from" in one_turn_project.run("doctor").out
    assert one_turn_project.run("forget").code == exits.WAITS
    assert f"Forgotten: {loop_id}" in one_turn_project.run("forget", "--yes").out
    assert stop(one_turn_project).reply is None
    assert one_turn_project.run("restore").code == 1
    one_turn_project.start("--criterion", "docs read well")


def test_start_with_replace_takes_the_place_of_a_lost_loop(one_turn_project: Project) -> None:
    lost = one_turn_project.loop.id
    clean(one_turn_project)
    one_turn_project.start("--criterion", "docs read well", "--replace")

    assert one_turn_project.loop.id != lost
    assert not second_copy.has_second_copy(lost)


def test_in_a_session_the_person_types_restore_or_forget(one_turn_project: Project) -> None:
    before = one_turn_project.loop.id
    clean(one_turn_project)

    assert "`/loop:restore`" in types(one_turn_project, "/loop:status", CLAUDE_PLUGIN_ROOT="/p").out
    assert f"Restored: loop {before}" in types(one_turn_project, "/loop:restore").out
    assert "can be read" in types(one_turn_project, "/loop:restore").out
    clean(one_turn_project)
    assert f"Forgotten: {before}" in types(one_turn_project, "/loop:forget").out
    assert "No loop here" in types(one_turn_project, "/loop:status").out


def test_what_the_stash_gives_back_is_the_same_loop(one_turn_project: Project) -> None:
    stash(one_turn_project)
    stop(one_turn_project, "Done.")
    one_turn_project.git("stash", "pop", "-q")

    assert "unmet criteria: done" in stop(one_turn_project, "Going on.").prompt
    journal = one_turn_project.folder.journal_path
    assert os.path.samefile(journal, second_copy.link_path(one_turn_project.loop.id))
    stash(one_turn_project)
    assert "is gone from" in stop(one_turn_project).message, "a second loss is said again"


def test_a_loop_that_has_ended_leaves_nothing_outside_and_is_not_missed(
    one_turn_project: Project,
) -> None:
    one_turn_project.run("cancel")
    shutil.rmtree(one_turn_project.root / ".loop")
    state = Path(os.environ["XDG_STATE_HOME"], "loopwright")

    assert stop(one_turn_project).reply is None
    assert list((state / "active").rglob("*")) == []
    assert list((state / "journals").iterdir()) == []


def test_without_hard_links_the_copy_is_complete(one_turn_project: Project, monkeypatch) -> None:
    before = one_turn_project.loop
    os.remove(second_copy.link_path(before.id))
    clean(one_turn_project)
    monkeypatch.setattr(os, "link", lambda *_: (_ for _ in ()).throw(OSError(18, "no links")))

    assert one_turn_project.run("restore").code == 0
    assert one_turn_project.loop == before
    assert not os.path.exists(second_copy.link_path(before.id))
    one_turn_project.run("pause")
    copy = Path(second_copy.copy_path(before.id)).read_bytes()
    assert copy == Path(one_turn_project.folder.journal_path).read_bytes()


# --- the folder moves ---


def test_a_folder_that_was_moved_keeps_its_loop_and_says_so_once(one_turn_project: Project) -> None:
    before = one_turn_project.loop.id
    old = one_turn_project.root
    one_turn_project.root = old.rename(old.with_name("moved here"))

    first, second = stop(one_turn_project, "Going on."), stop(one_turn_project, "Going on.")
    assert f"moved here from {old}: the loop continues" in first.message
    assert "unmet criteria: done" in first.prompt
    assert "moved" not in second.message
    assert one_turn_project.loop.id == before


def test_the_command_line_follows_a_moved_folder_too(one_turn_project: Project) -> None:
    old = one_turn_project.root
    one_turn_project.root = old.rename(old.with_name("moved here"))

    said, again = one_turn_project.run("status"), one_turn_project.run("status")
    assert (said.code, "the loop continues" in said.err) == (0, True)
    assert (again.code, again.err) == (0, "")


def test_a_session_that_still_names_the_old_folder_is_told(one_turn_project: Project) -> None:
    old = one_turn_project.root
    one_turn_project.root = old.rename(old.with_name("moved here"))

    assert f"{old} is gone" in stop(old).message


def test_a_copy_of_the_folder_stays_inert(one_turn_project: Project, tmp_path: Path) -> None:
    shutil.copytree(one_turn_project.root, tmp_path / "copy")
    shutil.rmtree(one_turn_project.root)

    assert stop(tmp_path / "copy").reply is None


# --- our own record is gone ---


def test_a_state_folder_that_was_wiped_is_told_once_and_allow_continues_the_loop(
    one_turn_project: Project,
) -> None:
    shutil.rmtree(state_home())

    first, second = stop(one_turn_project, "hm"), stop(one_turn_project, "hm again")
    assert (first.prompt, second.reply) == ("", None)
    assert "`loop allow`" in first.message
    assert "\n" not in first.message

    assert one_turn_project.run("allow", "--yes").code == 0
    assert stop(one_turn_project, "and on").prompt
    shutil.rmtree(state_home())
    assert "`loop allow`" in prompts(one_turn_project, "hello").message, "a second loss is told too"


def test_a_record_that_is_gone_is_told_to_no_other_session(one_turn_project: Project) -> None:
    shutil.rmtree(state_home())

    assert stop(one_turn_project, session=OTHER).reply is None


# --- the journal is destroyed ---


@pytest.mark.parametrize("how", ["overwritten in place", "replaced by another file"])
def test_a_destroyed_journal_is_set_aside_and_its_copy_restored(
    one_turn_project: Project, how: str
) -> None:
    before = one_turn_project.loop
    path = Path(one_turn_project.folder.journal_path)
    if how.startswith("replaced"):
        path.unlink()
    path.write_text("not a journal\nnor this\n")

    assert "`loop doctor`" in stop(one_turn_project).message
    for command in ("status", "continue", "cancel"):
        said = one_turn_project.run(command)
        assert (said.code, "loop doctor --fix" in said.err) == (1, True), command
    said = one_turn_project.run("doctor")
    assert f"✗ {path}: " in said.out
    assert "loop doctor --fix" in said.out
    assert path.read_text() == "not a journal\nnor this\n"

    said = one_turn_project.run("doctor", "--fix")
    assert "kept as .loop/aside/journal.jsonl" in said.err
    assert one_turn_project.loop == before
    assert (
        one_turn_project.root / ".loop/aside/journal.jsonl"
    ).read_text() == "not a journal\nnor this\n"
    assert "unmet criteria: done" in stop(one_turn_project, "Going on.").prompt


def test_without_a_second_copy_the_journal_is_set_aside_and_a_start_works(
    one_turn_project: Project,
) -> None:
    Path(one_turn_project.folder.journal_path).write_text("not a journal\n")
    os.remove(
        second_copy.copy_path(
            json.loads((one_turn_project.root / ".loop/state.json").read_text())["id"]
        )
    )

    assert "no second copy" in one_turn_project.run("doctor").out
    assert "Start again" in one_turn_project.run("doctor", "--fix").err
    one_turn_project.start("--criterion", "docs read well")


# --- what a hook is given ---


def run_on(stdin: int, here: Project, at: str = "") -> str:
    done = subprocess.run(
        [sys.executable, "-I", "-S", HOOK_SCRIPT, "claude"],
        stdin=stdin,
        cwd=here.root / at,
        capture_output=True,
        timeout=600,
        check=True,
    )
    return done.stdout.decode()


def gate_on(stdin: int, here: Project) -> str:
    done = subprocess.run(
        [SHELL, GATE, "Stop"], stdin=stdin, cwd=here.root, capture_output=True, check=True
    )
    return done.stdout.decode()


def test_an_input_that_cannot_be_read_is_said_and_the_loop_is_kept(
    one_turn_project: Project,
) -> None:
    before = one_turn_project.loop
    unreadable = os.open(os.devnull, os.O_WRONLY)
    folder = os.open("/", os.O_RDONLY)
    try:
        said = [run_on(unreadable, one_turn_project, "src/deep"), gate_on(folder, one_turn_project)]
    finally:
        os.close(unreadable)
        os.close(folder)

    for answer in said:
        assert "could not be read from stdin" in json.loads(answer)["systemMessage"]
    assert one_turn_project.loop == before


def test_an_input_that_is_cut_off_is_said(one_turn_project: Project) -> None:
    half = json.dumps(stop_event(one_turn_project)).encode()[:-20]
    done = subprocess.run(
        [sys.executable, "-I", "-S", HOOK_SCRIPT, "claude"],
        input=half,
        cwd="/",
        capture_output=True,
        check=True,
    )

    assert b"could not be read from stdin" in done.stdout


def test_where_no_loop_is_an_unreadable_input_is_no_news(project) -> None:
    assert run_on(subprocess.DEVNULL, project()) == ""


# --- home ---


def through_gate(here: Project, **env: str | None) -> str:
    inside = {**os.environ, **env}
    done = subprocess.run(
        [SHELL, GATE, "Stop"],
        input=json.dumps(stop_event(here, "Hm.")).encode(),
        cwd=here.root,
        env={name: value for name, value in inside.items() if value is not None},
        capture_output=True,
        check=False,
    )
    assert done.stderr == b""
    return done.stdout.decode()


def test_a_home_that_is_not_normalised_hides_no_loop(one_turn_project: Project) -> None:
    home = f"{one_turn_project.root}/../elsewhere"
    Path(home).mkdir()

    assert "unmet criteria" in stop(one_turn_project, "Hm.", HOME=home).prompt
    assert "[LOOP]" in through_gate(one_turn_project, HOME=home)
    assert one_turn_project.run("status", HOME=home).code == 0


def test_without_a_home_the_user_database_says_it(one_turn_project: Project) -> None:
    assert "unmet criteria" in through_gate(one_turn_project, HOME=None)
    program = (
        "import os, pwd; os.environ.pop('HOME'); from loopwright.disk.user_folders import *;"
        "assert home_folder() == pwd.getpwuid(os.getuid()).pw_dir;"
        "os.environ['HOME'] = 'relative'; assert home_folder() == pwd.getpwuid(os.getuid()).pw_dir;"
        "pwd.getpwuid = lambda _: {}[0]\n"
        "try: home_folder()\n"
        "except NoHomeFolder as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert b"Set HOME to your home folder" in done.stdout


def test_where_nobody_says_the_home_the_command_refuses(
    one_turn_project: Project, monkeypatch
) -> None:
    monkeypatch.setattr("pwd.getpwuid", lambda _: {}[0])
    monkeypatch.delenv("XDG_STATE_HOME")
    said = one_turn_project.run("status", HOME="~")

    assert (said.code, "Set HOME to your home folder" in said.err) == (1, True)
    assert not (one_turn_project.root / "~").exists()


# --- the gate and the plugin ---


def test_the_gate_passes_a_lost_loop_on_and_nothing_else(
    one_turn_project: Project, project
) -> None:
    clean(one_turn_project)
    other = project()

    assert "is gone from" in through_gate(one_turn_project)
    assert through_gate(other, PATH="/nowhere") == "", "no program is started"


def test_where_the_files_of_the_plugin_are_gone_the_person_is_told(
    one_turn_project: Project, tmp_path: Path, project
) -> None:
    files = build.plugin_files(exits.MEANINGS)["hooks/hooks.json"]
    table = json.loads(files)["hooks"]
    line = table["Stop"][0]["hooks"][0]["command"]
    for name in ("ROOT", "DATA"):
        line = line.replace(f"${{CLAUDE_PLUGIN_{name}}}", str(tmp_path / "gone"))

    def fire(where: Project) -> bytes:
        argv = ["sh", "-c", line]
        return subprocess.run(argv, cwd=where.root, capture_output=True, check=True).stdout

    assert "not held. Nothing is lost" in json.loads(fire(one_turn_project))["systemMessage"]
    assert fire(project()) == b""


# --- a runner ---


def test_a_runner_restores_the_loop_that_its_agent_removed_and_finishes(project) -> None:
    here = project()
    here.start("--check", "done=test -e done.txt")
    turns = ({"run": ["git clean -fdxq"], "say": "I cleaned up."}, DONE)
    said = here.run("run", "--script", script(here, *turns), "--plain")

    assert said.code == 0, said.err
    assert said.out.count("It is restored") == 1
    assert (here.ended.status, here.ended.spend.iterations) == ("finished", 2)


def test_the_page_of_a_discovery_loop_comes_back_too(project) -> None:
    here = project()
    here.run("start", "--preset", "generic", "polish it", "--check", "fine=true", "--yes")
    here.run("backlog", "add", "rename the parser")
    here.git("clean", "-fdxq")

    assert here.run("restore").code == 0
    page = (here.root / ".claude/loop-state.local.md").read_text()
    assert "rename the parser" in page
    stop(here, "nothing yet")
    assert here.loop.status == "running"
