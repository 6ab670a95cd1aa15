"""Finds generated files that were changed while nothing that they are made from was."""

from __future__ import annotations

from .. import lazy_re as re
from ..core.findings import MEDIUM, Finding
from .surroundings import CODE_SUFFIXES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

GENERATED = re.compile(
    r"(?i)@generated|\bauto-?generated\b|\b(?:generated|made|created|built) (?:by|from|with)\b"
)
NOT_TO_EDIT = re.compile(r"(?i)@generated|\bdo not (?:edit|modify|change)\b")
HEAD_LINES = 6
COMMENTS = ("#", "//", "/*", "*", "--", ";", '"""', "'''")


def edited_by_hand(changed: Mapping[str, tuple[str | None, str | None]]) -> Iterator[Finding]:
    """The generated code, if nothing else changed with it.

    `changed` has the text at the baseline and at the end of each changed file, without tests. A
    lock file is generated too, but its sources are packages elsewhere.
    """
    code = {name: texts for name, texts in changed.items() if name.endswith(CODE_SUFFIXES)}
    generated = [name for name, texts in code.items() if all(map(_is_generated, texts))]
    if len(generated) == len(changed):
        yield from (Finding(MEDIUM, "generated-file-edited", name) for name in generated)


def _is_generated(text: str | None) -> bool:
    lines = [line.lstrip() for line in (text or "").splitlines()[:HEAD_LINES]]
    # A generator has the same words, in a text.
    head = "\n".join(line for line in lines if line.startswith(COMMENTS))
    return bool(GENERATED.search(head) and NOT_TO_EDIT.search(head))
