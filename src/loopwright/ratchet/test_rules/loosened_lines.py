"""Finds lines of tests that are the same but for their strictness, or for an `await` that is gone.

The readers of other languages than Python take `strictEqual` and `equal` for one assertion, as
runners differ in what they mean. A line that changed in nothing else says which one is weaker.
"""

from __future__ import annotations

from ... import lazy_re as re
from ...checks.code_files import SCRIPT_SUFFIXES
from ...core.findings import MEDIUM, Finding
from ..project import lost_lines, new_lines
from ..readers import languages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...repo.baseline import Change
    from ..project import Project

# A strict word, and the looser one that means the same otherwise.
STRICT_WORDS = (
    ("deepStrictEqual(", "deepEqual("),
    ("strictEqual(", "equal("),
    ("toStrictEqual(", "toEqual("),
    ("assertSame(", "assertEquals("),
    ("!==", "!="),
    ("===", "=="),
)
STRICT_SUFFIXES = (*SCRIPT_SUFFIXES, ".php")  # elsewhere, "same" asks for the same object
# With this module, or in chai and tap, the short words are as strict as the long ones.
ALWAYS_STRICT = re.compile(r"assert/strict|assert'\)\.strict|require\(['\"](?:tape|tap)['\"]\)")
# What makes different values the same, in the subject of an assertion.
ROUGH_CALL = re.compile(
    r"\.(?:sort|toSorted|trim|trimEnd|toLowerCase|toUpperCase|strip|downcase|upcase|Trim|ToLower"
    r"|ToUpper|lowercase|uppercase|to_lowercase|to_uppercase|sorted)\(\)"
    r"|\.(?:sort|strip|downcase|upcase)(?=[\s,)]|$)"
)
WAITING = re.compile(r"^(?:await|return)\s+")
# What is a promise for certain; a call may have become synchronous.
PROMISE = re.compile(
    r"\.(?:resolves|rejects)\b|\bPromise\.\w+\(|\.then\(|\bassert\.(?:rejects|doesNotReject)\("
    r"|\b(?:Throws|ThrowsAny|DoesNotThrow)Async\b"
)
CALL = re.compile(r"^([\w$]+)\(")
# Work that nothing waits for.
UNAWAITED = re.compile(
    r"^(?!(?:await|return|const|let|var|yield)\b)[^=]*?"
    r"(?:\.forEach\(\s*async\b|\)\.then\(\s*(?:async\b|\(|function\b|\w+ *=>)"
    r"|\bGlobalScope\.launch\b|\bTask\.Run\()"
    r"|^_ = (?:Task\.Run\(|\w+Async\()"
)
ASSERTS = re.compile(r"\b(?:expect|assert\w*|Assert)\b")
HAS_WAITED = re.compile(r"\bawait\b|^for\b|\breturn\b.*\.then\(|\bassert|\bexpect")
LINES_INSIDE = 6
MAX_QUOTED = 200


def find(project: Project) -> Iterator[Finding]:
    for change in project.changes.values():
        both = change.before is not None and change.after is not None
        if both and languages.is_test(change.path):
            yield from _loosened_lines(change)


def _loosened_lines(change: Change) -> Iterator[Finding]:
    lost = lost_lines(change.before, change.after)
    known = {_plain(line): line for line in lost}
    text = change.after or ""
    is_strict = change.path.endswith(STRICT_SUFFIXES) and not ALWAYS_STRICT.search(text)
    lines = text.splitlines()
    waited = next((line for line in lost if HAS_WAITED.search(line)), "")
    for number, line in new_lines(change.before, text):
        old = known.get(_plain(line))
        if old and _is_rougher(old, line, is_strict):
            yield _finding("assertion-loosened", change.path, number, old, line)
        elif old and _is_awaited_no_more(old, line, text):
            yield _finding("assertion-cannot-fail", change.path, number, old, line)
        elif waited and not old and _drops_assertions(lines[number - 1 : number + LINES_INSIDE]):
            yield _finding("assertion-cannot-fail", change.path, number, waited, line)


def _finding(rule: str, path: str, number: int, before: str, after: str) -> Finding:
    return Finding(MEDIUM, rule, path, number, before[:MAX_QUOTED], after[:MAX_QUOTED])


def _plain(line: str) -> str:
    """The line without what makes it strict, rough or awaited."""
    text = ROUGH_CALL.sub("", WAITING.sub("", line))
    for strict, loose in STRICT_WORDS:
        text = text.replace(strict, loose)
    return "".join(text.split())


def _is_rougher(old: str, new: str, is_strict: bool) -> bool:
    if not ASSERTS.search(new) and "if" not in new:
        return False
    if len(ROUGH_CALL.findall(new)) > len(ROUGH_CALL.findall(old)):
        return True
    return is_strict and _strictness(new) < _strictness(old)


def _strictness(line: str) -> int:
    return sum(line.count(word) for word, _ in STRICT_WORDS)


def _is_awaited_no_more(old: str, new: str, text: str) -> bool:
    if not WAITING.search(old) or WAITING.search(new):
        return False
    if PROMISE.search(new):
        return True
    name = CALL.search(new)
    if not name:
        return False
    helper = re.escape(name[1])
    return bool(re.search(rf"\basync function {helper}\b|\b{helper} *= *async\b", text))


def _drops_assertions(lines: Sequence[str]) -> bool:
    """Does the first of the lines start work that asserts, and that nothing waits for?"""
    first = lines[0].strip()
    inside = "\n".join(lines)
    is_told = re.search(r"\bdone\b|\bplan\(|\bassertions\(", inside)
    return bool(UNAWAITED.search(first) and ASSERTS.search(inside) and not is_told)
