"""The stopwatch at the door: what a Stop costs, next to a bare interpreter and to bash with jq. It asserts nothing."""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from report import (
    ACTIVE,
    BASE,
    BLOCK,
    GIT,
    GIT_ALONE,
    GIT_EDIT,
    IMPROVING,
    NO_LOOP,
    as_markdown,
    summed_up,
    verdict,
)
from world import PLAIN_WORDS, STATUS_BLOCK, Project, World

HERE = Path(__file__).resolve().parent
KB, MB, GB = 10**3, 10**6, 10**9
TRANSCRIPTS = {"10 KB": 10 * KB, "1 MB": MB, "100 MB": 100 * MB, "1 GB": GB}
# Every 16th line holds the whole loop: 9,994 and 10 replay ten lines, 10,047 and 63 the most that there can be.
JOURNALS = (10, 9_994, 10_000, 63, 10_047)
LIST_MODULES = """
import os, posix, sys
leave = posix._exit
def listed(code):
    sys.stderr.write(" ".join(name for name in sys.modules if name.partition(".")[0] == "loopwright"))
    sys.stderr.flush()
    leave(code)
posix._exit = listed
sys.argv = sys.argv[1:]
exec(compile(open(sys.argv[0]).read(), sys.argv[0], "exec"), {"__name__": "__main__", "__file__": sys.argv[0]})
"""


@dataclass
class Case:
    name: str
    argv: list[str]
    env: dict[str, str]
    stdin: str = os.devnull
    expect: str = ""
    before: Callable[[], None] = lambda: None
    times: list[float] = field(default_factory=list)
    surprise: str = ""

    def run(self, stdout: str = os.devnull) -> float:
        """Milliseconds from spawn to exit."""
        self.before()
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, self.stdin, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, stdout, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
        ]
        began = time.perf_counter()
        os.waitpid(os.posix_spawn(self.argv[0], self.argv, self.env, file_actions=actions), 0)
        return (time.perf_counter() - began) * 1000

    def warm_up(self, world: World) -> None:
        """Twice: bytecode is written, pages are read, git's own folder is laid. The second answer is looked at."""
        out = world.base / "out"
        for _ in range(2):
            self.run(str(out))
        said = out.read_text()
        self.surprise = (
            ""
            if (self.expect in said if self.expect else not said)
            else f"unexpected answer: {said[:200]!r}"
        )


