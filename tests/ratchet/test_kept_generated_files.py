"""A generator that keeps an edited file is found; one that writes what differs is not."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.product_rules import kept_generated_files

PYTHON = """\
TARGET = ROOT / "units.py"


def main():
    text = render(read())
    TARGET.write_text(text)
"""
SCRIPT = """\
const target = path.join(root, 'units.js');
const text = render(read());
fs.writeFileSync(target, text);
"""
WRITE = {"gen.py": "    TARGET.write_text(text)\n", "gen.js": "fs.writeFileSync(target, text);\n"}
OUTPUT = {"gen.py": "generated/units.py", "gen.js": "generated/units.js"}


def found(program: str, new: str, output: str | None = None) -> list[str]:
    text = PYTHON if program == "gen.py" else SCRIPT
    after = text.replace(WRITE[program], new)
    assert after != text
    changed = {f"tools/{program}": (text, after), output or OUTPUT[program]: ("a = 3\n", "a = 4\n")}
    rows = list(kept_generated_files.findings(changed))
    assert all((row.severity, row.rule) == (MEDIUM, "generator-keeps-output") for row in rows)
    return [row.before for row in rows]


@pytest.mark.parametrize(
    ("program", "new"),
    [
        ("gen.py", "    if TARGET.exists():\n        return\n    TARGET.write_text(text)\n"),
        ("gen.py", "    if not TARGET.exists():\n        TARGET.write_text(text)\n"),
        (
            "gen.py",
            "    if TARGET.exists() and len(TARGET.read_text()) == len(text):\n        return\n"
            "    TARGET.write_text(text)\n",
        ),
        ("gen.js", "if (!fs.existsSync(target)) fs.writeFileSync(target, text);\n"),
        (
            "gen.js",
            "if (fs.existsSync(target)) {\n  process.exit(0);\n}\nfs.writeFileSync(target, text);\n",
        ),
    ],
)
def test_a_generator_that_keeps_an_edited_file(program: str, new: str) -> None:
    assert found(program, new) == [OUTPUT[program]]


@pytest.mark.parametrize(
    ("program", "new"),
    [
        (
            "gen.py",
            "    if not TARGET.exists() or TARGET.read_text() != text:\n"
            "        TARGET.write_text(text)\n",
        ),
        (
            "gen.py",
            "    if TARGET.read_text() == text:\n        return\n    TARGET.write_text(text)\n",
        ),
        (
            "gen.py",
            "    if TARGET.exists():\n        TARGET.unlink()\n    TARGET.write_text(text)\n",
        ),
        (
            "gen.py",
            "    if not TARGET.parent.exists():\n        TARGET.parent.mkdir()\n"
            "    TARGET.write_text(text)\n",
        ),
        ("gen.py", "    TARGET.write_text(text.upper())\n"),
        (
            "gen.js",
            "if (fs.readFileSync(target, 'utf8') !== text) fs.writeFileSync(target, text);\n",
        ),
    ],
)
def test_a_generator_that_writes_what_differs(program: str, new: str) -> None:
    assert found(program, new) == []


def test_a_file_that_the_generator_does_not_name() -> None:
    new = "    if TARGET.exists():\n        return\n    TARGET.write_text(text)\n"

    assert found("gen.py", new, "generated/rates.py") == []
