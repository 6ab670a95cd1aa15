"""The cheats that no proof can see, again in `loop run` with a sandbox: what stops each of them.

The catalogue marks them as impossible: the answers fit the visible tests, or the product detects a test run.
Nothing in them crosses a boundary, so the sandbox alone stops none. A held-out check stops all, and the
sandbox is what keeps it unread: here it is the project's own truth, and each agent first looks for it. An
honest agent under the same conditions is proven. An order in the person's name is what a boundary stops.
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
from tests.proof_cases.play import PROVEN_GRADES, RUN_LOOP
from tests.proof_cases.verify_cases import Place, missing_tools
from tests.sandbox.user import needs_bwrap

EXCEPTED = [case for case in ALL if case.expect == "impossible"]
FORGED_ORDER = next(case for case in ALL if case.name == "accept without the marker")
FORGED = "accepted by a person: test_prices.py"  # what the verdict says when the order counts
CHEAP = "script"  # the project of those that `make proof` plays; the others are for `make torture`
# The agent starts `loop` as a person would: nothing in its environment says who it is.
OWN_LOOP = f"env -u LOOP_INBOX {sys.executable} -c {shlex.quote(RUN_LOOP)}"
pytestmark = needs_bwrap


def sampled(cases: list[Case]) -> list[object]:
    return [
        pytest.param(
            case,
            id=case.name,
            marks=pytest.mark.proof if case.project.name == CHEAP else pytest.mark.long,
        )
        for case in cases
    ]


def honest_agents() -> list[Case]:
    """The honest fix of each project of the excepted cases."""
    projects = {case.project.name: case.project for case in EXCEPTED}
    return [Case(name, "honest", it, edits=it.fix) for name, it in projects.items()]


def run_loop(place: Place, *words: str) -> subprocess.CompletedProcess[str]:
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


def write_script(case: Case, place: Place) -> str:
    """Turns for the scripted agent: look for the held-out check, do what the case does, give its orders."""
    state = place.environment["XDG_STATE_HOME"]
    looks = f"grep -rs holds {state} > looked; test -s looked && cp looked found-the-held-out"
    removed = [f"rm -f {shlex.quote(name)}" for name, text in case.edits.items() if text is None]
    first = {
        "write": {name: text for name, text in case.edits.items() if text is not None},
        "run": [looks, "rm -f looked", *removed, *case.commands],
        "say": case.claim,
    }
    # What is to be accepted is known once the first claim is refuted.
    orders = [line.replace(" loop ", f" {OWN_LOOP} ") for line in case.orders]
    path = place.home / "script.json"
    path.write_text(json.dumps({"turns": [first, {"run": orders, "say": case.claim}]}))
    return str(path)


class Played:
    """How the loop of a case ended in `loop run`."""

    def __init__(self, case: Case, place: Place, *words: str, sandbox: str = "auto") -> None:
        if missing := missing_tools(f"{case.needs} {case.project.needs}"):
            pytest.skip(f"needs {missing}")
        place.environment |= {"XDG_STATE_HOME": str(place.home / "state"), "LOOP_SANDBOX": sandbox}
        place.environment.pop("TMPDIR", None)
        place.begin(case.project, case.start)
        check = f"tests pass={case.start.check or case.project.check}"
        spec = case.start.spec or case.project.spec
        asked = ("--check", check, "--yes", "--shape", "tool", "--iterations", "3")
        started = run_loop(place, "start", spec, *asked, *words, *case.start.arguments)
        assert started.returncode == 0, started.stderr
        ran = run_loop(place, "run", "--script", write_script(case, place))
        self.said = ran.stdout + ran.stderr
        assert sandbox == "off" or "sandbox: bwrap, enforced" in self.said, self.said
        facts = json.loads(run_loop(place, "status", "--json").stdout)
        verdict = facts.get("verdict") or {}
        self.is_proven = facts["status"] == "finished" and verdict.get("grade") in PROVEN_GRADES
        assert not (place.folder / "found-the-held-out").exists()


def held_out(case: Case) -> tuple[str, str]:
    truth = shlex.quote(case.truth or case.project.truth)
    return "--holdout", f"truth=sh -c {truth} | grep -q holds"


@pytest.mark.parametrize("case", sampled(EXCEPTED))
def test_with_a_held_out_check_no_cheat_is_proven(case: Case, tmp_path: Path) -> None:
    played = Played(case, Place(tmp_path, case.start.path), *held_out(case))

    assert not played.is_proven, played.said
    assert "truth" in played.said  # the check that refuted it


@pytest.mark.parametrize("case", sampled(EXCEPTED))
def test_the_sandbox_alone_does_not_stop_it(case: Case, tmp_path: Path) -> None:
    """A case that is stopped from now on is no longer impossible: correct it and docs/security.md."""
    assert Played(case, Place(tmp_path, case.start.path)).is_proven


@pytest.mark.parametrize("case", sampled(honest_agents()))
def test_an_honest_agent_is_proven_under_the_same_conditions(case: Case, tmp_path: Path) -> None:
    played = Played(case, Place(tmp_path, case.start.path), *held_out(case))

    assert played.is_proven, played.said


@pytest.mark.proof
@pytest.mark.parametrize("sandbox", ["auto", "off"])
def test_an_order_in_the_persons_name_counts_only_without_the_sandbox(
    sandbox: str, tmp_path: Path
) -> None:
    played = Played(FORGED_ORDER, Place(tmp_path, ()), sandbox=sandbox)

    assert not played.is_proven
    assert (FORGED in played.said) == (sandbox == "off"), played.said
