"""hooks.json: which events of Claude Code go to the gate, and how long each may take."""

from __future__ import annotations

from typing import Any

from ..agents.claude.judge import JSON_ONLY
from ..core.prompts.judge import JUDGE_PROMPT

# Quoted, because the path may have spaces. An update may delete the files while a session runs:
# then the copy in the data folder answers, and without a copy the stop is allowed. (When the whole
# folder is gone, the client runs no hook of ours, and says so itself.)
COMMAND_LINE = (
    's=vendor/loopwright/hook/{script}; g="${{CLAUDE_PLUGIN_ROOT}}/$s"; '
    '[ -f "$g" ] || g="${{CLAUDE_PLUGIN_DATA}}/code/$s"; '
    '[ ! -f "$g" ] || {run} "$g"{words}'
)
# A checkout without symbolic links has no package and so no gate.sh that could say so: this script
# is beside the link.
SAY_INCOMPLETE = '; g="${CLAUDE_PLUGIN_ROOT}/hooks/incomplete.sh"; [ ! -f "$g" ] || exec sh "$g"'
# Needs no file of ours. Said where a loop is held, and nowhere else.
SAY_DELETED = (
    '; [ ! -e .loop/journal.jsonl ] || [ -n "$LOOP_CHILD" ] || '
    'echo \'{"systemMessage":"[LOOP] The files of the plugin are gone, so the loop here is not '
    "held. Nothing is lost. Install it again: claude plugin install loop@loopwright, then resume "
    "the session.\"}'"
)
# Once a session, and whenever a person types a command of ours.
SAID_AT = ("SessionStart", "UserPromptExpansion")
HOUR = 3600  # a round of checks runs inside the hook
TIMEOUT_SECONDS = {
    "Stop": HOUR,
    "UserPromptSubmit": HOUR,
    "UserPromptExpansion": HOUR,
    "SessionEnd": 10,
}
EVENTS = (
    "Stop",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "SessionStart",
    "StopFailure",
    "SessionEnd",
)
EDITING_TOOLS = "Edit|MultiEdit|Write|NotebookEdit"
STATUS_MESSAGES = {
    "Stop": "loop: proving the criteria",
    "UserPromptExpansion": "loop: asking the loop",
}


def hooks_table(stop_hook: str = "command") -> dict[str, Any]:
    """The file as a value.

    With stop_hook="prompt" the client also asks a model at every stop; gate.sh still decides.
    """
    hooks = {event: [_hook_entry(event, "gate.sh", f" {event}")] for event in EVENTS}
    hooks["UserPromptExpansion"][0]["matcher"] = "^loop(:.*)?$"
    # Before each tool call and not after it too: each hook costs the session 5 ms a call, and this
    # one keeps a paused agent from beginning anything.
    hooks["PreToolUse"] = [{"matcher": "*", **_hook_entry("PreToolUse", "halt.sh", "")}]
    warning = _hook_entry("PostToolUse", "edited.sh", "")
    warning["hooks"][0]["async"] = True  # the agent does not wait for it, where the client can
    hooks["PostToolUse"] = [{"matcher": EDITING_TOOLS, **warning}]
    if stop_hook == "prompt":
        gate = _hook_entry("Stop", "gate.sh", " Stop --judge")["hooks"]
        judge = {"type": "prompt", "prompt": JUDGE_PROMPT + JSON_ONLY, "timeout": 30}
        hooks["Stop"] = [{"hooks": [*gate, judge]}]
    return {
        "description": "Holds the session while a loop runs in its folder; silent everywhere else.",
        "hooks": hooks,
    }


def _hook_entry(event: str, script: str, words: str) -> dict[str, Any]:
    # At each tool call the client waits, so halt.sh runs in the shell that is there: a second one
    # would double its time (1.2 ms instead of 0.7).
    run = "." if script == "halt.sh" else "exec sh"
    line = COMMAND_LINE.format(script=script, words=words, run=run)
    if event in SAID_AT:
        line += SAY_INCOMPLETE
    if event == "Stop":
        line += SAY_DELETED
    hook: dict[str, Any] = {"type": "command", "command": line}
    hook["timeout"] = TIMEOUT_SECONDS.get(event, 5 if script == "halt.sh" else 30)
    if event in STATUS_MESSAGES:
        hook["statusMessage"] = STATUS_MESSAGES[event]
    return {"hooks": [hook]}
