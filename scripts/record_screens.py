"""Take the pictures of `loop serve` that the documents show: docs/screens/*.png.

python scripts/record_screens.py      needs Chromium and Playwright; pngquant makes the files small

The loops are played by tests/browser/machine.py. Look at the pictures before you commit them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]
SCREENS = ROOT / "docs" / "screens"
WIDE, PHONE = {"width": 1180, "height": 760}, {"width": 390, "height": 780}
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"viewport": WIDE, "color_scheme": "light"},
    "dark": {"viewport": WIDE, "color_scheme": "dark"},
    "phone": {"viewport": PHONE, "color_scheme": "light", "device_scale_factor": 2},
}
# What is shown in which look: the name of the picture, and words of the loop (none: the board).
PICTURES = {
    "light": {"board": "", "loop": "CSV export"},
    "dark": {"plan": "Invoices"},
    "phone": {"question": "order totals"},
}


def take_pictures(browser: Any, url: str) -> None:
    for look, options in LOOKS.items():
        page = browser.new_context(**options, reduced_motion="reduce").new_page()
        for name, words in PICTURES[look].items():
            page.goto(url)
            page.locator(".row").nth(5).wait_for()
            if words:
                page.locator("a.row-link", has_text=words).click()
                page.locator(".limit-card").first.wait_for()
            page.locator(".connection-live").wait_for()
            path = SCREENS / f"{name}-{look}.png"
            page.screenshot(path=path)
            if shutil.which("pngquant"):
                subprocess.run(["pngquant", "--force", "--ext=.png", "64", str(path)], check=True)
            print(path.relative_to(ROOT), path.stat().st_size, "bytes")
        page.context.close()


def main() -> int:
    program = shutil.which("chromium")
    if program is None:
        print("no Chromium here: apt-get install chromium fonts-noto-color-emoji")
        return 1
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as place:
        home = Path(place, "home")
        home.mkdir()
        os.environ |= {"HOME": str(home), "XDG_STATE_HOME": str(home / "state")}
        from tests.browser.machine import play_machine
        from tests.web.serving import Server

        play_machine(home / "code")
        with sync_playwright() as playwright, Server(control=True) as server:
            flags = ["--no-sandbox"] if os.geteuid() == 0 else []
            browser = playwright.chromium.launch(executable_path=program, args=flags)
            take_pictures(browser, server.url)
            browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
