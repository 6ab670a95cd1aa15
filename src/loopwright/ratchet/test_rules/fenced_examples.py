"""Finds changed examples in the code fences of documents, where a check runs them.

A runner chooses fences by what follows the marks: `python`, `rust`, `sh`. If that changes, or if
the example does, the runner may pass over it.
"""

from __future__ import annotations

import posixpath
from collections import Counter

from ... import lazy_re as re
from ...checks.surroundings import surrounding_kind
from ...checks.test_files import TEST
from ...core.findings import MEDIUM, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...checks.reach import Reach
    from ..project import Project

DOCUMENTS = (".md", ".mdx", ".markdown", ".qmd")
# Programs that run the fences of documents, and the languages that they know.
KNOWN_RUNNER = re.compile(
    r"\b(?:mktestdocs|phmdoctest|pytest-codeblocks|pytest-examples|sybil|byexample|skeptic|mdbook"
    r"|embedme|runme|mdsh|codedown|eslint-plugin-markdown)\b|--(?:markdown-docs|codeblocks)\b"
)
KNOWN_LANGUAGES = frozenset(
    [
        *("python", "py", "python3", "rust", "sh", "bash", "shell", "console", "js", "javascript"),
        *("ts", "typescript", "go", "ruby"),
    ]
)
# A program of the project that looks for fences, or that runs what it reads from documents.
READS_FENCES = re.compile(r"```|~~~|`\{3|[`'\"] ?\* ?3\b")
RUNS_DOCUMENTS = re.compile(
    r"(?s)(?:\.md\b|README).*\b(?:exec|eval|subprocess|execSync|spawnSync|runInNewContext)\b"
)
TEST_OF_DOCUMENTS = re.compile(r"(?i)doc|readme|example|guide|snippet|markdown|tutorial")
OPENING = re.compile(r"^\s*(`{3,}|~{3,})\s*([^`]*)$")
HTML_COMMENT = re.compile(r"<!--.*?-->", re.S)
SKIP_MARK = re.compile(r"<!--[^>]*\b(?:skip|no-?test|no-?run|ignore)\b", re.I)
MAX_TESTS = 50
MAX_SHOWN = 200

Example = tuple[str, str]  # the line that opens the fence, and the code in it


def find(project: Project) -> Iterator[Finding]:
    """The first example of each document that is gone, changed or marked in another way."""
    pages = [c for c in project.changes.values() if c.path.endswith(DOCUMENTS)]
    changed = [c for c in pages if c.before]
    if not any(READS_FENCES.search(c.before or "") for c in changed):
        return
    runners = [text for text in _programs(project, project.reach) if _runs_examples(text)]
    is_known = any(map(KNOWN_RUNNER.search, (*project.reach.lines, *project.reach.programs)))
    if not runners and not is_known:
        return
    for change in changed:
        # A runner may read this folder only.
        beside = [p for p in pages if posixpath.dirname(p.path) == posixpath.dirname(change.path)]
        current = Counter(e for page in beside for e in _examples_in(page.after or ""))
        run = [e for e in _examples_in(change.before or "") if _is_run(e, runners, is_known)]
        lost = list((Counter(run) - current).elements())
        if lost:
            before = " ".join(lost[0])[:MAX_SHOWN]
            yield Finding(MEDIUM, "expected-data-changed", change.path, before=before)
        elif marks := _skip_marks(change.after) - _skip_marks(change.before):
            after = next(marks.elements())[:MAX_SHOWN]
            yield Finding(MEDIUM, "expected-data-changed", change.path, after=after)


def _programs(files: Project, reach: Reach) -> Iterator[str]:
    """The programs of the checks, and the tests whose names say that they read documents."""
    tests = [
        path
        for path in sorted(files.paths_before)
        if TEST_OF_DOCUMENTS.search(path) and surrounding_kind(path, "", "") == TEST
    ]
    for path in (*reach.scripts, *tests[:MAX_TESTS]):
        yield files.before(path) or ""


def _runs_examples(text: str) -> bool:
    return bool(READS_FENCES.search(text) or RUNS_DOCUMENTS.search(text))


def _is_run(example: Example, runners: Iterable[str], is_known: bool) -> bool:
    """Does a runner name the language of the example?"""
    words = re.findall(r"\w[\w+-]*", example[0])
    if not words:
        return False
    if is_known and words[0].lower() in KNOWN_LANGUAGES:
        return True
    language = re.compile(rf"\b{re.escape(words[0])}\b")
    return any(language.search(text) for text in runners)


def _examples_in(text: str) -> list[Example]:
    found: list[Example] = []
    opening, mark = "", ""
    code: list[str] = []
    for line in HTML_COMMENT.sub("", text).splitlines():
        match = OPENING.match(line)
        if not opening:
            if match:
                opening, mark, code = line.rstrip(), match[1], []
        elif match and match[1].startswith(mark) and not match[2]:
            found.append((opening, "\n".join(code)))
            opening = ""
        else:
            code.append(line)
    return found


def _skip_marks(text: str | None) -> Counter[str]:
    return Counter(line.strip() for line in (text or "").splitlines() if SKIP_MARK.search(line))
