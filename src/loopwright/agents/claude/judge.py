"""The judge of the prompt-hook variant: a model that the client asks at every stop, beside the door.

Its answer must be {"ok": …, "reason": …} and nothing else. Where it talks around it, the client throws the answer away and would
let go; the door holds all the same. What the judge said is read from the transcript afterwards and reported.
"""

from __future__ import annotations

from ...core.json_text import JSONError, loads
from ...core.prompts.phrases import clip_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

JSON_ONLY = "JSON ONLY:"  # the prompt ends so, and the client notes it beside the answer
MAX_BYTES = 256 * 1024  # the end of the transcript holds the last answer


def rejected_judge_answer(transcript: str) -> tuple[str, str]:
    """The id of the judge's last answer that the client threw away, and what was wrong with it; empty when there is none."""
    try:
        with open(transcript, "rb") as file:
            file.seek(max(0, file.seek(0, 2) - MAX_BYTES))
            lines = file.read().split(b"\n")
    except (OSError, ValueError):  # ValueError: no path at all
        return "", ""
    for line in reversed(lines):
        if b'"hook_non_blocking_error"' not in line or JSON_ONLY.encode() not in line:
            continue
        try:
            found = loads(line)["attachment"]
            return str(found["toolUseID"]), f"[LOOP] {parse_judge_answer(str(found['stdout']))[1]}"
        except (JSONError, KeyError, TypeError):
            continue
    return "", ""


def parse_judge_answer(text: str) -> tuple[dict[str, Any] | None, str]:
    """The answer in what a judge said, and what is wrong with it. An answer with words around it still counts, and is told."""
    start, end = text.find("{"), text.rfind("}")
    try:
        answer = loads(text[start : end + 1]) if start >= 0 else None
    except JSONError:
        answer = None
    shown = clip_text(" ".join(text.split()), 120)
    if not isinstance(answer, dict) or not isinstance(answer.get("ok"), bool):
        return None, f"The judge gave no answer that counts: {shown!r}. The checks decide."
    why = answer.get("reason", "")
    if not isinstance(why, str) or (not answer["ok"] and not why):
        return None, f"The judge gave no reason: {shown!r}. The checks decide."
    around = (text[:start] + text[end + 1 :]).strip().strip("`").removeprefix("json").strip()
    verdict = f"{'stop' if answer['ok'] else 'go on'}{f' ({clip_text(why, 200)})' if why else ''}"
    return (
        answer,
        f"The judge talked around its answer, which the client does not take; it meant: {verdict}."
        if around
        else "",
    )
