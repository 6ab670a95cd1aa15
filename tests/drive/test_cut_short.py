"""What a start or a git that was killed leaves behind: the next one goes on as if it had not been."""

from __future__ import annotations

import os
import time
from pathlib import Path

from loopwright.drive.start import measure
from loopwright.store import holdouts
from tests.support.builders import a_loop
from tests.support.door import SESSION, stop


def test_a_start_that_was_killed_before_the_mirror_is_no_mirror_deleted_by_hand(project) -> None:
    here = project()
    here.start("--session", SESSION)
    (here.root / ".loop/state.json").unlink()
    name, place, head, _, *rest = Path(here.folder.record).read_text().split("\n")
    Path(here.folder.record).write_text("\n".join([name, place, head, "-" * len(head), *rest]))

    assert stop(here).prompt.startswith("unmet criteria")
    assert here.loop.status == "running"
    assert here.state["spec"] == here.loop.spec


def test_a_start_that_was_killed_leaves_no_tree_and_no_held_out_command_for_good(project) -> None:
    here = project()
    os.mkdir(here.folder.path)
    measure(a_loop(id="never-came"), here.folder)
    holdouts.keep("never-came", {"more": "true"})
    assert "refs/loop/never-came/0" in here.git("for-each-ref")
    here.start()

    assert "never-came" not in here.git("for-each-ref")
    assert not os.path.exists(holdouts.place("never-came"))
    assert f"refs/loop/{here.loop.id}/0" in here.git("for-each-ref")


def test_a_git_that_was_killed_keeps_no_other_from_the_tree(project) -> None:
    """Its lock lay there for good: no result was kept from one stop to the next, and no iteration to go back to."""
    here = project()
    here.start("--session", SESSION)
    here.write({"readme.md": "changed\n"})
    for lock in (".loop/tree/index.lock", ".loop/tree/kept.lock", f".git/refs/loop/{here.loop.id}/1.lock"):
        here.write({lock: ""})
        os.utime(here.root / lock, (time.time() - 600,) * 2)
    stop(here)

    assert here.loop.tree
    assert f"refs/loop/{here.loop.id}/1" in here.git("for-each-ref")
    assert not [path for path in here.root.rglob("*.lock") if path.parent.name != ".loop"]
