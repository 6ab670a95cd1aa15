"""Measure what the hook costs at a Stop, compared with a bare interpreter and with bash and jq.

It asserts nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from report import (
    ACTIVE,
    BASE,
    BLOCK,
    DISCOVERY,
    GIT,
    GIT_ALONE,
    GIT_EDIT,
    NO_LOOP,
    as_markdown,
    describe_machine,
    save_tables,
    summarize,
    times_table,
    verdict,
)
from timing import Timing, time_program
from world import PLAIN_WORDS, STATUS_BLOCK, Project, World

HERE = Path(__file__).resolve().parent
KB, MB, GB = 10**3, 10**6, 10**9
TRANSCRIPTS = {"10 KB": 10 * KB, "1 MB": MB, "100 MB": 100 * MB, "1 GB": GB}
# Every 4th line holds the whole loop: journals of 10 and 9,994 lines replay two lines after it,
# that of 10,000 none, those of 63 and 10,047 the largest possible number.
JOURNALS = (10, 9_994, 10_000, 63, 10_047)
LIST_MODULES = """
import posix, sys
leave = posix._exit
def list_and_leave(code):
    ours = [name for name in sys.modules if name.partition(".")[0] == "loopwright"]
    sys.stderr.write(" ".join(ours))
    sys.stderr.flush()
    leave(code)
posix._exit = list_and_leave
sys.argv = sys.argv[1:]
script = sys.argv[0]
names = {"__name__": "__main__", "__file__": script}
exec(compile(open(script).read(), script, "exec"), names)
"""


@dataclass
class Case:
    name: str
    argv: list[str]
    env: dict[str, str]
    stdin: str = os.devnull
    expect: str = ""
    before: Callable[[], None] = lambda: None
    times: list[Timing] = field(default_factory=list)
    surprise: str = ""

    def run(self, stdout: str = os.devnull) -> Timing:
        self.before()
        return time_program(self.argv, self.env, self.stdin, stdout)

    def warm_up(self, world: World) -> None:
        """Run twice and check the second answer; writes bytecode, caches and git's folder."""
        out = world.base / "out"
        for _ in range(2):
            self.run(str(out))
        answer = out.read_text()
        expected = self.expect in answer if self.expect else not answer
        self.surprise = "" if expected else f"unexpected answer: {answer[:200]!r}"


class Bench:
    def __init__(self, world: World, jqs: list[str], big: bool) -> None:
        self.world = world
        self.cases: list[Case] = []
        # The real path: neither the shim of a version manager nor the link of a venv.
        self.python = os.path.realpath(sys.executable)
        self.script = str(world.src / "loopwright/hook/__main__.py")
        # As the plugin calls it: the cache folder holds the bytecode and the bundle of a Stop.
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
            DISCOVERY, world.folder("improving"), world.transcript(10 * KB), improving=True
        )
        for name, edited in {GIT: "", GIT_EDIT: "part3/file300.py"}.items():
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
        """The git call of repo/git_tree.py if nothing has changed; uses the index of case GIT."""
        options = ["-C", str(root), "-c", "core.fsmonitor=false"]
        argv = [*options, "ls-files", "-z", "-m", "-d", "-o", "--exclude-standard"]
        where = {
            "GIT_DIR": str(root / ".loop/tree"),
            "GIT_WORK_TREE": str(root),
            "GIT_OPTIONAL_LOCKS": "0",
        }
        self.add_case(GIT_ALONE, [shutil.which("git") or "git", *argv], **where)

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
        """Run every case once per round, in random order, so that a busy machine slows all."""
        order = list(self.cases)
        for case in order:
            case.warm_up(self.world)
        for _ in range(runs):
            random.shuffle(order)
            for case in order:
                case.times.append(case.run())

    def results(self, runs: int) -> dict[str, Any]:
        rows = summarize({case.name: case.times for case in self.cases})
        modules = {ACTIVE: self.modules(self.active), BLOCK: self.modules(self.block)}
        return {
            "machine": describe_machine(runs),
            "rows": rows,
            "surprises": {case.name: case.surprise for case in self.cases if case.surprise},
            "modules": modules,
            "verdict": verdict(rows, modules),
        }

    def modules(self, project: Project) -> dict[str, list[str]]:
        """Our own modules that one Stop imports: those with code, and empty package markers."""
        project.restore()
        argv = [*self.interpreter, "-c", LIST_MODULES, self.script, "claude"]
        process = subprocess.run(
            argv, input=project.stop_event(), capture_output=True, env=self.world.env, check=True
        )
        imported = process.stderr.decode().split()
        code = [module for module in imported if self._has_code(module)]
        return {"code": code, "markers": [module for module in imported if module not in code]}

    def _has_code(self, module: str) -> bool:
        path = self.world.src / module.replace(".", "/")
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        return bool(file.read_text().strip())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--runs", type=int, default=40, help="number of rounds; every case runs once in each"
    )
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--save", action="store_true", help="write the table for docs/generate.py")
    parser.add_argument(
        "--big", action="store_true", help="use a transcript of 1 GB even if the disk is small"
    )
    parser.add_argument("--jq", action="append", help="a jq to compare with; may be repeated")
    parser.add_argument(
        "--src", type=Path, default=HERE.parent / "src", help="the sources to measure"
    )
    args = parser.parse_args()
    world = World(args.src)
    try:
        big = args.big or shutil.disk_usage(world.cache).free > 10 * GB
        bench = Bench(world, args.jq or [jq for jq in [shutil.which("jq")] if jq], big)
        bench.measure(args.runs)
        results = bench.results(args.runs)
    finally:
        world.remove()
    if args.save:
        table = times_table("case", results["rows"])
        save_tables("hook", results["machine"], {"times": table})
    print(json.dumps(results, indent=2) if args.json else as_markdown(results))


if __name__ == "__main__":
    main()
