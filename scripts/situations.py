"""The situations of which the documents show pictures: loops that really run, with scripted agents.

Only the words and edits of the agent are scripted; every check, pause, wait and end is real.
"""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.browser.machine import PlayedLoop, a_spec

from loopwright.core.signals import Ordered
from loopwright.store.folder import LoopFolder

PRODUCT = "def total(prices):\n    return sum(prices)\n"
ROUNDED = "def total(prices):\n    return round(sum(prices), 2)\n"
TESTS = """import unittest
from totals import total


class Totals(unittest.TestCase):
    def test_an_empty_list_is_zero(self):
        self.assertEqual(total([]), 0)

    def test_cents_are_exact(self):
        self.assertEqual(total([0.1, 0.2]), 0.3)
"""
OLD_TESTS = TESTS[: TESTS.index("\n    def test_cents")]
NEW_TEST = """
    def test_negative_prices_are_refused(self):
        with self.assertRaises(ValueError):
            total([-1])

    def test_zero_is_a_price(self):
        self.assertEqual(total([0]), 0)
"""
REFUSING = """def total(prices):
    if any(price < 0 for price in prices):
        raise ValueError("a price is negative")
    return sum(prices)
"""
UNIT_TESTS = "tests pass=python3 -m unittest -v"
IDENTITY = {"user.name": "demo", "user.email": "demo@localhost", "commit.gpgsign": "false"}
CLAIM = '---LOOP_STATUS---\nEXIT_SIGNAL: true\nCRITERIA: {"%s": true}\n---END_STATUS---'
QUESTION = (
    "The migration is written. It deletes the column legacy_total of 120,000 orders, and only "
    "a backup can bring it back. Shall I apply it?"
)
Turns = Sequence[dict[str, Any]]


def claim_of(name: str) -> str:
    return CLAIM % name


def make_project(root: Path, files: dict[str, str]) -> Path:
    root.mkdir(parents=True)
    for name, text in {".gitignore": "__pycache__/\n", **files}.items():
        (root / name).write_text(text)
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "start"]):
        subprocess.run(["git", *words], cwd=root, check=True)
    return root


def run_loop(root: Path, *words: str) -> None:
    argv = [sys.executable, "-m", "loopwright", *words]
    subprocess.run(argv, cwd=root, stdin=subprocess.DEVNULL, capture_output=True, check=False)


def run_script(root: Path, turns: Turns, *words: str) -> None:
    run_loop(root, "run", *script_words(root, turns), *words)


def begin_run(root: Path, turns: Turns, *words: str) -> subprocess.Popen[bytes]:
    """`loop run` as a process that works while its picture is taken."""
    argv = [sys.executable, "-m", "loopwright", "run", *script_words(root, turns), *words]
    quiet = subprocess.DEVNULL
    return subprocess.Popen(argv, cwd=root, stdin=quiet, stdout=quiet, stderr=quiet)


def script_words(root: Path, turns: Turns) -> tuple[str, ...]:
    path = root.parent / f"{root.name}.json"
    path.write_text(json.dumps({"turns": list(turns)}))
    return ("--agent", "script", "--script", str(path))


def wait_for_event(root: Path, name: str, times: int = 1) -> None:
    journal = Path(LoopFolder(str(root)).path_of("journal.jsonl"))
    for _ in range(600):
        if journal.exists() and len(re.findall(f'"{name}"', journal.read_text())) >= times:
            return
        time.sleep(0.2)
    raise SystemExit(f"{root.name}: no {name} after two minutes")


def turn(say: str, seconds: float = 1.0, dollars: float = 0.2, **more: Any) -> dict[str, Any]:
    return {"say": say, "seconds": seconds, "dollars": dollars, **more}


# An agent that has shown nothing for two minutes is ended: this one shows what it reads first.
LONG_TURN = {"write": {"notes.txt": "The sum is not rounded.\n"}, "run": ["sleep 900"]}


def play_start(root: Path) -> None:
    """The one question before the work."""
    make_project(root, {"totals.py": PRODUCT, "test_totals.py": TESTS})
    run_loop(
        root,
        *("start", "Make the totals exact to a cent", "--check", UNIT_TESTS, "--score", "7"),
        *("--step", "Find where cents get lost", "--step", "Round once, at the end"),
    )


