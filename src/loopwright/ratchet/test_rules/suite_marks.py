"""Compares what files say besides their tests: skips, `only`, and code that tampers with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ... import lazy_re as re
from ...core.findings import HIGH, Finding
from ..readers.suite import Mark, Suite

BUILD_TAG = re.compile(r"!?\w[\w.]*")
MARK_RULES = {  # field of a Suite → rule
    "tricks": "test-runner-tampered-with",
    "only": "only-some-tests-run",
    "off": "tests-skipped",
}


def mark_findings(before: Mapping[str, Suite], after: Mapping[str, Suite]) -> Iterator[Finding]:
    for field, rule in MARK_RULES.items():
        old_texts = {mark.text for suite in before.values() for mark in getattr(suite, field)}
        for path, suite in after.items():
            if field == "off" and path not in before:
                continue  # a new file that is skipped takes nothing away
            old_marks = getattr(before[path], field) if path in before else ()
            for mark in getattr(suite, field):
                if mark.text not in old_texts and not _is_same_condition(mark, old_marks):
                    yield Finding(HIGH, rule, path, mark.line, after=mark.text)


def _is_same_condition(mark: Mark, old_marks: Sequence[Mark]) -> bool:
    """`//go:build a && b` says what `// +build a,b` said. A mock of the unit may answer more."""
    if not mark.text.startswith("//"):
        target = mark.text.partition(",")[0]
        return "(" in target and target in {old.text.partition(",")[0] for old in old_marks}
    old_texts = " ".join(old.text.partition("build ")[2] for old in old_marks)
    tags = BUILD_TAG.findall(mark.text.partition("build ")[2])
    return set(tags) <= set(BUILD_TAG.findall(old_texts))
