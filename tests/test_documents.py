"""The first documents: short, and every file, name and link in them exists."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from loopwright.store.journal import FORMAT

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "loopwright"
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CLAUDE.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
PAGES_ABOUT_CODE = (
    *("CONTRIBUTING.md", "CLAUDE.md"),
    *("docs/architecture.md", "docs/decisions.md", "docs/journal.md"),
)
# A cell of the table "Find it": a file, and the names to look at in it.
PLACE = re.compile(r"`(?P<path>[\w/]+\.py)` → (?P<names>`[\w.]+`(?:, `[\w.]+`)*)")
# Pages that collect notes if nothing stops them.
MOST_LINES = {
    "README.md": 80,
    "docs/architecture.md": 300,
    "docs/performance.md": 150,
    "docs/proof.md": 200,
    "docs/reliability.md": 150,
    "docs/security.md": 200,
}
BEHAVIOURS = {
    "same-error pause": "same error",
    "usage-limit wait": "usage limit",
    "budget cap": "budget cap",
    "A-B-A-B detection": "A-B-A-B",
    "weakened test refutes a claim": "weakened test",
    "redaction": "redaction",
    "lease hand-over": "hand-over",
    "the SHIP box": "SHIP box",
    "Codex argv": "argv of Codex",
    "prompt wording": "prompt wording",
    "environment variables": "environment variables",
    "preset rotation": "preset rotate",
    "lane merge": "lane merged",
    "journal fsync": "fsync",
    "status transitions": "status transitions",
    "must-not": "must-not",
}


def find_it_rows() -> list[tuple[str, str, str]]:
    section = ARCHITECTURE.partition("## Find it\n")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| ")]
    questions = [[*row, ""][:3] for row in rows if len(row) > 1 and "→" in row[1]]
    return [(question, first, then.strip("| ")) for question, first, then in questions]


def places() -> list[tuple[str, str]]:
    cells = [cell for _, first, then in find_it_rows() for cell in (first, then) if cell]
    matches = [(cell, PLACE.fullmatch(cell)) for cell in cells]
    assert not [cell for cell, match in matches if match is None], "a cell is `file.py` → `name`"
    found = [
        (match["path"], name)
        for _, match in matches
        if match
        for name in match["names"].split(", ")
    ]
    return sorted({(path, name.strip("`")) for path, name in found})


def names_in(path: Path) -> set[str]:
    """Functions, classes, methods (Class.method) and constants that a file defines."""
    return set(_names(ast.parse(path.read_text("utf-8")).body))


def _names(body: list[ast.stmt], prefix: str = "") -> list[str]:
    names = []
    for node in body:
        match node:
            case ast.FunctionDef():
                names.append(f"{prefix}{node.name}")
            case ast.ClassDef():
                names += [f"{prefix}{node.name}", *_names(node.body, f"{prefix}{node.name}.")]
            case ast.Assign():
                parts = [part for target in node.targets for part in ast.walk(target)]
                names += [f"{prefix}{part.id}" for part in parts if isinstance(part, ast.Name)]
            case ast.AnnAssign(target=ast.Name(name)):
                names.append(f"{prefix}{name}")
    return names


@pytest.mark.parametrize(("path", "name"), places())
def test_every_place_in_the_find_it_table_exists(path: str, name: str) -> None:
    assert name in names_in(PACKAGE / path)


@pytest.mark.parametrize("phrase", BEHAVIOURS.values(), ids=BEHAVIOURS.keys())
def test_the_find_it_table_answers_in_at_most_two_hops(phrase: str) -> None:
    # A row names one file, or two: that is what bounds the hops.
    assert [question for question, _, _ in find_it_rows() if phrase in question]


@pytest.mark.parametrize(("page", "limit"), MOST_LINES.items())
def test_a_page_that_must_stay_short_does(page: str, limit: int) -> None:
    assert len((ROOT / page).read_text("utf-8").splitlines()) <= limit


def test_the_find_it_table_fits_on_a_screen_or_two() -> None:
    section = ARCHITECTURE.partition("## Find it\n")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")]

    assert len(rows) - 1 <= 40  # the first is the head


def test_the_changelog_of_what_is_not_released_fits_on_a_page() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    unreleased = changelog.partition("## Unreleased\n")[2].partition("\n## ")[0]

    assert len(unreleased.splitlines()) <= 60


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_between_the_pages_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s:]*)(?:#([\w-]+))?\)", page.read_text("utf-8"))
    targets = [(page.parent / path if path else page, anchor) for path, anchor in links]

    assert not [target for target, _ in targets if not target.exists()]
    assert not [(target, anchor) for target, anchor in targets if anchor not in anchors(target)]


def anchors(page: Path) -> set[str]:
    """The headings of a page, as links spell them; "" is the page itself."""
    if page.suffix != ".md":
        return {""}
    headings = re.findall(r"(?m)^#+ (.+)$", page.read_text("utf-8"))
    return {"", *(re.sub(r"[^\w -]", "", text).lower().replace(" ", "-") for text in headings)}


@pytest.mark.parametrize("page", PAGES_ABOUT_CODE)
def test_every_source_file_that_a_page_names_exists(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    paths = set(re.findall(r"`((?!refs/)(?:\w+/)+[\w.-]*)`", text))

    assert not [path for path in paths if not source_file(path).exists()]


@pytest.mark.parametrize("page", PAGES_ABOUT_CODE)
def test_every_name_that_a_page_places_in_a_file_is_there(page: str) -> None:
    text = " ".join((ROOT / page).read_text("utf-8").split())
    named = re.findall(r"`(\w+)` (?:in|of) `((?:\w+/)*\w+\.py)`", text)

    assert not [(name, path) for name, path in named if name not in names_in(source_file(path))]


def source_file(path: str) -> Path:
    """Most pages leave `src/loopwright/` out."""
    return PACKAGE / path if (PACKAGE / path).exists() else ROOT / path


def test_the_journal_page_names_the_format_of_today() -> None:
    page = (ROOT / "docs" / "journal.md").read_text("utf-8")

    assert f"number of the format; today {FORMAT} |" in page


@pytest.mark.skipif(sys.platform == "win32", reason="the demo is recorded on a pseudo-terminal")
def test_the_picture_in_the_readme_is_a_recording_of_the_demo() -> None:
    check = [sys.executable, str(ROOT / "scripts" / "record_demo.py"), "--check"]
    result = subprocess.run(check, capture_output=True, text=True, timeout=120)

    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert "](docs/demo.svg)" in (ROOT / "README.md").read_text("utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="its check is python3, as on other systems")
def test_the_output_on_the_page_about_use_is_of_a_run_of_today() -> None:
    check = [sys.executable, str(ROOT / "scripts" / "record_using.py"), "--check"]
    result = subprocess.run(check, capture_output=True, text=True, timeout=120)

    assert result.returncode == 0, result.stdout + result.stderr
