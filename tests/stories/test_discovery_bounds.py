"""Idle and dry: a loop that improves pauses when nothing moves any longer, and ends when nothing more is found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.discovery import AGENT, PAGE, archives, edit, start_discovery
from tests.support.hook import Transcript, says, stop
from tests.support.project import Project
from tests.torture.size import every

IDLE = "⚠️ Idle streak:"


@pytest.fixture
def dirty(project) -> Project:
    """A project where two files are dirty, and stay so."""
    here: Project = project({"readme.md": "a project\n"})
    here.write(
        {"readme.md": "a project, edited and never committed\n", "stale.txt": "never added\n"}
    )
    return here


@pytest.fixture
def dirty_discovery_project(dirty: Project) -> Project:
    """With two items: it is not asked to explore."""
    return start_discovery(dirty, "--tasks", "mend the links; name the flags")


# --- idle ---


def test_s2_a_stale_dirty_file_that_never_changes_is_no_work(
    dirty_discovery_project: Project,
) -> None:
    """Warned from the second idle turn on; at the fifth paused, said once; then silence."""
    assert [IDLE in stop(dirty_discovery_project, "hm").prompt for _ in range(4)] == [
        False,
        True,
        True,
        True,
    ]

    said = stop(dirty_discovery_project, "hm").reply
    assert said is not None
    assert set(said) == {"systemMessage"}, "told to the person, not by one more turn of the agent"
    assert said["systemMessage"].startswith(
        "[LOOP] ⏸ Paused: 5 idle turns: no file, commit, backlog item, focus or note"
    )
    assert (
        "Scope was: polish the settings page\nFinal stats: 2 found, 0 fixed, 2 open | 5 iterations"
        in said["systemMessage"]
    )
    assert [stop(dirty_discovery_project, "hm").reply for _ in range(2)] == [None, None]
    assert dirty_discovery_project.run("status", "--exit-code").code == 4
    assert len(archives(dirty_discovery_project)) == 1, "a copy"
    assert (dirty_discovery_project.root / PAGE).exists(), (
        "and the page itself, for the loop may go on"
    )


def note(here: Project) -> None:
    assert here.run("backlog", "note", "the flags live in cli.py", **AGENT).code == 0


SIGNS_OF_LIFE: dict[str, Callable[[Project], object]] = {
    "a commit that changes no file": lambda here: here.git(
        "commit", "-qm", "so far", "--allow-empty"
    ),
    "a commit of the dirty file": lambda here: here.git("commit", "-qam", "so far"),
    "a staged file": lambda here: here.git("add", "stale.txt"),
    "a new file": lambda here: here.write({"new.md": "new\n"}),
    "a file with other content of the same size": lambda here: here.write(
        {"stale.txt": "never addex\n"}
    ),
    "a file deleted": lambda here: (here.root / "stale.txt").unlink(),
    "a note by command": note,
    "an item by command": lambda here: here.run("backlog", "add", "a dead link", **AGENT),
    "a note in the page": lambda here: edit(
        here, "## Notes\n", "## Notes\n\nAsk Anna about the logo.\n"
    ),
    "an item in the page": lambda here: edit(
        here, "- name the flags", "- name the flags\n- a dead link"
    ),
    "a focus in the page": lambda here: edit(here, "(What is worked on now.)", "the changelog"),
    "an item ticked in the page": lambda here: edit(
        here, "- name the flags", "- [x] name the flags"
    ),
    "an item taken out of the page": lambda here: edit(here, "- name the flags\n", ""),
    "another order in the page": lambda here: edit(
        here, "- mend the links\n- name the flags", "- name the flags\n- mend the links"
    ),
}


@pytest.mark.parametrize("name", every(3, list(SIGNS_OF_LIFE)))
def test_s1_s2_s3_whatever_was_done_is_no_idle_turn(
    dirty_discovery_project: Project, name: str
) -> None:
    """The hook runs elsewhere (S3), and holds the turn against the previous Stop, not against its own copy (S1)."""
    stop(dirty_discovery_project, "hm")
    assert IDLE in stop(dirty_discovery_project, "hm").prompt
    SIGNS_OF_LIFE[name](dirty_discovery_project)

    told = stop(dirty_discovery_project, "now I did something").prompt

    assert IDLE not in told
    assert dirty_discovery_project.loop.streak.idle == 0
    stop(dirty_discovery_project, "hm")
    assert dirty_discovery_project.loop.streak.idle == 1, "it counts once"


def test_a_comment_in_the_page_or_a_touched_file_is_no_work(
    dirty_discovery_project: Project,
) -> None:
    stop(dirty_discovery_project, "hm")
    edit(dirty_discovery_project, "- name the flags", "- name the flags <!-- really? -->")
    (dirty_discovery_project.root / "stale.txt").touch()

    assert IDLE in stop(dirty_discovery_project, "hm").prompt


# --- dry ---


def test_s6_three_explorations_that_find_nothing_end_it_once_and_not_by_a_block(dirty) -> None:
    here = start_discovery(dirty, "--check", "docs build=true")
    assert "(found nothing 1 of 3 times)" in stop(here, "Nothing.").prompt
    assert "(found nothing 2 of 3 times)" in stop(here, "Nothing.").prompt

    said = stop(here, "Nothing.").reply

    assert said is not None
    assert set(said) == {"systemMessage"}
    lines = said["systemMessage"].splitlines()
    assert lines[:4] == [
        "[LOOP] ✓ Finished: 3 explorations in a row found nothing more to do.",
        "Scope was: polish the settings page",
        "Final stats: 0 found, 0 fixed, 0 open | 3 iterations, $0.00",
        "Guards: docs build ✓",
    ]
    assert "SHIP" in lines[4]
    assert stop(here, "Anything else?").reply is None
    assert not (here.root / PAGE).exists()
    assert "exploration_streak: 3" in archives(here)[0]


def test_s4_s31_the_tag_quoted_by_anybody_is_no_end_of_a_cycle(
    dirty_discovery_project: Project, tmp_path: Path
) -> None:
    """In the original the command's own text in the transcript made every turn an exploration."""
    script = Transcript(tmp_path / "t.jsonl")
    script.user(
        {"type": "text", "text": "End with <cycle_complete>\ndone: <item>\n</cycle_complete>"}
    )
    script.assistant(says("I work on it."))

    for text in (
        "I work on it.",
        "```\n<cycle_complete>\ndone: name the flags\n</cycle_complete>\n```",
        "Soon: `<cycle_complete>`",
    ):
        told = stop(dirty_discovery_project, text, transcript_path=str(script.path)).prompt
        assert "🎯 Go on with: mend the links" in told
    assert dirty_discovery_project.loop.backlog.done == ()
