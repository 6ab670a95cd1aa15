"""Questions about what cannot be undone: deleting, releases, secrets and permission."""

from __future__ import annotations

import re

from ..loop import Gate

# What the question is about, and words that say so.
DANGERS = (
    (
        "deleting",
        r"\b(?:delet\w*|eras\w*|purg\w*|truncat\w*|destroy\w*|overwrit\w*|wip(?:e|es|ing)"
        r"|drops?\b.{0,30}\b(?:table|column|database|index|data)|rm -r|reset --hard)",
    ),
    (
        "a release",
        r"\b(?:publish\w*|releas\w*|deploy\w*|roll ?out|force[- ]push\w*|push --force|production)",
    ),
    ("secrets", r"\b(?:secrets?|passwords?|credentials?|(?:api|private|access) keys?|tokens?)\b"),
    ("permission", r"\b(?:permissions?|sudo|chmod|as root|admin rights|access rights)\b"),
)
# Of these gates it is known without their words.
DANGEROUS_GATES = {"allow": "permission", "packages": "permission"}


def danger_text(gate: Gate | None) -> str:
    """`Careful: this is about deleting`; "" for a question that is about none of these."""
    if not gate:
        return ""
    found = [name for name, words in DANGERS if re.search(words, gate.question, re.IGNORECASE)]
    found += [DANGEROUS_GATES[gate.name]] if gate.name in DANGEROUS_GATES else []
    return f"Careful: this is about {', '.join(dict.fromkeys(found))}" if found else ""
