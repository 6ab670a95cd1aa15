"""What a finished command becomes: the result of a tool. Not done is a result, never an error."""

from __future__ import annotations

from typing import Any

from ..core.criteria import Evidence
from ..core.json_text import JSONError, loads
from ..core.prompts.mcp_tools import ENDED_CALL, KEPT_NOTE, NOT_THE_PROOF, SHARED_NOTE, check_lines
from ..core.prompts.phrases import clip_text, strip_control_characters
from ..core.record import Record, decode
from .tools import Tool

MAX_CHARACTERS = 40_000  # of one answer
OWN, SHARED, KEPT = "own", "shared", "kept"  # whose run of the checks it is
STRUCTURED_SINCE = "2025-06-18"


class CommandOutput(Record):
    """What a command of `loop` printed, and its exit code."""

    code: int
    out: str
    err: str
    source: str = OWN


def tool_result(tool: Tool, output: CommandOutput, version: str) -> dict[str, Any]:
    """The result of a call whose command has ended."""
    if tool.output:
        evidence = check_evidence(output.out)
        if evidence is not None:
            return _check_result(evidence, output, version)
    # A loop that is not done exits with 0 here: other codes mean that the call could not be met.
    text = "\n".join(part for part in (output.out.strip(), output.err.strip()) if part)
    return text_result(text or ENDED_CALL, is_error=output.code != 0)


def check_evidence(printed: str) -> list[Evidence] | None:
    """The results that `loop check --json` printed; None if it printed none."""
    try:
        found = [decode(plain) for plain in loads(printed)]
    except (JSONError, KeyError, TypeError, AttributeError):
        return None
    return found if all(isinstance(evidence, Evidence) for evidence in found) else None


def _check_result(evidence: list[Evidence], output: CommandOutput, version: str) -> dict[str, Any]:
    results = [
        {
            "criterion": e.criterion,
            "passed": e.passed,
            "result": e.result_text,
            "seconds": e.seconds,
            "detail": strip_control_characters(e.detail),
            "log": e.log,
        }
        for e in evidence
    ]
    note = {SHARED: SHARED_NOTE, KEPT: KEPT_NOTE}.get(output.source, "")
    parts = [*check_lines(results), output.err.strip(), note, NOT_THE_PROOF]
    result = text_result("\n".join(part for part in parts if part))
    if version >= STRUCTURED_SINCE:
        passed = bool(evidence) and all(e.passed for e in evidence)
        shared = output.source != OWN
        result["structuredContent"] = {"passed": passed, "shared": shared, "results": results}
    return result


def text_result(text: str, is_error: bool = False) -> dict[str, Any]:
    shown = clip_text(strip_control_characters(text), MAX_CHARACTERS)
    return {"content": [{"type": "text", "text": shown}], "isError": is_error}