class Bench:
    def __init__(self, world: World, jqs: list[str], big: bool) -> None:
        self.world = world
        self.cases: list[Case] = []
        self.python = os.path.realpath(
            sys.executable
        )  # never a version manager's shim, never a venv's link
        self.script = str(world.src / "loopwright/hook/__main__.py")
        # As the plugin's gate calls it: the cache folder holds the bytecode, and the bundle of a Stop.
        cache = f"pycache_prefix={world.base / 'cache'}"
        self.interpreter = [self.python, "-I", "-S", "-X", cache]
        self.add_case(BASE, [self.python, "-I", "-S", "-c", "pass"])
        self.add_without_loop()
        self.active = self.add_active(ACTIVE, world.folder("plain"), world.transcript(10 * KB))
        words = PLAIN_WORDS + STATUS_BLOCK
        self.block = self.add_active(
            BLOCK, world.folder("block"), world.transcript(10 * KB, words), text=words
        )
        self.add_active(
            IMPROVING, world.folder("improving"), world.transcript(10 * KB), improving=True
        )
        for name, edited in ((GIT, ""), (GIT_EDIT, "part3/file300.py")):
            root = world.folder(f"git{len(edited)}", 2000, git=True)
            self.add_active(name, root, world.transcript(10 * KB), edited=edited)
        self.add_git(world.base / "projects/git0")
        for name, size in TRANSCRIPTS.items():
            if size < GB or big:
                self.add_active(
                    f"transcript {name}", world.folder(f"transcript{size}"), world.transcript(size)
                )
        self.add_active(
            "its first Stop",
            world.folder("first"),
            world.transcript(GB if big else 100 * MB),
            moves=0,
        )
        for lines in JOURNALS:
            self.add_active(
                f"journal {lines} lines",
                world.folder(f"j{lines}"),
                world.transcript(10 * KB),
                moves=lines - 1,
            )
        for jq in jqs:
            self.add_rival(jq)

    def add_case(
        self,
        name: str,
        argv: list[str],
        project: Project | None = None,
        expect: str = "",
        **env: str,
    ) -> None:
        case = Case(name, argv, {**self.world.env, **env}, expect=expect)
        if project:
            stdin = self.world.base / f"stdin{len(self.cases)}"
            stdin.write_bytes(project.stop_event())
            case.stdin, case.before = str(stdin), project.restore
            case.env["CLAUDE_PROJECT_DIR"] = str(project.root)
        self.cases.append(case)

    def add_without_loop(self) -> None:
        nothing = Project(self.world.folder("nothing", git=True), Path("/nowhere.jsonl"))
        nothing.restore = lambda: None
        self.add_case(NO_LOOP, [*self.interpreter, self.script, "claude"], nothing)
        shell = shutil.which("dash") or "/bin/sh"
        self.add_case(
            f"halt.sh, no loop ({Path(shell).name})",
            [shell, str(self.world.src / "loopwright/hook/halt.sh")],
            nothing,
        )

    def add_active(self, name: str, root: Path, transcript: Path, **more: Any) -> Project:
        project = self.world.project(root, transcript, **more)
        expect = "Go on with: number 0" if more.get("improving") else "unmet criteria"
        self.add_case(name, [*self.interpreter, self.script, "claude"], project, expect)
        return project

    def add_git(self, root: Path) -> None:
        """The call of repo/tree.py where nothing has changed; it asks the index that the case before has laid."""
        argv = [
            "git",
            "-C",
            str(root),
            "-c",
            "core.fsmonitor=false",
            "ls-files",
            "-z",
            "-m",
            "-d",
            "-o",
            "--exclude-standard",
        ]
        where = {
            "GIT_DIR": str(root / ".loop/tree"),
            "GIT_WORK_TREE": str(root),
            "GIT_OPTIONAL_LOCKS": "0",
        }
        self.add_case(GIT_ALONE, [shutil.which("git") or "git", *argv[1:]], **where)

    def add_rival(self, jq: str) -> None:
        version = subprocess.run(
            [jq, "--version"], capture_output=True, text=True, check=True
        ).stdout.strip()
        project = self.world.project(
            self.world.folder(f"rival{len(self.cases)}"), self.world.transcript(10 * KB), moves=1
        )
        (project.root / ".loop/journal.jsonl").unlink()
        project.keep()
        self.add_case(
            f"bash + {version}, active",
            [shutil.which("bash") or "/bin/bash", str(HERE / "rival.sh")],
            project,
            "unmet criteria",
            JQ=jq,
        )

    def measure(self, runs: int) -> None:
        """Every case once in each round, in a new order each time, so that a busy machine is busy for all of them."""
        order = list(self.cases)
        for case in order:
            case.warm_up(self.world)
        for _ in range(runs):
            random.shuffle(order)
            for case in order:
                case.times.append(case.run())

    def results(self, runs: int) -> dict[str, Any]:
        rows = summed_up(
            {case.name: case.times for case in self.cases},
            {case.name: case.surprise for case in self.cases},
        )
        modules = {ACTIVE: self.modules(self.active), BLOCK: self.modules(self.block)}
        machine = f"{platform.system()}, {os.cpu_count()} cores, {self.python} ({platform.python_version()}), {runs} rounds"
        return {
            "machine": machine,
            "rows": rows,
            "modules": modules,
            "verdict": verdict(rows, modules),
        }

    def modules(self, project: Project) -> dict[str, list[str]]:
        """Our own modules that one Stop imports: those with code, and the empty files that mark a package."""
        project.restore()
        argv = [*self.interpreter, "-c", LIST_MODULES, self.script, "claude"]
        done = subprocess.run(
            argv, input=project.stop_event(), capture_output=True, env=self.world.env, check=True
        )
        found = done.stderr.decode().split()
        code = [module for module in found if self._has_code(module)]
        return {"code": code, "markers": [module for module in found if module not in code]}

    def _has_code(self, module: str) -> bool:
        path = self.world.src / module.replace(".", "/")
        return bool(
            (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text().strip()
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=40, help="rounds; every case runs once in each")
    parser.add_argument("--json", action="store_true")
    parser.add_argument(
        "--big", action="store_true", help="a transcript of 1 GB even where the disk is small"
    )
    parser.add_argument("--jq", action="append", help="a jq to measure against; may be repeated")
    parser.add_argument(
        "--src", type=Path, default=HERE.parent / "src", help="the sources to measure"
    )
    args = parser.parse_args()
    world = World(args.src)
    try:
        big = args.big or shutil.disk_usage(world.cache).free > 10 * GB
        bench = Bench(world, args.jq or [jq for jq in [shutil.which("jq")] if jq], big)
        bench.measure(args.runs)
        found = bench.results(args.runs)
    finally:
        world.remove()
    print(json.dumps(found, indent=2) if args.json else as_markdown(found))


if __name__ == "__main__":
    main()
