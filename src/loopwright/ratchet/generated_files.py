"""Finds generated files that were changed while nothing that they are made from was."""

from __future__ import annotations

from .. import lazy_re as re
from ..core.findings import MEDIUM, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

GENERATED = re.compile(
    r"(?i)@generated|\bauto-?generated\b|\b(?:generated|made|created|built) (?:by|from|with)\b"
)
HANDS_OFF = re.compile(r"(?i)@generated|\bdo not (?:edit|modify|change)\b")
HEAD_LINES = 6


def edited_by_hand(product: Mapping[str, tuple[str | None, str | None]]) -> Iterator[Finding]:
    """The generated files, if no other file of the product changed with them.

    `product` has the text at the baseline and at the end of each changed file.
    """
    generated = [name for name, texts in product.items() if all(map(_is_generated, texts))]
    if len(generated) == len(product):
        yield from (Finding(MEDIUM, "generated-file-edited", name) for name in generated)


def _is_generated(text: str | None) -> bool:
    head = "\n".join((text or "").splitlines()[:HEAD_LINES])
    return bool(GENERATED.search(head) and HANDS_OFF.search(head))
