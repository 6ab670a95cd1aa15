"""Markers: read the claims in the last message of an agent.

Only lines outside code fences and quotes count. The result is a claim, never proof.
"""

from __future__ import annotations

from ..criteria import KINDS_OF_EVIDENCE, Claim
from ..json_text import JSONError, loads
from ..loop import Step
from ..prompts.phrases import LOOP_COMPLETE, STATUS_CLOSE, STATUS_OPEN
from ..signals import Claims

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MAX_TEXT = 200_000
MAX_NAME = 1_000
MAX_CLAIMS = 100  # criteria or steps in one message
DISPUTE = "DISPUTE"
SHOWS = "SHOWS"


def unquoted_lines(text: str) -> list[str]:
    """The lines that the agent says itself: no code fences, no indented code, no quotes."""
    lines: list[str] = []
    fence = ""
    # Not splitlines: that also splits at form feeds, U+2028 and other characters.
    for line in text[-MAX_TEXT:].replace("\r\n", "\n").split("\n"):
        bare = line.strip()
        rest = bare.lstrip(bare[:1])
        run = bare[: len(bare) - len(rest)]  # the characters equal to the first one
        if fence:
            if run.startswith(fence) and not rest:
                fence = ""
        elif _opens_fence(run, rest):
            fence = run
        elif not line.startswith((">", "    ", "\t")):
            lines.append(bare)
    return lines


def _opens_fence(run: str, rest: str) -> bool:
    if run.startswith("```"):
        return "`" not in rest  # a line such as ```x``` is inline code
    return run.startswith("~~~")


def claims_in(text: str) -> Claims:
    """The claims of the last complete status block, and of the completion tag."""
    lines = unquoted_lines(text)
    claims = _claims_in_block(last_block(lines, STATUS_OPEN, STATUS_CLOSE) or [])
    if LOOP_COMPLETE in lines:
        claims = claims.but(exit=True)
    return claims


def disputes_in(text: str) -> tuple[str, ...]:
    """The disputes in a message, for agents whose protocol has no status block."""
    if DISPUTE not in text:
        return ()
    lines = (line.partition(":") for line in unquoted_lines(text))
    values = (value.strip() for name, _, value in lines if name.strip().upper() == DISPUTE)
    return tuple(value[:MAX_NAME] for value in values if value)[:MAX_CLAIMS]


def last_block(lines: list[str], opening: str, closing: str) -> list[str] | None:
    """The lines of the last complete block between two tags; None without one."""
    block: list[str] | None = None
    inside: list[str] | None = None
    for line in lines:
        if line == opening:
            inside = []
        elif inside is None:
            continue
        elif line == closing:
            block, inside = inside, None
        else:
            inside.append(line)
    return block


def _claims_in_block(block: list[str]) -> Claims:
    claims = Claims()
    for line in block:
        name, _, value = line.partition(":")
        add_field = BLOCK_FIELDS.get(name.strip().upper())
        if add_field and value.strip():
            claims = add_field(claims, value.strip())
    return claims


def _add_criteria(claims: Claims, value: str) -> Claims:
    try:
        return claims.but(criteria=criterion_claims_in(loads(value)))
    except JSONError:
        return claims


def _add_step(claims: Claims, value: str) -> Claims:
    name, _, note = value.partition("|")
    step = Step(name.strip()[:200], True, note.strip()[:1000])
    return claims.but(steps=(*claims.steps, step)[:MAX_CLAIMS])


def _add_must_not(claims: Claims, value: str) -> Claims:
    return claims.but(must_not=(*claims.must_not, value[:200])[:MAX_CLAIMS])


def _add_shows(claims: Claims, value: str) -> Claims:
    return claims.but(shows=(*claims.shows, value[:MAX_NAME])[:MAX_CLAIMS])


def _add_dispute(claims: Claims, value: str) -> Claims:
    return claims.but(disputes=(*claims.disputes, value[:MAX_NAME])[:MAX_CLAIMS])


# Field of the status block → how its value is added to the claims. Other fields are ignored.
BLOCK_FIELDS: dict[str, Callable[[Claims, str], Claims]] = {
    "EXIT_SIGNAL": lambda claims, value: claims.but(exit=value.lower() == "true"),
    "CRITERIA": _add_criteria,
    "STEP_DONE": _add_step,
    "BLOCKED": lambda claims, value: claims.but(blocked=value[:1000]),
    "ASK": lambda claims, value: claims.but(ask=value[:1000]),
    "MUST_NOT": _add_must_not,
    DISPUTE: _add_dispute,
    SHOWS: _add_shows,
    "GATE": lambda claims, value: claims.but(step_zero_note=value[:2000]),
    "CONFIDENCE": lambda claims, value: claims.but(confidence=parse_percent(value)),
    "POINTS": lambda claims, value: claims.but(points=parse_percent(value)),
    "ALT": lambda claims, value: claims.but(alternative=value[:300]),
    "RISK": lambda claims, value: claims.but(risk=value[:300]),
}


def criterion_claims_in(criteria: Any) -> tuple[Claim, ...]:
    """The claims of criteriaStatus: true, or {met, verification, evidence}. Others mean not met."""
    if not isinstance(criteria, dict):
        return ()
    return tuple(read_claim(name, value) for name, value in list(criteria.items())[:MAX_CLAIMS])


def read_claim(name: str, value: Any) -> Claim:
    if not isinstance(value, dict):
        return Claim(name[:MAX_NAME], value is True)
    met = value.get("met") is True
    kind = value.get("verification")
    evidence = value.get("evidence")
    return Claim(
        name=name[:MAX_NAME],
        met=met,
        kind=kind if met and kind in KINDS_OF_EVIDENCE else "",
        evidence=evidence[:2000] if isinstance(evidence, str) else "",
    )


def parse_percent(value: str) -> int | None:
    """A number such as `~85%`, at most 100; None if it is something else."""
    digits = value.strip("~% pt")
    if digits.isdecimal() and len(digits) < 4:
        return min(int(digits), 100)
    return None
