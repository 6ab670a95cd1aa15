"""Two machines, as network namespaces: a question answered from elsewhere, a cable pulled, a night."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loopwright.fleet.tables import ASKING, ENDED, RUNNING, workers
from tests.e2e import client as claude_code
from tests.e2e.model import Model
from tests.e2e.turn import Turn, runs, says
from tests.fleet.conftest import say_absent
from tests.fleet.machines import Machine, machines
from tests.fleet.night import DONE, FleetNight, check_ended_once
from tests.support.builders import block
from tests.support.postgres import Postgres
from tests.support.tcp_proxy import CuttableProxy


class TwoMachines:
    """Two hosts and a database that both reach over their own cable."""

    def __init__(self, hosts: list[Machine], postgres: Postgres, folder: Path) -> None:
        self.hosts = hosts
        self.night = FleetNight(postgres.empty_database(), folder)
        socket_path = str(postgres.folder / ".s.PGSQL.5432")
        self._proxies = [CuttableProxy(socket_path, host.outside) for host in hosts]
        self._addresses = [
            f"postgresql://postgres@{host.outside}:{proxy.port}/postgres"
            for host, proxy in zip(hosts, self._proxies, strict=True)
        ]

    def start_worker(self, number: int, *words: str, **more: Any) -> subprocess.Popen[bytes]:
        self.night.address = self._addresses[number]
        root = str(self.night.folder / self.hosts[number].name)
        return self.night.start_worker(
            *words, "--root", root, prefix=self.hosts[number].command, **more
        )

    def loop(self, number: int, *words: str) -> subprocess.CompletedProcess[str]:
        """The command `loop` on that machine."""
        argv = [sys.executable, "-m", "loopwright", *words, "--database", self._addresses[number]]
        command = self.hosts[number].command(argv)
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def close(self) -> None:
        self.night.close()
        for proxy in self._proxies:
            proxy.close()


@pytest.fixture
def two(postgres: Postgres, tmp_path: Path) -> Iterator[TwoMachines]:
    if os.geteuid() or not shutil.which("ip"):
        say_absent("only root makes network namespaces, with the program ip: apt install iproute2")
    with machines(2) as hosts:
        both = TwoMachines(hosts, postgres, tmp_path)
        yield both
        both.close()


def test_a_question_is_answered_from_another_machine(two: TwoMachines) -> None:
    asks = {"say": block({"lines": False}, "ASK: may I write done.txt?"), "dollars": 0.25}
    works = {"run": ["echo line >> done.txt"], "say": DONE, "dollars": 0.25}
    script = json.dumps({"turns": [asks, works]})
    (job_id,) = two.night.submit(1, turns=1, files={"script.json": script})
    two.start_worker(0, slots=1)
    two.night.wait_until(lambda: two.night.jobs()[0].state == ASKING, "the question")
    assert two.night.jobs()[0].question == "may I write done.txt?"

    said = two.loop(1, "fleet", "answer", job_id, "yes, please")

    assert said.returncode == 0, said.stderr
    two.night.wait_for_end()
    (job,) = two.night.jobs()
    assert (job.state, job.grade) == (ENDED, "proven-in-place")


@pytest.mark.long
def test_the_jobs_of_an_unplugged_machine_continue_on_the_other(two: TwoMachines) -> None:
    two.night.submit(1, turns=3, seconds=1.0)
    two.start_worker(0, slots=1)
    two.night.wait_until(lambda: two.night.jobs()[0].turns >= 1, "a settled turn")
    two.hosts[0].unplug()
    two.start_worker(1, slots=1)
    two.night.wait_until(lambda: "machine1" in two.night.jobs()[0].worker, "the other machine")
    two.hosts[0].plug_in()
    two.night.wait_for_end()
    check_ended_once(two.night, iterations=3)

    def is_back() -> bool:
        with two.night.database.reading() as connection:
            rows = connection.execute(workers.select()).mappings().all()
        return sum("machine0" in row["id"] for row in rows) == 2

    two.night.wait_until(is_back, "the unplugged machine as a new worker")


@pytest.fixture(scope="session")
def claude() -> Path:
    """The program. It is looked for in the person's home, before a test gets one of its own."""
    found = claude_code.find()
    assert found, f"Claude Code {claude_code.VERSION} is not here: make setup"
    return found


@pytest.mark.long
def test_a_night_on_two_machines_with_the_real_client(two: TwoMachines, claude: Path) -> None:
    """Six loops, each with a false "done" that is refuted; a machine is unplugged meanwhile."""
    (home := two.night.folder / "home").mkdir()
    with Model(lambda number, body: _answer(body)) as model:
        port = int(model.url.rpartition(":")[2])
        ways = [CuttableProxy(("127.0.0.1", port), host.outside) for host in two.hosts]
        two.night.submit(6, turns=2, run_words=["--agent", "claude", "--permissions", "all"])
        for number, way in enumerate(ways):
            url = f"http://{two.hosts[number].outside}:{way.port}"
            env = claude_code.environment(home, url)
            env["PATH"] = f"{claude.parent}{os.pathsep}{env['PATH']}"
            two.start_worker(number, slots=2, env={**env, "IS_SANDBOX": "1"})
        two.night.wait_until(lambda: any(job.turns for job in two.night.jobs()), "a turn")
        two.hosts[0].unplug()
        two.night.wait_until(
            lambda: not any("machine0" in j.worker for j in two.night.jobs() if j.state == RUNNING),
            "the other machine",
        )
        two.hosts[0].plug_in()
        two.night.wait_for_end()
        for way in ways:
            way.close()
    check_ended_once(two.night, iterations=2)


def _answer(body: dict[str, Any]) -> Turn:
    """One line a turn, which has a context of its own, then the claim that all is done."""
    has_worked = "tool_result" in json.dumps(body["messages"])
    return says(DONE) if has_worked else runs("echo line >> done.txt")
