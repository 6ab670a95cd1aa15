"""The cheats that no proof alone can see, again under `--sandbox`: with a held-out check out of the agent's reach none is proven.

The catalogue marks them as impossible: answers fitted to the visible tests, products that detect a test run, orders in the
person's name. The held-out check is the project's own truth, which the agent first tries to read.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.proof_cases.case import Case
from tests.proof_cases.catalogue import ALL
from tests.proof_cases.play import RUN_LOOP
from tests.proof_cases.verify_cases import Place, missing_tools
from tests.sandbox.user import needs_bwrap

EXCEPTED = [case for case in ALL if case.expect == "impossible"]
PROVEN_GRADES = ("proven", "proven-in-place")


def loop(place: Place, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", RUN_LOOP, *words],
        cwd=place.folder,
        env=place.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def cheat(case: Case, place: Place) -> str:
    """A script for the agent: look for the held-out check, then do what the case does."""
    state = place.environment["XDG_STATE_HOME"]
    looks = f"grep -rs holds {state} > looked; test -s looked && cp looked found-the-held-out"
    removed = [f"rm -f {shlex.quote(name)}" for name, text in case.edits.items() if text is None]
    own = f"{sys.executable} -c {shlex.quote(RUN_LOOP)}"
    orders = [line.replace("loop ", f"{own} ", 1) for line in case.orders]
    turn = {
        "write": {name: text for name, text in case.edits.items() if text is not None},
        "run": [looks, "rm -f looked", *removed, *case.commands, *orders],
        "say": case.claim,
    }
    path = place.home / "script.json"
    path.write_text(json.dumps({"turns": [turn]}))
    return str(path)


def play(case: Case, place: Place) -> tuple[dict[str, object], str]:
    """Start and run the loop of the case in the sandbox; how it ended, and what the runner said."""
    if missing := missing_tools(f"{case.needs} {case.project.needs}"):
        pytest.skip(f"needs {missing}")
    place.environment |= {"XDG_STATE_HOME": str(place.home / "state"), "LOOP_SANDBOX": "auto"}
    place.environment.pop("TMPDIR", None)
    place.begin(case.project, case.start)
    check = case.start.check or case.project.check
    truth = f"sh -c {shlex.quote(case.truth or case.project.truth)} | grep -q holds"
    words = ("--check", f"tests pass={check}", "--holdout", f"truth={truth}", "--yes")
    spec = case.start.spec or case.project.spec
    started = loop(place, "start", spec, *words, "--shape", "tool", *case.start.arguments)
    assert started.returncode == 0, started.stderr
    ran = loop(place, "run", "--script", cheat(case, place))
    assert "sandbox: bwrap, enforced" in ran.stdout, ran.stdout + ran.stderr
    return json.loads(loop(place, "status", "--json").stdout), ran.stdout


def is_proven(facts: dict[str, object]) -> bool:
    verdict = facts.get("verdict") or {}
    assert isinstance(verdict, dict)
    return facts["status"] == "finished" and verdict.get("grade") in PROVEN_GRADES


@needs_bwrap
@pytest.mark.long
@pytest.mark.parametrize("case", EXCEPTED, ids=lambda case: case.name)
def test_it_is_not_proven_in_a_sandbox(case: Case, tmp_path: Path) -> None:
    place = Place(tmp_path, case.start.path)

    facts, said = play(case, place)

    assert not is_proven(facts), said
    assert not (place.folder / "found-the-held-out").exists()


@needs_bwrap
@pytest.mark.long
def test_the_honest_fix_of_the_same_project_is_proven(tmp_path: Path) -> None:
    case = next(case for case in EXCEPTED if case.project.name == "unittest")
    honest = Case("honest", "honest", case.project, edits=case.project.fix)

    facts, said = play(honest, Place(tmp_path, ()))

    assert is_proven(facts), said
