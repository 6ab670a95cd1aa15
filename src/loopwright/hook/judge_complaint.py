"""What was wrong with the answer of a judging model, added to ours."""

from __future__ import annotations

from ..agents.claude.judge import rejected_judge_answer
from ..disk.files import write_atomic
from ..store.folder import LoopFolder, UntrustedFolder
from ..store.journal import JournalError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def add_judge_complaint(
    answer: dict[str, Any], transcript: str, folder: LoopFolder
) -> dict[str, Any]:
    """The answer with what was wrong with the answer of a judging model.

    A judge may add a reason to continue. It may not hold a session whose loop waits or has ended.
    """
    answer_id, complaint = rejected_judge_answer(transcript)
    messages = [answer["systemMessage"]] if "systemMessage" in answer else []
    if answer_id and answer_id != _last_judge_answer(folder):  # report each one once
        write_atomic(folder.path_of("judged"), answer_id.encode())
        messages.append(complaint)
    if messages:
        answer = {**answer, "systemMessage": "\n".join(messages)}
    try:
        loop = folder.read_loop()
    except (UntrustedFolder, JournalError):
        return answer
    if loop and loop.status == "running":
        return answer
    return {**answer, "continue": False, "stopReason": "the loop lets go"}


def _last_judge_answer(folder: LoopFolder) -> str:
    try:
        with open(folder.path_of("judged"), encoding="utf-8") as file:
            return file.read(200)
    except OSError:
        return ""
