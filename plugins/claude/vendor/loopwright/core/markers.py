"""Markers: what an agent says in its last message, and nothing that it quotes.

Only lines outside code fences and quotes count. What is read here is a claim, never proof.
"""

from __future__ import annotations

from .loop import KINDS_OF_EVIDENCE, Claim, Step
from .record import JSONError, loads
from .signals import Claims
from .wording import CLOSE, COMPLETE, OPEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_TEXT = 200_000
MOST_NAME = 1_000
MOST = 100  # criteria or steps in one message


def spoken_lines(text: str) -> list[str]:
    """The lines the agent says itself: no code fences, no indented code, no quotes."""
    spoken: list[str] = []
    fence = ""
    for line in text[-MOST_TEXT:].replace("\r\n", "\n").split("\n"):  # not splitlines: it knows a dozen line ends
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
    lines = spoken_lines(text)
    block = _last_block(lines)
    claims = _read_block(block)
    if COMPLETE in lines:
        claims = claims.but(exit=True)
    return claims


def _last_block(lines: list[str]) -> list[str]:
    block: list[str] = []
    inside: list[str] | None = None
    for line in lines:
        if line == OPEN:
            inside = []
        elif line == CLOSE and inside is not None:
            block, inside = inside, None
        elif inside is not None:
            inside.append(line)
    return block


def _fields(block: list[str]) -> list[tuple[str, str]]:
    pairs = (line.partition(":") for line in block if ":" in line)
    return [(name.strip().upper(), value.strip()) for name, _, value in pairs]


def _read_block(block: list[str]) -> Claims:
    claims = Claims()
    for name, value in _fields(block):
        if not value:
            continue
        match name:
            case "EXIT_SIGNAL":
                claims = claims.but(exit=value.lower() == "true")
            case "CRITERIA":
                try:
                    claims = claims.but(met=met_in(loads(value)))
                except JSONError:
                    continue
            case "STEP_DONE":
                step, _, note = value.partition("|")
                claims = claims.but(steps=(*claims.steps, Step(step.strip()[:200], True, note.strip()[:1000]))[:MOST])
            case "BLOCKED":
                claims = claims.but(blocked=value[:1000])
            case "ASK":
                claims = claims.but(ask=value[:1000])
            case "MUST_NOT":
                claims = claims.but(violated=(*claims.violated, value[:200])[:MOST])
            case "GATE":
                claims = claims.but(gate=value[:2000])
            case "CONFIDENCE":
                claims = claims.but(confidence=percent(value))
            case "POINTS":
                claims = claims.but(points=percent(value))
            case "ALT":
                claims = claims.but(alternative=value[:300])
            case "RISK":
                claims = claims.but(risk=value[:300])
    return claims


def met_in(criteria: Any) -> tuple[Claim, ...]:
    """criteriaStatus in both its forms: true, or {met, verification, evidence}. Any other type says not met."""
    if not isinstance(criteria, dict):
        return ()
    return tuple(read_claim(name, value) for name, value in list(criteria.items())[:MOST])


def read_claim(name: str, value: Any) -> Claim:
    if not isinstance(value, dict):
        return Claim(name[:MOST_NAME], value is True)
    kind = value.get("verification")
    kind = kind if kind in KINDS_OF_EVIDENCE else ""
    met = value.get("met") is True
    evidence = value.get("evidence")
    return Claim(name[:MOST_NAME], met, kind if met else "", evidence[:2000] if isinstance(evidence, str) else "")


def percent(value: str) -> int | None:
    digits = value.strip("~% pt")
    return min(int(digits), 100) if digits.isdecimal() and len(digits) < 4 else None
