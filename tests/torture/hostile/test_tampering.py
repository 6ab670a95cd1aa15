"""Seeded edits of what we remember: each is reported, and none makes a loop proven."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from loopwright.store.archive import seal_path
from loopwright.store.history import ended_loops
from tests.cheats.world import DONE, FILES, NAME
from tests.store.test_chain import refit
from tests.support.hook import answer_event, stop_event
from tests.support.project import Project
from tests.torture.conftest import Figure
from tests.torture.size import chunks

Lines = list[bytes]
FORGED = ((b'"passed":false', b'"passed":true'), (b'"code":1', b'"code":0'), (b'"at":1', b'"at":2'))


def edited(lines: Lines, rng: random.Random) -> Lines:
    n = rng.randrange(len(lines))
    at = rng.randrange(len(lines[n]) - 1)
    return [
        *lines[:n],
        lines[n][:at] + bytes([lines[n][at] ^ 1 << rng.randrange(7)]) + lines[n][at + 1 :],
        *lines[n + 1 :],
    ]


OPERATIONS: dict[str, Callable[[Lines, random.Random], Lines]] = {
    "edited": edited,
    "forged": lambda lines, rng: refit([line.replace(*FORGED[rng.randrange(3)]) for line in lines]),
    "cut off": lambda lines, rng: lines[: rng.randrange(len(lines))],
    "torn": lambda lines, rng: [b"".join(lines)[: -rng.randrange(2, 200)]],
    "inserted": lambda lines, rng: [
        *lines[: (n := rng.randrange(len(lines) + 1))],
        rng.choice(lines),
        *lines[n:],
    ],
    "swapped": lambda lines, rng: rng.sample(lines, len(lines)),
    "left out": lambda lines, rng: [
        *lines[: (n := rng.randrange(len(lines) - 1))],
        *lines[n + 1 :],
    ],
    "replayed": lambda lines, rng: refit([*lines, *lines[rng.randrange(1, len(lines)) :]]),
}


@pytest.mark.parametrize("seeds", chunks(25, 2_000, 100), ids=lambda seeds: str(seeds.start))
def test_an_edit_is_reported_and_proves_nothing(
    seeds: range, project: Callable[..., Project], figure: Figure
) -> None:
    here = project(FILES, git=False)
    bad: list[str] = []
    for end in ("cancel", "status"):  # one loop has ended, one runs; in both a check has failed
        here.run("start", "fix all failing tests", "--check", f"{NAME}=false", "--yes")
        for n in range(9):
            here.write({"parse.py": f"x = {n}\n"})
            answer_event(stop_event(here, DONE if n < 2 else "not yet"), str(here.root), "claude")
        here.run(end)
    state, kept = Path(os.environ["XDG_STATE_HOME"]), here.root.parent / "kept"
    for seed in seeds:
        shutil.copytree(here.root / ".loop", kept / "loop")
        shutil.copytree(state, kept / "state")
        bad += [f"seed {seed}: {what}" for what in tampered(here, random.Random(seed))]
        for place, name in ((here.root / ".loop", "loop"), (state, "state")):
            shutil.rmtree(place)
            shutil.move(kept / name, place)
    figure("tampering", of=len(seeds), bad=bad)


def tampered(here: Project, rng: random.Random) -> list[str]:
    """One edit, and what is not said of it."""
    ended, active = here.ended.id, rng.random() < 0.5
    base = here.root / ".loop" if active else here.root / ".loop/history" / ended
    note = Path(here.folder.note_path if active else seal_path(ended))
    path = rng.choice(
        [base / "journal.jsonl"] * 4 + [rng.choice(sorted((base / "evidence").iterdir())), note]
    )
    before, name = path.read_bytes(), rng.choice(list(OPERATIONS))
    if path.name == "journal.jsonl":
        path.write_bytes(b"".join(OPERATIONS[name](before.splitlines(keepends=True), rng)))
    elif rng.random() < 0.3:
        path.unlink()
    else:
        path.write_bytes(
            before.translate(bytes.maketrans(b"0123456789abcdef", b"123456789abcdef0"))
        )
    if path.exists() and path.read_bytes() == before:
        return []
    said = here.run("audit", *([] if active else [ended]))
    found = (
        []
        if said.code and ("✗ its journal: " in said.out or said.err)
        else [f"audit is content: {said.out}{said.err}"]
    )
    answer = answer_event(stop_event(here, DONE), str(here.root), "claude")
    found += [f"the door crashed: {answer}"] if "Our own error" in str(answer) else []
    if "proven" in here.run("status").out or any(
        loop.verdict and loop.verdict.proven for loop in ended_loops(here.folder)
    ):
        found.append("it is proven")
    return [f"{'active' if active else 'archived'} {path.name} {name}: {what}" for what in found]
