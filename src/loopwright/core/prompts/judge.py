"""What the model is asked that judges a stop in the prompt-hook variant."""

from __future__ import annotations

JUDGE_PROMPT = """A loop may be running in this session. Its announcements begin with [LOOP]. \
Decide whether the session may stop now.

Input: $ARGUMENTS

- No [LOOP] announcement here, or the last one says paused, cancelled or complete: \
{"ok": true, "reason": "no active loop"}
- The last message holds <loop-complete>: {"ok": true, "reason": "complete"}
- The same has been asked of you three times in a row without progress: \
{"ok": true, "reason": "no progress"}
- Otherwise: {"ok": false, "reason": "next: [the specific next action]"}

Answer with the JSON object alone: no preamble, no explanation, no code fence. """
