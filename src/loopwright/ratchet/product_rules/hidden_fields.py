"""Finds fields of JavaScript objects that a deep comparison no longer sees.

It sees own enumerable fields only. A field that became private, an accessor or a property that is
not enumerable takes no part, so unchanged tests that compare such objects show less.
"""

from __future__ import annotations

from ... import lazy_re as re
from ...checks.references import search_word
from ...core.findings import MEDIUM, Finding
from ..project import require_baseline
from ..settings_rules.shadowing import SCRIPT_SUFFIXES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..project import Project

FIELD = re.compile(r"\bthis\.(\w+) *=(?!=)")
HIDDEN = (
    r"#{name}\b|\b(?:get|accessor) {name}\b|['\"]{name}['\"] *, *\{{"
    r"|\b{name} *: *\{{ *(?:value|get|enum)"
)
DEEP = re.compile(
    r"[dD]eep(?:Strict)?Equal|\.to(?:Strict)?Equal\(|\.deep\.|\.eql\(|[mM]atch\w*Snapshot\("
    r"|\bisEqual\(|\bJSON\.stringify\("
)


def find(project: Project) -> Iterator[Finding]:
    hidden = {}
    for path, (before, after) in project.product.items():
        if path.endswith(SCRIPT_SUFFIXES) and before and after:
            hidden[path] = _hidden_fields(before, after)
    words = {search_word(path) for path, names in hidden.items() if names}
    tests = require_baseline(project).find_tests(words)
    for path, names in hidden.items():
        word = re.compile(rf"\b{re.escape(search_word(path))}\b")
        unchanged = [text for test, text in tests.items() if test not in project.changes]
        if names and any(word.search(text) and DEEP.search(text) for text in unchanged):
            yield Finding(MEDIUM, "fields-hidden", path, before=", ".join(names))


def _hidden_fields(before: str, after: str) -> list[str]:
    lost = {*FIELD.findall(before)} - {*FIELD.findall(after)}
    return sorted(name for name in lost if re.search(HIDDEN.format(name=name), after))
