"""The stopwatch at the door: what a Stop costs, next to a bare interpreter and to bash with jq. It measures and judges nothing."""

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
from statistics import median

from world import PLAIN_WORDS, STATUS_BLOCK, Project, World

HERE = Path(__file__).resolve().parent
KB, MB, GB = 10**3, 10**6, 10**9
BASE, NO_LOOP, ACTIVE, BLOCK = "python3 -I -S -c pass", "door, no loop", "door, active loop", "door, active, status block"
GIT, GIT_EDIT = "door, active, git 2000 files", "door, active, git 2000 files, one edited"
TRANSCRIPTS = {"10 KB": 10 * KB, "1 MB": MB, "100 MB": 100 * MB, "1 GB": GB}
# Every 64th line holds the whole loop: 9,994 and 10 replay ten lines, 10,047 and 63 the most that there can be.
JOURNALS = (10, 9_994, 10_000, 63, 10_047)
LIST_MODULES = """
import os, sys
leave = os._exit
def listed(code):
    sys.stderr.write(" ".join(name for name in sys.modules if name.partition(".")[0] == "loopwright"))
    sys.stderr.flush()
    leave(code)
os._exit = listed
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
        self.surprise = "" if (self.expect in said if self.expect else not said) else f"unexpected answer: {said[:200]!r}"


class Bench:
    def __init__(self, world: World, jqs: list[str], big: bool) -> None:
        self.world, self.cases = world, []
        self.python = os.path.realpath(sys.executable)  # never a version manager's shim, never a venv's link
        self.script = str(world.src / "loopwright/hook/__main__.py")
        self.add(BASE, [self.python, "-I", "-S", "-c", "pass"])
        self.add_without_loop()
        self.active = self.add_active(ACTIVE, world.folder("plain"), world.transcript(10 * KB))
        words = PLAIN_WORDS + STATUS_BLOCK
        self.block = self.add_active(BLOCK, world.folder("block"), world.transcript(10 * KB, words), text=words)
        for name, edited in ((GIT, ""), (GIT_EDIT, "part3/file300.py")):
            root = world.folder(f"git{len(edited)}", 2000, git=True)
            self.add_active(name, root, world.transcript(10 * KB), edited=edited)
        for name, size in TRANSCRIPTS.items():
            if size < GB or big:
                self.add_active(f"transcript {name}", world.folder(f"transcript{size}"), world.transcript(size))
        self.add_active("its first Stop", world.folder("first"), world.transcript(GB if big else 100 * MB), moves=0)
        for lines in JOURNALS:
            self.add_active(f"journal {lines} lines", world.folder(f"j{lines}"), world.transcript(10 * KB), moves=lines - 1)
        for jq in jqs:
            self.add_rival(jq)

    def add(self, name: str, argv: list[str], project: Project | None = None, expect: str = "", **env: str) -> None:
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
        self.add(NO_LOOP, [self.python, "-I", "-S", self.script, "claude"], nothing)
        shell = shutil.which("dash") or "/bin/sh"
        self.add(f"halt.sh, no loop ({Path(shell).name})", [shell, str(self.world.src / "loopwright/hook/halt.sh")], nothing)

    def add_active(self, name: str, root: Path, transcript: Path, **more) -> Project:
        project = self.world.project(root, transcript, **more)
        self.add(name, [self.python, "-I", "-S", self.script, "claude"], project, "unmet criteria")
        return project

    def add_rival(self, jq: str) -> None:
        version = subprocess.run([jq, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        project = self.world.project(self.world.folder(f"rival{len(self.cases)}"), self.world.transcript(10 * KB), moves=1)
        (project.root / ".loop/journal.jsonl").unlink()
        project.keep()
        self.add(f"bash + {version}, active", [shutil.which("bash"), str(HERE / "rival.sh")], project, "unmet criteria", JQ=jq)

    def measure(self, runs: int) -> None:
        """Every case once in each round, in a new order each time, so that a busy machine is busy for all of them."""
        order = list(self.cases)
        for case in order:
            case.warm_up(self.world)
        for _ in range(runs):
            random.shuffle(order)
            for case in order:
                case.times.append(case.run())

    def modules(self, project: Project) -> tuple[list[str], list[str]]:
        """Our own modules that one Stop imports: those with code, and the empty files that mark a package."""
        project.restore()
        argv = [self.python, "-I", "-S", "-c", LIST_MODULES, self.script, "claude"]
        done = subprocess.run(argv, input=project.stop_event(), capture_output=True, env=self.world.env, check=True)
        found = done.stderr.decode().split()
        return [m for m in found if self._has_code(m)], [m for m in found if not self._has_code(m)]

    def _has_code(self, module: str) -> bool:
        path = self.world.src / module.replace(".", "/")
        return bool((path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text().strip())


def report(bench: Bench, runs: int) -> dict:
    base = bench.cases[0].times
    rows = {
        case.name: {
            "min": min(case.times),
            "median": median(case.times),
            "x_min": min(case.times) / min(base),
            "x_median": median(case.times) / median(base),
            **({"surprise": case.surprise} if case.surprise else {}),
        }
        for case in bench.cases
    }
    modules = {name: dict(zip(("code", "markers"), bench.modules(p), strict=True)) for name, p in
               ((ACTIVE, bench.active), (BLOCK, bench.block))}  # fmt: skip
    machine = f"{platform.system()}, {os.cpu_count()} cores, {bench.python} ({platform.python_version()}), {runs} rounds"
    return {"machine": machine, "rows": rows, "modules": modules, "verdict": verdict(rows, modules)}


def verdict(rows: dict, modules: dict) -> list[str]:
    def times(one: str, other: str) -> str:
        low, mid = (rows[one][kind] / rows[other][kind] for kind in ("min", "median"))
        return f"{mid:.2f}x ({low:.2f}x by minima)"

    def apart(name: str) -> str:
        return f"{rows[name]['median'] - rows[ACTIVE]['median']:+.1f} ms"

    sizes = [name for name in rows if name.startswith("transcript ")]
    code = {name: [m for m in found["code"] if not m.endswith(".tree")] for name, found in modules.items()}
    return [
        f"no loop: {times(NO_LOOP, BASE)}; target 1.1x",
        f"active: {times(ACTIVE, BASE)}, with a status block {times(BLOCK, BASE)}; target 2x. "
        f"In a git repository of 2000 files {apart(GIT)}, one of them edited {apart(GIT_EDIT)}",
        f"own modules with code, the tree apart: {len(code[ACTIVE])}, with a status block {len(code[BLOCK])}; target 15",
        f"flat: transcript {sizes[-1].removeprefix('transcript ')} to 10 KB {times(sizes[-1], sizes[0])}; "
        f"journal 10,000 to 10 lines {times('journal 10000 lines', 'journal 10 lines')}, "
        f"at the same distance from a whole loop {times('journal 9994 lines', 'journal 10 lines')}; target 1.1x",
    ]


def as_markdown(found: dict) -> str:
    lines = [found["machine"], "", "| case | min ms | median ms | x min | x median |", "|---|--:|--:|--:|--:|"]
    for name, row in found["rows"].items():
        numbers = f"{row['min']:.2f} | {row['median']:.2f} | {row['x_min']:.2f} | {row['x_median']:.2f}"
        lines.append(f"| {name} | {numbers} |" + (f" {row['surprise']}" if "surprise" in row else ""))
    for name, kinds in found["modules"].items():
        lines += ["", f"{name}: {len(kinds['code'])} modules with code: {', '.join(kinds['code'])}"]
        lines += [f"{len(kinds['markers'])} empty package markers: {', '.join(kinds['markers'])}"]
    return "\n".join([*lines, "", *(f"- {line}" for line in found["verdict"])])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=40, help="rounds; every case runs once in each")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--big", action="store_true", help="a transcript of 1 GB even where the disk is small")
    parser.add_argument("--jq", action="append", help="a jq to measure against; may be repeated")
    parser.add_argument("--src", type=Path, default=HERE.parent / "src", help="the sources to measure")
    args = parser.parse_args()
    world = World(args.src)
    try:
        big = args.big or shutil.disk_usage(world.cache).free > 10 * GB
        bench = Bench(world, args.jq or [jq for jq in [shutil.which("jq")] if jq], big)
        bench.measure(args.runs)
        found = report(bench, args.runs)
    finally:
        world.remove()
    print(json.dumps(found, indent=2) if args.json else as_markdown(found))


if __name__ == "__main__":
    main()