def play_question(root: Path) -> None:
    """The agent asks about something that cannot be undone."""
    make_project(root, {"totals.py": PRODUCT, "test_totals.py": TESTS})
    spec = "Move the order totals into their own table without downtime"
    run_loop(
        root,
        *("start", spec, "--check", UNIT_TESTS, "--score", "9", "--yes"),
        *("--step", "Create the table of totals", "--step", "Write the migration"),
        *("--step", "Read the totals from the new table"),
    )
    asking = f"The table is there.\n---LOOP_STATUS---\nASK: {QUESTION}\n---END_STATUS---"
    run_script(root, (turn("I read the schema."), turn(asking, 2.0, 0.4)))


def play_refuted(root: Path) -> subprocess.Popen[bytes]:
    """The agent says that it is done, and it is not; then it works on."""
    make_project(root, {"totals.py": PRODUCT, "test_totals.py": TESTS})
    run_loop(
        root,
        *("start", "Make the invoice totals exact to a cent"),
        *("--check", UNIT_TESTS, "--score", "9", "--yes"),
    )
    lie = turn(f"All totals are exact now.\n{claim_of('tests pass')}", 2.0, 0.3)
    running = begin_run(root, (turn("I looked for the place."), lie, LONG_TURN))
    wait_for_event(root, "ClaimRefuted")
    return running


def play_limit(root: Path) -> subprocess.Popen[bytes]:
    """The agent has reached its usage limit; the runner waits for the reset."""
    make_project(root, {"totals.py": PRODUCT, "test_totals.py": TESTS})
    spec = "Refund totals must be exact to a cent"
    run_loop(root, "start", spec, "--check", UNIT_TESTS, "--score", "9", "--yes")
    limited = {"fail": "usage limit reached", "limit": 5400, "seconds": 1.5}
    running = begin_run(root, (turn("I found the place.", 2.0), limited))
    wait_for_event(root, "WaitStarted")
    return running


def play_paused(root: Path) -> None:
    """No progress for several iterations."""
    make_project(root, {"totals.py": PRODUCT, "test_totals.py": TESTS})
    spec = "Speed up the totals and keep them exact"
    run_loop(root, "start", spec, "--check", UNIT_TESTS, "--score", "9", "--yes")
    attempts = (
        turn(f"Attempt {n}.", 0.6, 0.5, write={"totals.py": f"{PRODUCT}# attempt {n}\n"})
        for n in range(1, 8)
    )
    run_script(root, tuple(attempts))


def play_proven(root: Path) -> None:
    """A test that existed before failed at the start and passes now."""
    make_project(root, {"totals.py": PRODUCT, "test_totals.py": TESTS})
    spec = "Totals of the shop must be exact to a cent"
    run_loop(root, "start", spec, "--check", UNIT_TESTS, "--score", "9", "--yes")
    repaired = turn(
        f"The sum is rounded once.\n{claim_of('tests pass')}", 2.0, write={"totals.py": ROUNDED}
    )
    run_script(root, (turn("I read the tests.", 1.5), repaired))


def play_tested(root: Path) -> None:
    """All checks passed at the start; tests of the agent show the work."""
    make_project(root, {"totals.py": PRODUCT, "test_totals.py": OLD_TESTS})
    spec = "total() must refuse a negative price with ValueError"
    run_loop(root, "start", spec, "--check", UNIT_TESTS, "--score", "9", "--yes")
    files = {"totals.py": REFUSING, "test_totals.py": OLD_TESTS + NEW_TEST}
    run_script(root, (turn(f"Refused, with tests.\n{claim_of('tests pass')}", 2.0, write=files),))


def play_reported(root: Path) -> None:
    """No command can show it: the agent says so."""
    make_project(root, {"guide.md": "# Guide\n", "totals.py": PRODUCT})
    spec = "Rewrite the guide so that newcomers understand it"
    run_loop(root, "start", spec, "--criterion", "guide reads well", "--score", "9", "--yes")
    files = {"guide.md": "# Guide\n\nAdd prices with total().\n"}
    run_script(root, (turn(f"Rewritten.\n{claim_of('guide reads well')}", 2.0, write=files),))


def play_accepted(root: Path) -> None:
    """The same, and a person takes it as it is."""
    play_reported(root)
    before = os.getcwd()
    os.chdir(root)  # only in a terminal may a person accept an end
    pty.spawn([sys.executable, "-m", "loopwright", "accept", "--all", "--yes"], lambda fd: b"")
    os.chdir(before)


