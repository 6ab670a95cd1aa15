"""What may happen while the final proof runs: a kill, a file that changes, a check that fails once or for good."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from loopwright.core.policies.final_proof import WEAKENED_REASON
from tests.e2e.waiting import until
from tests.support.hook import SESSION, Answer, block, stop
from tests.support.project import Project
from tests.support.runner import Runner, command, read_when_complete, wait_until_gone
from tests.torture.size import every

pytestmark = pytest.mark.room

WORKS = "a works"
ONLY_IN_ROOM = "[ -e mark ] ||"  # an ignored file, so no clean checkout has it
SOUND = "grep -q . src/a.txt || { echo empty; exit 1; }"
FILES = {".gitignore": "mark\n", "mark": "", "src/a.txt": ""}


def begin(project, in_room: str, *words: str) -> Project:
    """A loop whose check does something more in a clean checkout."""
    here: Project = project(FILES)
    check = f"{WORKS}={ONLY_IN_ROOM} {{ {in_room}; }}; {SOUND}"
    here.start("--room", "on", "--session", SESSION, "--check", check, *words)
    assert here.loop.room.status == "trusted"
    return here


def claims(here: Project, *names: str) -> Answer:
    return stop(here, block(dict.fromkeys(names or (WORKS,), True), exit=True))


def test_a_kill_in_the_final_proof_skips_no_part_of_it(project, tmp_path: Path) -> None:
    """The agent has emptied the test that fails. Its second runner finds that out too."""
    test = (
        "import unittest\nfrom calc import add\n\n\nclass Add(unittest.TestCase):\n"
        "    def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n"
    )
    product = "def add(a, b):\n    return a - b\n"
    here = project({"calc.py": product, "test_calc.py": test, ".gitignore": "__pycache__/\nmark\n"})
    here.write({"mark": ""})
    pid, armed = tmp_path / "pid", tmp_path / "armed"
    in_room = f"test ! -e '{armed}' || {{ rm '{armed}'; echo $$ >'{pid}'; exec sleep 300; }}"
    check = f"tests pass={ONLY_IN_ROOM} {{ {in_room}; }}; python3 -B -m unittest"
    here.start("--room", "on", "--iterations", "1", "--check", check)
    armed.touch()
    emptied = test.replace("self.assertEqual(add(2, 3), 5)", "self.assertTrue(True)")
    done = block({"tests pass": True}, exit=True)
    agent = command(here, f"open('test_calc.py', 'w').write({emptied!r})\nprint({done!r})")
    with Runner(here, *agent) as runner:
        in_check = int(read_when_complete(pid))
        runner.kill()
    said = here.run("run", *agent)

    assert said.code == 3, said.out
    assert here.loop.status == "paused"
    assert [refuted["why"] for refuted in here.events("ClaimRefuted")] == [WEAKENED_REASON]
    assert wait_until_gone(in_check)


def test_a_file_that_breaks_while_the_clean_checkout_runs_holds_the_agent(
    project, tmp_path: Path
) -> None:
    armed, inside, go = (tmp_path / name for name in ("armed", "inside", "go"))
    wait = f"for i in $(seq 900); do test -e '{go}' && break; sleep 0.02; done"
    here = begin(project, f"test ! -e '{armed}' || {{ touch '{inside}'; {wait}; }}")
    here.write({"src/a.txt": "good\n"})
    armed.touch()
    with ThreadPoolExecutor() as pool:
        answer = pool.submit(claims, here)
        until(inside.exists, lambda: "the clean checkout does not run")
        here.write({"src/a.txt": ""})  # a watcher, a formatter, another agent
        go.touch()

    assert answer.result().prompt.startswith(f"unmet criteria: {WORKS}")
    assert here.loop.status == "running"


def test_a_check_that_fails_once_in_the_clean_checkout_is_flaky(project, tmp_path: Path) -> None:
    flake, runs = tmp_path / "flake", tmp_path / "runs"
    here = begin(
        project,
        f"echo run >>'{runs}'; test ! -e '{flake}' || {{ rm '{flake}'; echo flake; exit 1; }}",
    )
    here.write({"src/a.txt": "good\n"})
    flake.touch()
    runs.unlink()
    claims(here)

    verdict = here.ended.verdict
    assert verdict is not None
    assert (verdict.name, verdict.proven) == ("MONITOR", False)
    assert (
        verdict.why == f"a person must look: different results in the same clean checkout ({WORKS})"
    )
    assert runs.read_text() == "run\n" * 2


def test_a_check_that_failed_in_the_clean_checkout_runs_there_again_at_the_next_claim(
    project, tmp_path: Path
) -> None:
    """The first claim is refuted. Then what the check needs is there again, and the tree is the same."""
    broken = tmp_path / "broken"
    here = begin(project, f"test ! -e '{broken}' || {{ echo no service; exit 1; }}")
    here.write({"src/a.txt": "good\n"})
    broken.touch()
    assert "(the check fails in a clean checkout)" in claims(here).prompt
    broken.unlink()
    claims(here)

    assert here.ended.verdict is not None
    assert here.ended.verdict.name == "MONITOR"


@pytest.mark.parametrize("room", every(2, ["on", "off"]))
def test_a_check_that_fails_at_the_exit_claim_holds_the_agent(
    project, tmp_path: Path, room: str
) -> None:
    """It passed a turn ago, and the tree is the same: what it needs is gone. The clean checkout cannot be trusted."""
    here, up, name = project({"src/a.txt": ""}), tmp_path / "up", "service answers"
    checks = ("--check", f"{WORKS}=grep -q . src/a.txt", "--check", f"{name}=test -e '{up}'")
    here.start("--room", room, "--session", SESSION, *checks)
    here.write({"src/a.txt": "good\n"})
    up.touch()
    stop(here, "Worked.")
    assert not here.loop.unmet_criteria
    up.unlink()
    answer = claims(here, WORKS, name)

    assert answer.prompt.startswith(f"unmet criteria: {name}")
    assert "✓" not in answer.message
    assert here.loop.unmet_criteria == (name,)
