"""Take the pictures of the situations that the documents show: docs/screens/*.png and watch-*.svg.

python scripts/record_screens.py [FOLDER]    needs Chromium, Playwright; pngquant makes them small

The loops really run (situations.py). Look at the pictures before you commit them.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]
from scripts.situations import SITUATIONS, begin_others, prepare_environment  # noqa: E402

WIDE, PHONE = {"width": 1440, "height": 1000}, {"width": 390, "height": 844}
# What is shown in which look; each look has its window and its colours.
LOOKS: dict[str, tuple[dict[str, int], str, tuple[str, ...]]] = {
    "": (WIDE, "light", ("start", "refuted", "paused", "proven", "reported", "board", "morning")),
    "-dark": (WIDE, "dark", ("question", "limit", "plan", "tested", "accepted")),
    "-phone": (PHONE, "light", ("question", "plan", "board")),
}
# Where what a picture is about is further down.
HEIGHTS = {
    "board": 1700,
    "board-phone": 2400,
    "plan-dark": 1350,
    "plan-phone": 1350,
    "morning": 2300,
}
COLOURS = 128
# The loops that work while their picture is taken begin last: an agent that is silent is ended.
LAST = ("plan", "limit", "refuted")


def play(place: Path) -> list[subprocess.Popen[bytes]]:
    code = place / "home" / "code"  # so that the pictures show ~/code and not this machine
    code.mkdir()
    names = [*(name for name in SITUATIONS if name not in LAST), *LAST]
    running = []
    begin_others(code)
    for name in names:
        folder, play_situation = SITUATIONS[name]
        process = play_situation(code / folder)
        running += [process] if process else []
        print("played", name, flush=True)
    return running


def address_of(name: str, page: Any, server: Any, report: Path) -> str:
    if name == "morning":
        return report.as_uri()
    if name == "board":
        return f"http://127.0.0.1:{server.port}/"
    rows = page.evaluate("async () => (await (await fetch('/api/loops')).json()).rows")
    found = next(row["id"] for row in rows if row["project"] == SITUATIONS[name][0])
    return f"http://127.0.0.1:{server.port}/loop/{found}"


def take_pictures(browser: Any, server: Any, report: Path, folder: Path) -> None:
    for look, (window, colours, names) in LOOKS.items():
        context = browser.new_context(
            viewport=window, color_scheme=colours, reduced_motion="reduce"
        )
        page = context.new_page()
        page.set_default_timeout(60_000)
        for name in names:
            page.goto(server.url)
            page.locator(".row").nth(5).wait_for()
            page.goto(address_of(name, page, server, report))
            if name != "morning":
                page.locator(".row, .limit-card").first.wait_for()
                page.locator(".connection-live").wait_for()
            height = HEIGHTS.get(f"{name}{look}", window["height"])
            page.set_viewport_size(window | {"height": height})
            page.wait_for_timeout(400)
            path = folder / f"{name}{look}.png"
            page.screenshot(path=path)
            make_small(path)
            print(path.name, path.stat().st_size, "bytes", flush=True)
        context.close()


def make_small(path: Path) -> None:
    """With few colours, if pngquant is here."""
    if shutil.which("pngquant"):
        words = ["--force", "--ext=.png", str(COLOURS), str(path)]
        subprocess.run(["pngquant", *words], check=True)


async def draw_watch(folder: Path) -> None:
    """`loop watch`: the board at 80 by 24, and a loop at 120 by 40."""
    from loopwright.tui.app import WatchApp

    for name, size, keys in (("watch-board", (80, 24), ""), ("watch-loop", (120, 40), "2")):
        app = WatchApp()
        async with app.run_test(size=size) as pilot:
            while len(app.catalog.rows()) < len(SITUATIONS):
                await pilot.pause(0.1)
            await pilot.pause(3.0)  # the line of keys comes last
            if keys:
                await pilot.press("/", *"invoice-totals", "enter")
                await pilot.pause(1.5)
                await pilot.press("enter")
                await pilot.pause(1.5)
                await pilot.press(keys)
                await pilot.pause(1.0)
            (folder / f"{name}.svg").write_text(app.export_screenshot(title="loop watch"))


def main() -> int:
    program = shutil.which("chromium")
    if program is None:
        print("no Chromium here: apt-get install chromium fonts-noto-color-emoji")
        return 1
    from playwright.sync_api import sync_playwright

    folder = Path(sys.argv[1]) if sys.argv[1:] else ROOT / "docs" / "screens"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        place = Path(name)
        prepare_environment(place)
        from tests.web.serving import Server

        running = play(place)
        try:
            report = place / "morning.html"
            words = [sys.executable, "-m", "loopwright", "report", "--since", "yesterday", "--html"]
            with report.open("wb") as file:
                subprocess.run(words, cwd=place / "home", stdout=file, check=True)
            with sync_playwright() as playwright, Server(control=True) as server:
                flags = ["--no-sandbox"] if os.geteuid() == 0 else []
                browser = playwright.chromium.launch(executable_path=program, args=flags)
                take_pictures(browser, server, report, folder)
                browser.close()
            asyncio.run(draw_watch(folder))
        finally:
            for process in running:
                process.terminate()
                process.wait()
            time.sleep(1)  # their agents end a moment later
    return 0


if __name__ == "__main__":
    sys.exit(main())
