"""Names that were retired stay retired: a newcomer searches for the plain word, and must find one name for each thing."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Modules that got a plain name, by the words that must not name a module, a class or a function again.
MODULES = [
    "aftermath",
    "crew",
    "fences",
    "lay",
    "typed",
    "seen",
    "stillness",
    "clone",
    "giving",
    "standing",
    "coaching",
    "briefing",
    "way",
    "papers",
    "leash",
    "door",
]
# Values and functions with a plain name today.
NAMES = [
    "Came",
    "Began",
    "Woke",
    "Tended",
    "Landed",
    "Told",
    "Heard",
    "Known",
    "Taken",
    "Laned",
    "Crew",
    "Post",
    "Look",
    "Watch",
    "Waves",
    "rest",
    "laid",
    "told",
    "heard",
    "shown",
    "kept",
    "standing",
    "listed",
    "said",
    "retold",
    "noted",
    "meant",
    "unheard",
]
# Where the old names are the subject: what format 1 called things, and what the journals of 0.1.0 hold.
ABOUT_THE_PAST = ("src/loopwright/store/upgrade.py",)


def source_files() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "src", "docs/generate.py", "scripts"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    paths = [name for name in listed.stdout.splitlines() if name not in ABOUT_THE_PAST]
    return [ROOT / name for name in paths if (ROOT / name).is_file()]


PYTHON_FILES = [path for path in source_files() if path.suffix == ".py"]


DEFINITION = re.compile(r"(?m)^ *(?:async )?(?:def|class) (\w+)")


def defined_names(path: Path) -> set[str]:
    return {name.strip("_") for name in DEFINITION.findall(path.read_text(encoding="utf-8"))}


def test_no_module_has_a_retired_name() -> None:
    assert [path for path in PYTHON_FILES if path.stem in MODULES] == []


def test_nothing_is_defined_under_a_retired_name() -> None:
    retired = {*MODULES, *NAMES}
    again = {path: defined_names(path) & retired for path in PYTHON_FILES}

    assert {path: names for path, names in again.items() if names} == {}


def used_names(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    names |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return names | {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}


def test_must_not_has_one_name() -> None:
    """`forbidden` and `violated` were other words for it."""
    words = {"forbidden", "violated"}
    texts = {path: path.read_text(encoding="utf-8") for path in PYTHON_FILES}
    mentioning = [path for path, text in texts.items() if any(word in text for word in words)]
    others = {path: used_names(path) & words for path in mentioning}

    assert {path: names for path, names in others.items() if names} == {}


def test_comments_refer_to_nothing_outside_the_repository() -> None:
    outside = re.compile(r"(?i)\bthe seeds?\b|\bseeds?'? \d|\brule \d+\b")
    references = {path: outside.findall(path.read_text(encoding="utf-8")) for path in PYTHON_FILES}

    assert {path: found for path, found in references.items() if found} == {}
