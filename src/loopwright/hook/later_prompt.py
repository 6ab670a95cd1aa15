"""The prompt of a held turn: one line that a person reads too, the rest with the next tool call.

Claude Code shows all that a Stop hook tells the agent, and nothing of what the agent is told before
a tool call (measured with 2.1.325). So `halt.sh` adds the rest, which waits in a file.
"""

from __future__ import annotations

from ..core.prompts.phrases import clip_text
from ..disk.files import rewrite_in_place
from ..disk.light_os import os
from ..store.folder import LoopFolder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FILE = "next-prompt"
MAX_HEAD = 160
HINT = ". What failed and what to do comes with your next tool call."


def split_prompt(
    folder: LoopFolder, answer: dict[str, Any], first_line_is_enough: bool
) -> dict[str, Any]:
    """The answer to a Stop with the first line of its prompt; the rest waits in the file.

    If the file is still there, no tool call has read it: then the prompt stays whole, and the file
    stays, empty, until a tool call removes it. So a hook without `halt.sh` loses nothing.
    """
    output = answer.get("hookSpecificOutput", {})
    prompt = output.get("additionalContext", "")
    head, _, rest = prompt.partition("\n")
    if not (first_line_is_enough and rest):
        drop_prompt(folder)
        return answer
    path = folder.path_of(FILE)
    is_unread = os.path.lexists(path)
    if len(head) > MAX_HEAD:
        head, rest = clip_text(head, MAX_HEAD), prompt
    try:
        rewrite_in_place(path, b"" if is_unread else rest.encode("utf-8", "replace"))
    except OSError:  # the disk is full, or the file is not ours to write
        return answer
    if is_unread:
        return answer
    return {**answer, "hookSpecificOutput": {**output, "additionalContext": f"{head}{HINT}"}}


def drop_prompt(folder: LoopFolder) -> None:
    """What waits is out of date: the loop does not hold this turn, or a person has spoken."""
    try:
        os.unlink(folder.path_of(FILE))
    except OSError:
        pass