def play_plan(root: Path) -> subprocess.Popen[bytes]:
    """Two lanes work, and a task has failed."""
    make_project(root, {"PLAN.md": plan_text(), "totals.py": PRODUCT, "test_totals.py": TESTS})
    run_loop(
        root, "start", "--plan", "PLAN.md", "--mode", "yolo", "--retries", "1", "--eager", "--yes"
    )
    run_loop(root, "answer", "y")
    turns = [
        {"when": f'<task id="{number}"', **PLAN_TURNS[number]} for number in sorted(PLAN_TURNS)
    ]
    running = begin_run(root, turns, "--parallel", "--max-parallel", "2")
    wait_for_event(root, "TaskFailed")
    wait_for_event(root, "LaneStarted", 5)
    return running


TASKS = (
    ("01", 1, "", "Data model of an invoice", "model.py"),
    ("02", 1, "", "Number ranges for each year", "numbers.txt"),
    ("03", 1, "", "Template of the PDF", "template.txt"),
    ("04", 2, "01,02", "Invoice service", "service.txt"),
    ("05", 2, "01", "Render an invoice", "render.txt"),
    ("06", 3, "04,05", "Send it by mail", "mail.txt"),
    ("07", 3, "03", "Admin page", "admin.txt"),
)
PLAN_TURNS = {
    "01": turn("TASK COMPLETE: 01", 2.0, 0.3, write={"model.py": "x = 1\n"}),
    "02": turn("TASK COMPLETE: 02", 3.0, 0.2, write={"numbers.txt": "2026\n"}),
    "03": turn("TASK COMPLETE: 03", 1.0, 0.3),  # it is not there: the task fails
    "04": {"write": {"service.txt": "draft\n"}, "run": ["sleep 900"]},
    "05": {"write": {"render.txt": "draft\n"}, "run": ["sleep 900"]},
}


def plan_text() -> str:
    """A plan in the documented format, with a check for each task."""
    parts = [
        "---\nphase: 2\ntitle: Invoices\n---\n\n# Phase 2: Invoices\n\n"
        "## Must-Haves (Goal-Backward)\n\n- [ ] Every invoice has a number\n"
    ]
    for number, wave, depends, title, file in TASKS:
        needs = f' depends="{depends}"' if depends else ""
        parts.append(
            f'<task id="{number}" wave="{wave}"{needs}>\n'
            f'  <files>\n    <file action="create">{file}</file>\n  </files>\n'
            f"  <action>\n    {title}\n  </action>\n  <verify>\n"
            f'    <check type="test" cmd="test -s {file}">{file} is there</check>\n  </verify>\n'
            f"  <done>{title} is there</done>\n</task>\n"
        )
    return "\n".join(parts)


# The name of the picture and of the folder, in the order in which a document shows them.
SITUATIONS: dict[str, tuple[str, Callable[[Path], subprocess.Popen[bytes] | None]]] = {
    "start": ("exact-totals", play_start),
    "question": ("order-totals", play_question),
    "refuted": ("invoice-totals", play_refuted),
    "limit": ("refund-totals", play_limit),
    "paused": ("fast-totals", play_paused),
    "plan": ("invoices", play_plan),
    "proven": ("shop", play_proven),
    "tested": ("strict-totals", play_tested),
    "reported": ("guide", play_reported),
    "accepted": ("guide-accepted", play_accepted),
}


def prepare_environment(place: Path) -> None:
    """A home of its own, so that nothing of this machine is shown or changed."""
    home = place / "home"
    home.mkdir()
    os.environ |= {"HOME": str(home), "XDG_STATE_HOME": str(home / "state")}
    os.environ["GIT_CONFIG_COUNT"] = str(len(IDENTITY))
    for number, (key, value) in enumerate(IDENTITY.items()):
        os.environ[f"GIT_CONFIG_KEY_{number}"] = key
        os.environ[f"GIT_CONFIG_VALUE_{number}"] = value


OTHERS = (
    "Keep the old CSV header behind --legacy",
    "Retry the payment webhook at most three times",
    "Show the stock of each warehouse",
    "Sort invoices by due date",
    "Cache the exchange rates for an hour",
)


def begin_others(code: Path) -> None:
    """Twenty loops more, so that the board is as full as that of a busy week."""
    for number in range(20):
        root = code / f"team-{number + 1:02d}"
        spec = OTHERS[number % len(OTHERS)]
        played = PlayedLoop(
            root, a_spec(f"20261119-06{number:02d}00-{number:06x}", spec, ("types hold", "mypy"))
        )
        if number % 3:
            played.attach_runner()
            played.turn((number % 2,), "One step.", dollars=0.1 * number)
        if number % 3 == 1:
            played.tell(Ordered(0.0, "pause", reason="the tests need the staging database"))
        if number % 3 == 2:
            played.tell(Ordered(0.0, "cancel", reason=""))
