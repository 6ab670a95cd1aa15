"""The judge: a model that the client asks at every stop, beside our hook (the prompt-hook variant).

Its answer must be {"ok": …, "reason": …} and nothing else. The client rejects an answer with other
text around it and would stop; our hook still holds the session. We read what the judge said from
the transcript afterwards and report it.
"""

from __future__ import annotations

from ...core.json_text import JSONError, json_object, loads
from ...core.prompts.phrases import clip_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

JSON_ONLY = "JSON ONLY:"  # the end of the prompt; the client records it with the answer
MAX_BYTES = 256 * 1024  # the end of the transcript holds the last answer


def rejected_judge_answer(transcript: str) -> tuple[str, str]:
    """The id of the last answer that the client rejected, and what is wrong with it; else ""."""
    try:
        with open(transcript, "rb") as file:
            file.seek(max(0, file.seek(0, 2) - MAX_BYTES))
            lines = file.read().split(b"\n")
    except (OSError, ValueError):  # ValueError: not a valid path
        return "", ""
    for line in reversed(lines):
        if b'"hook_non_blocking_error"' not in line or JSON_ONLY.encode() not in line:
            continue
        try:
            attachment = loads(line)["attachment"]
            _, complaint = parse_judge_answer(str(attachment["stdout"]))
            return str(attachment["toolUseID"]), f"[LOOP] {complaint}"
        except (JSONError, KeyError, TypeError):
            continue
    return "", ""


def parse_judge_answer(text: str) -> tuple[dict[str, Any] | None, str]:
    """The answer in what a judge said, and what is wrong with it.

    An answer with words around it still counts, and is reported.
    """
    start, end = text.find("{"), text.rfind("}")
    answer = json_object(text[start : end + 1]) if start >= 0 else None
    shown = clip_text(" ".join(text.split()), 120)
    if answer is None or not isinstance(answer.get("ok"), bool):
        return None, f"The judge gave no answer that counts: {shown!r}. The checks decide."
    reason = answer.get("reason", "")
    if not isinstance(reason, str) or (not answer["ok"] and not reason):
        return None, f"The judge gave no reason: {shown!r}. The checks decide."
    text_around = text[:start] + text[end + 1 :]
    if not text_around.strip().strip("`").removeprefix("json").strip():
        return answer, ""
    verdict = "stop" if answer["ok"] else "go on"
    if reason:
        verdict = f"{verdict} ({clip_text(reason, 200)})"
    return (
        answer,
        f"The judge talked around its answer, which the client does not take; it meant: {verdict}.",
    )
