"""Measure the tree's hash against `git status`, on a repository with many files.

It asserts nothing.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from report import describe_machine, save_tables, table_text

from loopwright.repo import kept_trees, tree
from loopwright.repo.tree import tree_hash

STATUS, STATUS_EDITED = "git status", "git status, one file changed"
WHO = ("-c", "user.name=Bench", "-c", "user.email=bench@example.invalid")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=50_000)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--save", action="store_true", help="write the table for docs/generate.py")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "repository"
        create_repository(root, args.files)
        loop = root / ".loop"
        loop.mkdir()
        (loop / ".gitignore").write_text("*\n")
        where = (str(root), str(loop))
        first = time_call(lambda: tree_hash(*where))
        kept_trees.keep_tree(*where, tree_hash(*where), "refs/loop/bench/0")
        rows = [
            (STATUS, lambda: run_git(root, "status", "--porcelain"), False),
            ("tree, nothing changed", lambda: tree_hash(*where), False),
            (STATUS_EDITED, lambda: run_git(root, "status", "--porcelain"), True),
            ("tree, one file changed", lambda: tree.read_tree(*where, store=True), True),
            ("tree kept as a commit", lambda: keep_tree(*where), True),
        ]
        times = measure_rows(root, rows, args.runs)
        # In rounds of its own: it makes our index anew, and to keep the next tree takes longer.
        anew = [("tree rehashed from all content", lambda: tree.reread_tree(*where, ()), False)]
        times |= measure_rows(root, anew, max(1, args.runs // 5))
    base = {False: STATUS, True: STATUS_EDITED}
    cells = []
    for name, _, edited in [*rows, *anew]:
        spent, least = statistics.median(times[name]), min(times[name])
        by_median = spent / statistics.median(times[base[edited]])
        by_minimum = least / min(times[base[edited]])
        cells.append([name, f"{spent:.0f}", f"{by_minimum:.2f}", f"{by_median:.2f}"])
    table = {"head": ["what", "ms", "x git status by minima", "by medians"], "rows": cells}
    machine = f"{args.files:,} files, {describe_machine(args.runs)}"
    if args.save:
        save_tables("tree", machine, {"times": table})
    print(f"{machine}; the first hash took {first:.0f} ms\n\n{table_text(table)}")


def keep_tree(root: str, loop: str) -> str:
    """As a Stop does it: new content is stored while it is hashed."""
    name = tree.read_tree(root, loop, store=True).tree
    return kept_trees.keep_tree(root, loop, name, "refs/loop/bench/1")


def create_repository(root: Path, files: int) -> None:
    """Commit small files, a hundred per folder."""
    for number in range(files):
        path = root / f"part{number // 10_000}" / f"folder{number // 100}" / f"file{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"value = {number}\n" * 20)
    run_git(root, "init", "-q", "-b", "main")
    run_git(root, "add", "-A")
    run_git(root, *WHO, "commit", "-qm", "all of it")


def measure_rows(
    root: Path, rows: list[tuple[str, Callable[[], object], bool]], runs: int
) -> dict[str, list[float]]:
    """Run the rows in turn, so that a busy machine slows all of them. The first round warms up."""
    times: dict[str, list[float]] = {name: [] for name, _, _ in rows}
    for number in range(runs + 1):
        for name, act, edited in rows:
            if edited:
                (root / "part0" / "folder0" / "file7.py").write_text(f"value = {time.time_ns()}\n")
            took = time_call(act)
            if number:
                times[name].append(took)
    return times


def time_call(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return (time.perf_counter() - began) * 1000


def run_git(root: Path, *words: str) -> None:
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["git", *words], cwd=root, env=env, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
