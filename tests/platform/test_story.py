"""The whole way on a system without fcntl, posix, killpg and posix_spawn, told twice: here, and on Windows in disguise."""

from __future__ import annotations

import pytest

from loopwright.store import journal
from tests.platform.systems import START, System
from tests.support.project import Project


@pytest.mark.parametrize("git", [True, False], ids=["git", "no git"])
def test_a_false_done_is_held_and_a_true_one_is_proven(system: System, project, git: bool) -> None:
    here: Project = project(git=git)
    assert (
        system.loop(here, *START, "--check", "the flag is there=test -f flag && echo fine").code
        == 0
    )

    assert "the flag is there" in system.stop(here, "All done.\n<loop-complete>").prompt
    assert here.loop.status == "running"
    here.write({"flag": "x\n"})
    end = system.stop(here, "Now it is.\n<loop-complete>")

    assert end.prompt == ""
    assert "SHIP" in end.message
    assert here.ended.verdict is not None
    assert here.ended.verdict.proven
    assert here.ended.criteria[0].proof.detail == "fine"
    assert not here.folder.read_loop()


def test_it_is_paused_continued_and_cancelled(system: System, project) -> None:
    here: Project = project()
    system.loop(here, *START, "--criterion", "docs read well")

    assert system.loop(here, "pause").code == 0
    assert system.stop(here).prompt == ""
    assert system.loop(here, "continue").code == 0
    assert "docs read well" in system.stop(here, "Looked around.").prompt
    assert system.loop(here, "cancel").code == 0
    assert here.ended.status == "cancelled"
    assert system.stop(here).reply is None


def test_what_it_writes_is_the_same_everywhere(system: System, project) -> None:
    """Bytes as we made them: no \\r in the journal or the mirror, whose digest would no longer fit; no \\ in a name."""
    here: Project = project()
    system.loop(here, *START, "--check", "grün=echo 'prüfe ✓'; exit 1")
    system.stop(here, "Still at it.")

    files = [
        path
        for path in (here.root / ".loop").rglob("*")
        if path.is_file() and "objects" not in path.parts
    ]
    assert {"journal.jsonl", "state.json", "driver", "exclude", "HEAD"} <= {
        path.name for path in files
    }
    assert [
        path
        for path in files
        if not path.name.startswith(("index", "sharedindex", "kept")) and b"\r" in path.read_bytes()
    ] == []
    assert journal.read(here.folder.journal_path).mirror_digest == journal.digest(
        (here.root / ".loop/state.json").read_bytes()
    )
    proof = here.loop.criteria[0].proof
    assert proof.detail == "prüfe ✓"
    assert (here.root / ".loop" / proof.log).read_text(encoding="utf-8") == "prüfe ✓\n"
    assert proof.log.startswith("evidence/")


def test_started_there_and_finished_here(windows: System, project) -> None:
    here: Project = project()
    windows.loop(here, *START, "--criterion", "docs read well")

    assert "docs read well" in System(False).stop(here, "Looked around.").prompt
    assert "docs read well" in windows.stop(here, "Looked around again.").prompt
    assert here.loop.spend.iterations == 2


def test_the_runner_drives_a_scripted_agent(system: System, project) -> None:
    here: Project = project(
        {
            "readme.md": "x\n",
            "script.json": '{"turns": [{"write": {"flag": "x"}, "say": "<loop-complete>"}]}',
        }
    )
    system.loop(here, *START[:-2], "--check", "the flag is there=test -f flag")

    assert system.loop(here, "run", "--script", "script.json").code == 0
    assert here.ended.verdict.proven
