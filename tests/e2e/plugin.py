"""The plugin as it is checked in, and what the model is scripted to type for it."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.e2e.turn import Turn, runs
from tests.e2e.world import CHECK

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "plugins" / "claude"
WITH = ("--plugin-dir", str(PLUGIN))
OWN = {
    "PATH": "/usr/local/bin:/usr/bin:/bin"
}  # no other `loop` on it: the one that runs is the plugin's
FIVE = {
    "Outcome": "2 (clear refactor)",
    "Scope": "2 (API routes)",
    "Constraints": "1 (middleware implied)",
    "Success": "1 (implicit: works)",
    "Done": "1 (implicit: all routes)",
}
TESTS = f'--check "tests pass={CHECK}"'


def clone_to(folder: Path) -> None:
    """What a clone has of the plugin: the marketplace, the plugin with its link, and the package that the link leads to."""
    for name in (".claude-plugin", "plugins", "src"):
        shutil.rmtree(folder / name, ignore_errors=True)
        shutil.copytree(
            ROOT / name, folder / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__")
        )


def score_flags(five: dict[str, str] = FIVE) -> str:
    return " ".join(f'--point "{name}: {why}"' for name, why in five.items())


def starts(*words: str, five: dict[str, str] = FIVE) -> Turn:
    """The model carries out /loop:start as its skill says."""
    return runs(
        " ".join(["loop start", *words, score_flags(five)]), "I score the spec and start the loop."
    )
