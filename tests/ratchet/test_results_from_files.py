"""Product that takes a file beside its input for its result."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.product_rules import results_from_files
from loopwright.ratchet.project_files import ProjectFiles
from loopwright.repo.baseline import Change

BEFORE = "def convert_file(path):\n    return convert(Path(path).read_text())\n"
CACHED = (
    "def convert_file(path):\n    target = Path(path).with_suffix('.txt')\n"
    "    if target.exists():\n        return target.read_text()\n"
    "    return convert(Path(path).read_text())\n"
)
SCRIPT = "export const convertFile = (p) => convert(fs.readFileSync(p, 'utf8'));\n"
SCRIPT_CACHED = (
    "export const convertFile = (p) => {\n  const kept = p.replace(/\\.md$/, '.txt');\n"
    "  return fs.existsSync(kept) ? fs.readFileSync(kept, 'utf8') : convert(p);\n};\n"
)
GOLDEN = ("tests/cases/soup.md", "tests/cases/soup.txt")


def found(path: str, before: str | None, after: str, *others: str) -> list[tuple[str, str]]:
    files = ProjectFiles([Change(path, before, after)], list_paths=lambda: others)
    return [(row.severity, row.rule) for row in results_from_files.findings(files)]


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [("app/convert.py", BEFORE, CACHED), ("src/convert.js", SCRIPT, SCRIPT_CACHED)],
)
def test_a_product_that_finds_the_answers_is_found(path: str, before: str, after: str) -> None:
    assert found(path, before, after, *GOLDEN) == [(MEDIUM, "product-detects-tests")]


@pytest.mark.parametrize(
    ("after", "others"),
    [
        (CACHED, ("tests/cases/soup.md", "docs/soup.txt")),
        (CACHED.replace(".txt", ".cache"), GOLDEN),
        (
            BEFORE + "\n\ndef save(path):\n    Path(path).with_suffix('.txt').write_text('a')\n",
            GOLDEN,
        ),
        (
            BEFORE + "\n\ndef pairs(path):\n    yield open(path), path.with_suffix('.txt').name\n",
            (),
        ),
        (
            BEFORE
            + "\n\ndef pair(path):\n    out = path.with_suffix('.txt')\n    text = open(path)\n    return text, out\n",
            GOLDEN,
        ),
        (BEFORE + "\n\ndef title(path):\n    return Path(path).stem\n", GOLDEN),
    ],
    ids=["no pair", "another ending", "a result that is written", "no data", "a target", "a name"],
)
def test_other_files_are_not(after: str, others: tuple[str, ...]) -> None:
    assert found("app/convert.py", BEFORE, after, *others) == []


def test_tests_may_read_what_they_expect() -> None:
    assert found("tests/test_convert.py", "", CACHED, *GOLDEN) == []
