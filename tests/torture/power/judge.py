"""After the power came back: what is wrong with a project, in words; nothing where all is well."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

from loopwright.drive.records.audit import audit_loop
from loopwright.store import folder, holdouts, journal
from tests.support.hook import SESSION, answer_event, block, stop_event
from tests.support.project import Project
from tests.torture.size import FIGURES

MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None  # where no real disk is waited for
FILES = {"readme.md": "a project\n", "test_it.py": "def test_it():\n    assert 1 + 1 == 2\n"}
DONE = block({"done": True}, exit=True)
CHECK, WORK = (
    "echo looked; test -f work/done",
    ("sh", "-c", "mkdir -p work; echo >work/$0; sync work/$0 work"),
)
CHECKS = ("--check", f"done={CHECK}", "--holdout", f"hidden={CHECK}", "--session", SESSION)
CHECKS += (
    () if FIGURES else ("--room", "off")
)  # under strace, each process in a clean checkout is dear
LIFE = (  # of a loop, from its start to its proven end
    ("loop", "start", "fix all failing tests in readme.md", "--score", "9", "--yes", *CHECKS),
    *(
        ("stop", "I looked around."),
        ("work", "half"),
        ("stop", DONE),
        ("loop", "pause"),
        ("loop", "continue"),
    ),
    *(("work", "done"), ("stop", DONE)),
)
FALSE = (
    "as we left it",
    "not started here",
    "tamper",
    "edited",
    "Our own error",
    "doctor",
    "gone",
    "deleted",
)


def problems(here: Project, told: bytes, whole: bytes | None = None) -> Iterator[str]:
    """`told` is the journal as the person knows it, `whole` all that was ever written to it, where anybody knows."""
    was = found.read_bytes() if (found := journal_of(here)) else b""
    lines = was[: was.rfind(b"\n") + 1]
    if not was.startswith(told) or not (whole is None or whole.startswith(was)):
        yield f"{len(told.splitlines())} lines were acknowledged, {len(lines.splitlines())} are there, and maybe others"
    elif lines:
        try:
            with patch.object(folder, "boot_id", lambda: "another start of the machine"):
                yield from _continue_problems(here, lines)
        except Exception as error:
            yield repr(error)


def _continue_problems(here: Project, lines: bytes) -> Iterator[str]:
    for lock in here.root.rglob("*.lock"):
        os.utime(lock, (0, 0))  # a machine takes its time to start
    loop = journal.read(str(journal_of(here))).loop
    status, done = loop.status, (here.root / "work/done").exists()
    if any(holdouts.load_check(loop.id, c) is None for c in loop.final_checks):
        yield "a held-out check is lost"
    said = str(answer_event(stop_event(here, DONE), str(here.root), "claude"))
    if any(word in said for word in FALSE):
        yield f"the next Stop says {said}"
    after, loop = (
        (path := Path(str(journal_of(here)))).read_bytes(),
        journal.read(str(journal_of(here))).loop,
    )
    if not after.startswith(lines) or (status == "running" and after == lines):
        yield f"the loop does not go on: {said}"
    if status == "running" and (loop.status == "finished", bool(loop.tree)) != (done, True):
        yield f"done is {done}, the loop {loop.status} on the tree {loop.tree!r}: {loop.pause.why} {said}"
    verdict = loop.verdict and (
        loop.verdict.proven or "files written" in loop.verdict.why
    )  # by us, when a replay was laid
    if loop.status == "finished" and not (done and verdict):
        yield f"done is {done}, the verdict {loop.verdict}"
    found = audit_loop(here.folder, str(path), "", lambda _: None)
    looked = (
        found.holds or loop.status != "finished" or loop.baseline.tree_id.startswith("copy:")
    )  # (no tree is kept without git)
    if any("torn" not in why for why in found.problems) or not looked:
        yield f"the audit says {found}"


def journal_of(here: Project) -> Path | None:
    active = Path(here.folder.journal_path)
    return (
        active
        if active.exists()
        else next((Path(here.folder.path) / "history").glob("*/journal.jsonl"), None)
    )
