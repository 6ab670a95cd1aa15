"""Shows that each case does what it says: `python -m tests.proof_cases.verify_cases [NAME...]`.

A NAME is part of the name of a case, of a family or of a project. Every case is built in a
temporary folder with git. The check must be red at the start; after a cheat it exits 0 in place
while the truth shows the bug; after an honest agent the truth holds. `install.sh` installs jest and
vitest. Nothing of Loopwright is started, so the lines in `orders` are left out.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.proof_cases.case import Case, Project, Start
from tests.proof_cases.catalogue import ALL, CHEATS, HONEST, PROJECTS

CACHE = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
# What install.sh installs, or another folder with jest and vitest.
NODE_MODULES = os.environ.get("PROOF_NODE_MODULES") or f"{CACHE}/loopwright/proof-node/node_modules"
SECONDS = 120
REAL_HOME = Path.home()  # a test has a home of its own
DROPPED = ("PYTEST_", "PYTHON", "NODE_", "npm_", "GIT_", "MAKE", "VIRTUAL_ENV", "LOOP_", "CLAUDE")


def missing_tools(needs: str) -> list[str]:
    return [tool for tool in needs.split() if not has_tool(tool)]


def has_tool(tool: str) -> bool:
    if tool in ("jest", "vitest"):
        return bool(NODE_MODULES) and (Path(NODE_MODULES) / tool).is_dir()
    return shutil.which(tool) is not None


def environment(home: Path, folder: Path, path: Iterable[str]) -> dict[str, str]:
    values = {k: v for k, v in os.environ.items() if not k.startswith(DROPPED)}
    places = [str(folder / part) for part in path]
    values["PATH"] = os.pathsep.join([*places, str(Path(sys.executable).parent), values["PATH"]])
    values["HOME"] = str(home)
    values["LOOP_SANDBOX"] = os.environ.get("LOOP_SANDBOX", "off")  # auto: checks run inside
    values["CARGO_HOME"] = os.environ.get("CARGO_HOME", str(REAL_HOME / ".cargo"))
    values["RUSTUP_HOME"] = os.environ.get("RUSTUP_HOME", str(REAL_HOME / ".rustup"))
    # A cache for each case would compile the standard library of go again.
    values["GOCACHE"] = os.environ.get("GOCACHE", str(REAL_HOME / ".cache" / "go-build"))
    values["TMPDIR"] = str(home)
    return values


class Place:
    """One project in a temporary folder."""

    def __init__(self, root: Path, path: Iterable[str]) -> None:
        self.folder = root / "project"
        self.home = root / "home"
        self.folder.mkdir()
        self.home.mkdir()
        self.environment = environment(self.home, self.folder, path)

    def run(self, line: str) -> subprocess.CompletedProcess[str]:
        with open(self.home / "output", "w+") as output:
            try:
                code = subprocess.run(
                    ["sh", "-c", line],
                    cwd=self.folder,
                    env=self.environment,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    timeout=SECONDS,
                ).returncode
            except subprocess.TimeoutExpired:
                code = 124
            output.seek(0)
            return subprocess.CompletedProcess(line, code, stdout=output.read())

    def must(self, line: str) -> None:
        done = self.run(line)
        if done.returncode:
            raise RuntimeError(f"{line!r} exits {done.returncode}: {done.stdout[-800:]}")

    def write(self, edits: Mapping[str, str | None]) -> None:
        for name, text in edits.items():
            file = self.folder / name
            if text is None:
                file.unlink()
                continue
            if file.is_symlink():
                file.unlink()
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    def begin(self, project: Project, start: Start) -> None:
        self.write({**project.files, **start.committed})
        if {"jest", "vitest"} & set(project.needs.split()):
            shutil.copytree(
                NODE_MODULES,
                self.folder / "node_modules",
                symlinks=True,
                copy_function=link_or_copy,
            )
        self.must(
            "git init -q -b main && git config user.name t && git config user.email t@t.invalid"
            " && git add -A && git commit -q -m start"
        )
        self.write(start.uncommitted)
        for line in start.commands:
            self.must(line)

    def holds(self, truth: str) -> bool:
        return "holds" in self.run(truth).stdout


def link_or_copy(source: str, target: str) -> None:
    """A hard link is quicker; the commands of cases replace files, they do not write into them."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def color_of(code: int) -> str:
    return "green" if code == 0 else "red"


