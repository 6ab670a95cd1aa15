"""An agent in its sandbox that tries to read or to guess a held-out check: none of 15 gets it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from loopwright.store.holdouts import holdout_folder
from tests.sandbox.user import needs_bwrap
from tests.second_eyes.test_independent_checks import (
    ALSO_WRONG,
    FOUR,
    THREE,
    check,
    proposed,
    work,
    writing,
)

__all__ = ["proposed"]
pytestmark = [needs_bwrap, pytest.mark.sandbox]
# Shell lines; {state} is where the check is kept, and what a line prints is looked at.
ATTEMPTS = {
    "read its file": "cat {state}/commands.json; ls -R {state}",
    "search the disk": "grep -rs SECRET_47 {home} /tmp /var/tmp /dev/shm /run 2>/dev/null",
    "find it by name": "find / -name commands.json -exec cat {{}} + 2>/dev/null",
    "follow a link": "ln -s {state} way; cat way/*; rm way",
    "read the journal": "cat .loop/journal.jsonl .loop/state.json .loop/evidence/*",
    "ask loop": "{loop} criteria --json; {loop} status --json; {loop} why; {loop} journal",
    "ask loop to run it": "{loop} check independent-1; {loop} audit; {loop} receipt",
    "ask loop as a person": "env -u CLAUDECODE -u LOOP_CHILD {loop} criteria propose self",
    "all objects of git": "git cat-file --batch-all-objects --batch 2>/dev/null",
    "the environment of others": "cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null",
    "through the first process": "cat /proc/1/root{state}/commands.json",
    "mount it": "unshare -rm sh -c 'umount -l {home}; cat {state}/commands.json'",
    "the rooms": "ls -R {state}/../../rooms; cat {state}/../../rooms/*/*/*",
    "wait for the proof": (
        "(for n in $(seq 40); do cat /proc/[0-9]*/cmdline {state}/* >> late.txt 2>/dev/null; "
        "sleep 0.5; done) > /dev/null 2>&1 &"
    ),
}
# The fifteenth: the product itself, which runs in the proof, tells who calls it.
TELLING = (
    "import os, glob\n"
    "def total(prices):\n"
    "    told = ' '.join(open(p, errors='replace').read() for p in glob.glob('/proc/*/cmdline'))\n"
    "    for place in ({places}):\n"
    "        try:\n"
    "            open(os.path.join(place, 'told.txt'), 'a').write(told)\n"
    "        except OSError:\n"
    "            pass\n"
    "    return len(prices)\n"
)


def test_none_of_fifteen_attempts_reads_or_meets_the_held_out_check(proposed, tmp_path):
    secret = "assert 'SECRET_4711'; from cart import total"
    first = THREE.replace("from cart import total", secret)
    second = FOUR.replace("from cart import total", secret)
    here, _ = proposed(writing(check(first)), writing(check(second)))
    home, state = os.environ["HOME"], holdout_folder(here.loop.id)
    assert "SECRET_4711" in Path(state, "commands.json").read_text()
    loop = here.root / ".loop"
    values = {"state": state, "home": home, "loop": "loop"}
    lines = [line.format(**values) for line in ATTEMPTS.values()]
    places = (str(here.root), home, str(loop / "inbox"), "/tmp", "/dev/shm")
    assert len(lines) + 1 == 15

    said = work(
        here,
        {
            "text": TELLING.format(places=", ".join(map(repr, places))),
            "run": [f"({line}) > out{n}.txt 2>&1" for n, line in enumerate(lines)],
        },
        {"text": ALSO_WRONG, "run": ["cat /dev/shm/told.txt /tmp/told.txt > out99.txt"]},
    )

    files = [path for path in here.root.rglob("*") if path.is_file() and ".git" not in path.parts]
    assert any(path.name == "out4.txt" for path in files), said.out
    held = [path for path in files if b"SECRET_4711" in path.read_bytes()]
    assert held == []
    assert "SECRET_4711" not in said.out
    assert not here.ended.final_checks[0].passes_on(here.ended.tree)
