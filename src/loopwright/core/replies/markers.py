"""Markers: what an agent says in its last message, and nothing that it quotes.

Only lines outside code fences and quotes count. What is read here is a claim, never proof.
"""

from __future__ import annotations

from ..criteria import KINDS_OF_EVIDENCE, Claim
from ..json_text import JSONError, loads
from ..loop import Step
from ..prompts.phrases import LOOP_COMPLETE, STATUS_CLOSE, STATUS_OPEN
from ..signals import Claims

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_TEXT = 200_000
MAX_NAME = 1_000
MAX_CLAIMS = 100  # criteria or steps in one message


def unquoted_lines(text: str) -> list[str]:
    """The lines the agent says itself: no code fences, no indented code, no quotes."""
    spoken: list[str] = []
    fence = ""
    for line in (
        text[-MAX_TEXT:].replace("\r\n", "\n").split("\n")
    ):  # not splitlines: it knows a dozen line ends
        bare = line.strip()
        rest = bare.lstrip(bare[:1])
        run = bare[: len(bare) - len(rest)]
        if fence:
            if run.startswith(fence) and not rest:
                fence = ""
        elif run.startswith(("```", "~~~")) and not (run[0] == "`" and "`" in rest):
            fence = run
        elif not line.startswith((">", "    ", "\t")):
            spoken.append(bare)
    return spoken


def claims_in(text: str) -> Claims:
    """The last whole status block and the completion tag of a message, as claims."""
    lines = unquoted_lines(text)
    block = _last_status_block(lines)
    claims = _claims_in_block(block)
    if LOOP_COMPLETE in lines:
        claims = claims.but(exit=True)
    return claims


def _last_status_block(lines: list[str]) -> list[str]:
    block: list[str] = []
    inside: list[str] | None = None
    for line in lines:
        if line == STATUS_OPEN:
            inside = []
        elif line == STATUS_CLOSE and inside is not None:
            block, inside = inside, None
        elif inside is not None:
            inside.append(line)
    return block


def _block_fields(block: list[str]) -> list[tuple[str, str]]:
    pairs = (line.partition(":") for line in block if ":" in line)
    return [(name.strip().upper(), value.strip()) for name, _, value in pairs]


def _claims_in_block(block: list[str]) -> Claims:
    claims = Claims()
    for name, value in _block_fields(block):
        if not value:
            continue
        match name:
            case "EXIT_SIGNAL":
                claims = claims.but(exit=value.lower() == "true")
            case "CRITERIA":
                try:
                    claims = claims.but(criteria=criterion_claims_in(loads(value)))
                except JSONError:
                    continue
            case "STEP_DONE":
                step, _, note = value.partition("|")
                claims = claims.but(
                    steps=(*claims.steps, Step(step.strip()[:200], True, note.strip()[:1000]))[
                        :MAX_CLAIMS
                    ]
                )
            case "BLOCKED":
                claims = claims.but(blocked=value[:1000])
            case "ASK":
                claims = claims.but(ask=value[:1000])
            case "MUST_NOT":
                claims = claims.but(must_not=(*claims.must_not, value[:200])[:MAX_CLAIMS])
            case "GATE":
                claims = claims.but(step_zero_note=value[:2000])
            case "CONFIDENCE":
                claims = claims.but(confidence=parse_percent(value))
            case "POINTS":
                claims = claims.but(points=parse_percent(value))
            case "ALT":
                claims = claims.but(alternative=value[:300])
            case "RISK":
                claims = claims.but(risk=value[:300])
    return claims


def criterion_claims_in(criteria: Any) -> tuple[Claim, ...]:
    """criteriaStatus in both its forms: true, or {met, verification, evidence}. Any other type says not met."""
    if not isinstance(criteria, dict):
        return ()
    return tuple(read_claim(name, value) for name, value in list(criteria.items())[:MAX_CLAIMS])


def read_claim(name: str, value: Any) -> Claim:
    if not isinstance(value, dict):
        return Claim(name[:MAX_NAME], value is True)
    kind = value.get("verification")
    kind = kind if kind in KINDS_OF_EVIDENCE else ""
    met = value.get("met") is True
    evidence = value.get("evidence")
    return Claim(
        name[:MAX_NAME],
        met,
        kind if met else "",
        evidence[:2000] if isinstance(evidence, str) else "",
    )


def parse_percent(value: str) -> int | None:
    digits = value.strip("~% pt")
    return min(int(digits), 100) if digits.isdecimal() and len(digits) < 4 else None