def problem_of_project(project: Project) -> str:
    with tempfile.TemporaryDirectory(prefix="proof-") as root:
        place = Place(Path(root), ())
        place.begin(project, Start())
        if place.run(project.check).returncode == 0:
            return "the check is green at the start"
        if place.holds(project.truth):
            return "the truth holds at the start"
        place.write(project.fix)
        done = place.run(project.check)
        if done.returncode:
            return f"the check is red after the fix: {done.stdout[-800:]}"
        if not place.holds(project.truth):
            return "the truth does not hold after the fix"
    return ""


def problem_of_case(case: Case) -> str:
    with tempfile.TemporaryDirectory(prefix="proof-", ignore_cleanup_errors=True) as root:
        place = Place(Path(root), case.start.path)
        try:
            return problem_at(place, case)
        finally:
            for line in case.after:
                place.run(line)


# Starts that were seen to have the right color; many cases share one.
SEEN: list[tuple[str, Start]] = []


def problem_at_start(place: Place, case: Case, check: str) -> str:
    if (case.project.name, case.start) in SEEN:
        return ""
    first = place.run(check)
    wanted = "red" if case.start.color == "unrunnable" else case.start.color
    if color_of(first.returncode) != wanted:
        return f"at the start the check exits {first.returncode}: {first.stdout[-800:]}"
    SEEN.append((case.project.name, case.start))
    return ""


def problem_at(place: Place, case: Case) -> str:
    check = case.start.check or case.project.check
    truth = case.truth or case.project.truth
    place.begin(case.project, case.start)
    if problem := problem_at_start(place, case, check):
        return problem
    place.write(case.edits)
    for line in case.commands:
        place.must(line)
    for _ in range(case.tries):
        last = place.run(check)
        if (last.returncode == 0) == case.green:
            break
    if (last.returncode == 0) != case.green:
        return f"at the end the check exits {last.returncode}: {last.stdout[-800:]}"
    if place.holds(truth) != case.honest:
        return "the truth " + ("does not hold" if case.honest else "holds")
    return ""


def faults_of_catalogue() -> list[str]:
    names = Counter(case.name for case in ALL)
    faults = [f"two cases are named {name}" for name, count in names.items() if count > 1]
    for case in ALL:
        if not case.why.endswith(".") or case.why.count(". "):
            faults.append(f"{case.name}: why is not one sentence")
        if case.expect in ("impossible", "asked") and not case.reason:
            faults.append(f"{case.name}: has no reason")
    unused = PROJECTS.keys() - {case.project.name for case in ALL}
    return faults + [f"no case is in the project {name}" for name in sorted(unused)]


def chosen(words: list[str]) -> list[Case]:
    if not words:
        return list(ALL)
    return [
        case
        for case in ALL
        if any(word in (case.family, case.project.name) or word in case.name for word in words)
    ]


def main(words: list[str]) -> int:
    bad = faults_of_catalogue()
    for fault in bad:
        print(f"FAULT  {fault}")
    skipped: Counter[str] = Counter()
    for project in PROJECTS.values() if not words else ():
        if missing := missing_tools(project.needs):
            print(f"SKIP   project {project.name}: no {', '.join(missing)}")
        elif problem := problem_of_project(project):
            bad.append(project.name)
            print(f"BAD    project {project.name}: {problem}")
    cases = chosen(words)
    for case in cases:
        if missing := missing_tools(f"{case.project.needs} {case.needs}"):
            skipped.update(missing)
            print(f"SKIP   {case.name}: no {', '.join(missing)}")
            continue
        began = time.monotonic()
        try:
            problem = problem_of_case(case)
        except (RuntimeError, OSError) as error:
            problem = str(error)
        if problem:
            bad.append(case.name)
            print(f"BAD    {case.family}: {case.name}: {problem}")
        elif "-v" in sys.argv:
            print(f"ok     {case.name} ({time.monotonic() - began:.1f} s)")
    impossible = sum(case.expect == "impossible" for case in CHEATS)
    print(f"{len(CHEATS)} cheats ({impossible} impossible), {len(HONEST)} honest agents")
    print(f"{len(cases)} looked at, {len(bad)} bad, skipped for lack of: {dict(skipped)}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main([word for word in sys.argv[1:] if word != "-v"]))
