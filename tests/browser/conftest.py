"""A real Chromium, driven by Playwright; without it these tests are skipped, and in CI they fail."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tests.browser import axe

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
NEEDED = bool(os.environ.get("LOOP_NEEDS_CLIENT"))
# Found in the person's home, before a test gets one of its own.
SCRIPT = axe.installed_script()


def absent(why: str) -> NoReturn:
    if NEEDED:
        pytest.fail(why)
    pytest.skip(why)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        absent("no Chromium here: apt-get install chromium fonts-noto-color-emoji")
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        absent("Playwright is not installed: pip install -r requirements-dev.txt")
    with sync_playwright() as playwright:
        flags = ["--no-sandbox"] if os.geteuid() == 0 else []
        launched = playwright.chromium.launch(executable_path=program, args=flags)
        yield launched
        launched.close()


@pytest.fixture
def new_page(browser: Any) -> Iterator[Callable[..., Any]]:
    """new_page(…options of a context); a test fails if a script of the page does."""
    contexts: list[Any] = []
    problems: list[str] = []

    def make(**options: Any) -> Any:
        context = browser.new_context(**options)
        context.set_default_timeout(15_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("dialog", lambda dialog: problems.append(f"a dialog: {dialog.message}"))
        return page

    yield make
    for context in contexts:
        context.close()
    assert problems == []


@pytest.fixture(scope="session")
def axe_script() -> Path:
    if not SCRIPT.exists():
        absent(f"axe-core {axe.VERSION} is not installed: make setup")
    return SCRIPT
