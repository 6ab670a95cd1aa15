"""An example of a document that a check runs must stay as it is; other documents may change."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.project import Project
from loopwright.ratchet.test_rules import fenced_examples
from loopwright.repo.baseline import Change

RUNNER = """\
for line in page.read_text().splitlines():
    if line == "```python":
        block = []
    elif line == "```":
        exec("\\n".join(block))
"""
PAGE = "# Units\n\nA mile:\n\n```python\nassert miles(10) == 6.21\n```\n\n```text\nplain\n```\n"
OWN = {"tools/run_docs.py": RUNNER}
CHECK = "python3 tools/run_docs.py"


def found(
    after: str | None, check: str = CHECK, others: dict[str, str] | None = None, **new: str
) -> list[str]:
    texts = OWN if others is None else others
    changes = [Change("docs/units.md", PAGE, after)]
    changes += [Change(f"docs/{name}.md", None, text) for name, text in new.items()]
    rows = list(fenced_examples.find(Project(changes, texts.get, lambda: texts, (check,))))
    assert all((row.severity, row.rule) == (MEDIUM, "expected-data-changed") for row in rows)
    return [row.file for row in rows]


WEAKER = {
    "a title": PAGE.replace("```python", '```python title="Miles"'),
    "another language": PAGE.replace("```python", "```text"),
    "a word for the runner": PAGE.replace("```python", "```python no_run"),
    "an indented fence": PAGE.replace("```python", " ```python"),
    "tildes": PAGE.replace("```python", "~~~python").replace("6.21\n```", "6.21\n~~~"),
    "another value": PAGE.replace("6.21", "5.4"),
    "the example is gone": PAGE.replace("```python\nassert miles(10) == 6.21\n```\n", ""),
    "a comment around it": PAGE.replace("```python", "<!--\n```python").replace(
        "6.21\n```", "6.21\n```\n-->"
    ),
    "a mark for the runner": PAGE.replace("```python", "<!-- skip: next -->\n```python"),
}


@pytest.mark.parametrize("after", WEAKER.values(), ids=WEAKER)
def test_an_example_that_may_no_longer_run_is_found(after: str) -> None:
    assert found(after) == ["docs/units.md"]


@pytest.mark.parametrize(
    ("check", "others"),
    [
        ("pytest --markdown-docs", {}),
        ("pytest", {"tests/test_docs.py": RUNNER}),
        ("node --test", {"test/readme.test.js": "text.split('```python')"}),
        ("sh check.sh", {"check.sh": "codedown python < docs/units.md | python3 -\n"}),
    ],
)
def test_runners_are_recognised(check: str, others: dict[str, str]) -> None:
    assert found(WEAKER["another language"], check, others)


@pytest.mark.parametrize(
    "after",
    [
        PAGE.replace("A mile:", "A land mile has 1.609 km:"),
        PAGE + "\n```python\nassert metres(1) == 1000\n```\n",
        PAGE.replace("```text", "```console"),
        PAGE.replace("plain", "plainer"),
    ],
)
def test_words_new_examples_and_other_languages_are_not_found(after: str) -> None:
    assert not found(after)


def test_an_example_that_moves_to_another_page_is_not_found() -> None:
    example = "```python\nassert miles(10) == 6.21\n```\n"

    assert not found(PAGE.replace(example, ""), miles=f"# Miles\n\n{example}")


@pytest.mark.parametrize(
    ("check", "others"),
    [
        ("pytest", {"tests/test_units.py": "def test_a(): ...\n"}),
        ("sh lint.sh", {"lint.sh": "a\n"}),
    ],
)
def test_documents_that_no_check_runs_may_change(check: str, others: dict[str, str]) -> None:
    assert not found(WEAKER["another value"], check, others)
