"""Every hostile repository is looked at, lived in and started in. None of its commands runs, none of its words reach a model."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest

from tests.support.hook import Transcript, event, run_hook, says, stop
from tests.support.project import Project
from tests.torture.conftest import Figure
from tests.torture.size import FIGURES, every

from .planting import FILES, HOSTILE_WORDS, Hostile, HostileCheckout
from .repositories import REPOSITORIES

LOOKS = (
    "status",
    "why",
    "doctor",
    "report",
    "history",
    "receipt",
    "rewind 0",
    "diff 0",
    "audit",
    "statusline",
    "plan lint",
)
AGAIN = (
    "status",
    "doctor",
    "report",
    "rewind 0",
    "diff 0",
    "receipt",
    "cancel",
    "audit",
    "plan show",
)
AGENTS = ("status", "why", "task", "backlog", "receipt", "diff 0")
OURS = (
    ".loop",
    ".claude",
    ".gsd",
    ".git",
    "store",
    "app.py",
)  # in the project; "store" is a .git by another name
NAMES = list(REPOSITORIES)
VISITED = [name for name in every(8, NAMES) if FIGURES or name != "a huge journal"]
PARTS = [VISITED[n::7] for n in range(min(7, len(VISITED)))]


@pytest.mark.parametrize("names", PARTS, ids=lambda names: names[0])
def test_nothing_of_a_hostile_repository_runs_speaks_or_writes(
    names: list[str], tmp_path: Path, figure: Figure
) -> None:
    first = Project(tmp_path / "first", FILES)
    bad: list[str] = []
    for name in names:
        place = tmp_path / str(NAMES.index(name))
        shutil.copytree(first.root, place / "project")
        bad += [f"{name}: {what}" for what in visited(grounded(place), REPOSITORIES[name])]
    figure("untrusted repository", of=len(names), bad=bad)


def grounded(place: Path) -> HostileCheckout:
    (place / "away/.ssh").mkdir(parents=True)
    (place / "away/secret").write_text(f"- [ ] {HOSTILE_WORDS}\n")
    os.link(place / "away/secret", place / "away/.ssh/keys")
    (place / "trip").write_text(f'#!/bin/sh\necho "$0 $*" >> {place}/tripped\n')
    (place / "trip").chmod(0o755)
    return HostileCheckout(
        Project(place / "project", FILES, git=False), str(place / "trip"), place / "away"
    )


def visited(ground: HostileCheckout, hostile: Hostile) -> list[str]:
    """What went wrong: commands that ran, words that were heard, files that are not what they were."""
    place, here = ground.away.parent, ground.here
    hostile.plant(ground)
    if hostile.committed:
        here.git("add", "-A", "-f")
        here.git("commit", "-qm", "clone me")
    (place / "tripped").unlink(missing_ok=True)  # git itself may have run it while we planted
    before = seen(place)
    told = {
        "transcript_path": str(
            Transcript(place / "transcript.jsonl", at=1.0).assistant(says("hello")).path
        )
    }
    told |= {"source": "startup", "prompt": "hello"}
    heard = [
        run_hook(event(name, here.root / hostile.at, **told)).out
        for name in ("SessionStart", "UserPromptSubmit", "Stop")
    ]
    heard += [here.run(*line.split(), at=hostile.at, CLAUDECODE="1").out for line in AGENTS]
    errors = [here.run(*line.split(), at=hostile.at).err for line in LOOKS]
    found = [f"{HOSTILE_WORDS} was told: {text[:200]}" for text in heard if HOSTILE_WORDS in text]
    found += [f"looking changed {path}" for path in differing(before, seen(place))]
    said = here.run("start", *hostile.start, "--yes", at=hostile.at)
    if said.code == 0:
        heard = [stop(here.root, "I am done.", **told).out]
        if FIGURES:
            here.run(
                "run",
                "--attach",
                "--yes",
                "--agent-command",
                f"sh -c 'cat >> {place}/prompt; echo x >> app.py'",
            )
            heard.append((place / "prompt").read_text() if (place / "prompt").exists() else "")
        errors += [here.run(*line.split(), at=hostile.at).err for line in AGAIN]
        if HOSTILE_WORDS not in said.out:  # what the person saw and started is theirs
            found += [
                f"{HOSTILE_WORDS} was told to a loop that never heard of it"
                for text in heard
                if HOSTILE_WORDS in text
            ]
    found += [
        f"crashed: {text}"
        for text in (*heard, *errors)
        if "Our own error" in text or "loop-crash" in text
    ]
    found += [
        f"ran: {line}"
        for line in (
            (place / "tripped").read_text() if (place / "tripped").exists() else ""
        ).splitlines()
    ]
    outside = [
        path
        for path in differing(before, seen(place))
        if not path.startswith(tuple(f"project/{name}" for name in OURS))
    ]
    return found + [f"changed {path}" for path in outside]


def seen(place: Path) -> dict[str, tuple[int, int, str]]:
    """Every file here and outside: its mode, its size, where it leads to."""
    found = {}
    for path in (
        p for base in ("project", "away") for p in (place / base, *(place / base).rglob("*"))
    ):
        mode = path.lstat()
        size = mode.st_size if stat.S_ISREG(mode.st_mode) else 0
        found[str(path.relative_to(place))] = (
            mode.st_mode,
            size,
            os.readlink(path) if path.is_symlink() else "",
        )
    return found


def differing(
    one: dict[str, tuple[int, int, str]], other: dict[str, tuple[int, int, str]]
) -> list[str]:
    return sorted(path for path in {*one, *other} if one.get(path) != other.get(path))
