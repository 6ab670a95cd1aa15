"""Which statement begins a test or a group of tests, and how it is named."""

from __future__ import annotations

from ... import lazy_re as re
from . import assertion_words as words

DECORATORS = re.compile(
    r"(?:@[\w.]+(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?\s*)+(?=(?:async )?def |class )"
)
TEXTS = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`")


def test_name(head: str) -> str | None:
    """The name of the test that a head begins; None if it begins none."""
    for pattern in words.TEST_HEADS:
        if match := pattern.match(_bare_head(head) if pattern.pattern[0] != "." else head):
            return match["name"].strip()
    return None


def _bare_head(head: str) -> str:
    return DECORATORS.sub("", head, 1) if head.startswith("@") else head


def group_name(head: str) -> str:
    for pattern in words.GROUP_HEADS:
        if match := pattern.match(_bare_head(head)):
            return match["name"].strip("'\"`")
    return ""


def without_texts(text: str) -> str:
    return TEXTS.sub('""', text)
