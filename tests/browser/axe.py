"""axe-core, which finds what makes a page hard to use with a screen reader or without a mouse.

python -m tests.browser.axe      # what to install, where, and the file that must then be there
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.e2e.client import folder

VERSION = "4.14.0"


def installed_script() -> Path:
    return folder(f"axe-{VERSION}") / "node_modules" / "axe-core" / "axe.min.js"


def violations(page: Any, script: Path) -> list[str]:
    """What axe-core finds on the page as it is now: rule, and the elements that break it."""
    page.add_script_tag(content=script.read_text(encoding="utf-8"))
    result = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{found['id']}: {[node['html'][:200] for node in found['nodes'][:3]]}"
        for found in result["violations"]
    ]


if __name__ == "__main__":
    print(f"axe-core@{VERSION}", folder(f"axe-{VERSION}"), installed_script(), sep="\n")
