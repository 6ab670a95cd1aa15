"""Write the pictures of `loop watch`, docs/screens/watch-*.svg, from loops that really run.

python scripts/record_watch.py
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SCREENS = Path(__file__).resolve().parent.parent / "docs" / "screens"
SIZE = (100, 26)
PRODUCT = "def total(items):\n    return sum(items)\n"
CHECK = """import sys
from totals import total
result = total([0.1, 0.2])
print("1 passed" if result == 0.3 else f"total([0.1, 0.2]): expected 0.3, got {result}\\n1 failed")
sys.exit(result != 0.3)
"""
REPAIR = """sh -c "sed -i 's/sum(items)/round(sum(items), 2)/' totals.py; echo 'Rounded.'" """
TALK = "echo 'I looked at the code. It is harder than I thought.'"


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="watch-") as place:
        os.environ.update(HOME=f"{place}/home", XDG_STATE_HOME=f"{place}/state")
        os.environ.update(GIT_CONFIG_COUNT="2", GIT_CONFIG_KEY_0="user.name")
        os.environ.update(GIT_CONFIG_VALUE_0="demo", GIT_CONFIG_KEY_1="user.email")
        os.environ.update(GIT_CONFIG_VALUE_1="demo@localhost")
        make_loops(Path(place))
        asyncio.run(draw_screens())


def make_loops(place: Path) -> None:
    """One loop that is proven, one paused, one that asks and one that runs."""
    shop, billing = make_project(place / "shop"), make_project(place / "billing")
    site, parser = make_project(place / "docs-site"), make_project(place / "parser")
    loop(shop, "start", "make the totals exact to a cent", *checked("tests pass"))
    loop(shop, "run", "--agent-command", REPAIR)
    loop(parser, "start", "parse amounts with a comma", *checked("tests pass"))
    loop(billing, "start", "round invoices to cents", *checked("tests pass"))
    loop(billing, "run", "--agent-command", TALK)
    loop(
        site,
        "start",
        "rewrite the guide for newcomers",
        "--score",
        "6",
        "--criterion",
        "docs read well",
    )


def make_project(root: Path) -> Path:
    root.mkdir()
    (root / "totals.py").write_text(PRODUCT)
    (root / "check.py").write_text(CHECK)
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "start"]):
        subprocess.run(["git", *words], cwd=root, check=True)
    return root


def checked(name: str) -> tuple[str, ...]:
    return ("--check", f"{name}=python3 check.py", "--score", "9", "--yes")


def loop(root: Path, *words: str) -> None:
    argv = [sys.executable, "-m", "loopwright", *words]
    subprocess.run(argv, cwd=root, stdin=subprocess.DEVNULL, capture_output=True, check=False)


async def draw_screens() -> None:
    from loopwright.tui.app import WatchApp

    app = WatchApp()
    async with app.run_test(size=SIZE) as pilot:
        while len(app.catalog.rows()) < 4:
            await pilot.pause(0.1)
        await pilot.pause(0.5)
        (SCREENS / "watch-board.svg").write_text(app.export_screenshot(title="loop watch"))
        names = [row.project for row in app.catalog.rows()]
        await pilot.press(*["down"] * names.index("billing"), "enter")
        await pilot.pause(1.5)
        (SCREENS / "watch-loop.svg").write_text(app.export_screenshot(title="loop watch"))


if __name__ == "__main__":
    main()
