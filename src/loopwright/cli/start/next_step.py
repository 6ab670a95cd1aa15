"""What the person or the agent does next: after the start, or with a spec that is too vague."""

from __future__ import annotations

from ...core.loop import Loop
from ...core.policies.permission import ALLOW
from ...core.prompts.messages import opening_prompt
from ...core.prompts.phrases import count_phrase
from ...core.start import rubric
from ...drive.clients.plugin_folders import install_commands
from ...drive.doctor.client import has_hook, hooks_off
from ...drive.doctor.host import hosts_with_hook
from ...drive.new_loop import TooVague
from ...store.folder import LoopFolder
from .. import exits, here, output


def next_step_text(loop: Loop, folder: LoopFolder) -> str:
    """What to do now, for the agent or for the person."""
    if folder.read_loop() is None:  # a plan of which every task was done has ended already
        return "Nothing is left to do: every task is ticked, so no agent was started."
    step, off = _next_step_text(loop, folder), hooks_off(folder)
    is_meant = has_hook(folder) or not hosts_with_hook()
    if off and is_meant and here.agent_variable() in ("", "CLAUDECODE"):
        why, way_out = off
        return f"{step}\n\nClaude Code runs no hook, so no session is held: {why}. Fix: {way_out}"
    return step


def _next_step_text(loop: Loop, folder: LoopFolder) -> str:
    if here.agent_variable():
        return agent_next_step(loop)
    if loop.gate and loop.gate.name == ALLOW:
        count = count_phrase(len(loop.gate.listed), "check")
        return (
            f"It waits: {count} may not run yet. Look at them and allow them: loop allow. "
            "Work without them, never proven: loop continue --unproven"
        )
    if loop.status == "asking":
        how = "It waits for a yes: `loop answer yes`, or just say so in the session that drives it."
        return how if loop.lease.holder or has_any_hook(folder) else f"{how}\n{no_hook_text()}"
    if loop.lease.holder:
        return "Your session drives it. Watch: loop status"
    if not has_any_hook(folder):
        return no_hook_text()
    return (
        "Open your agent in this folder: its next prompt here drives the loop. "
        "Or without a session: loop run. Watch: loop status"
    )


def has_any_hook(folder: LoopFolder) -> bool:
    """Can a session of some client drive the loop?"""
    return has_hook(folder) or bool(hosts_with_hook())


def no_hook_text() -> str:
    """What to type when no session can drive the loop."""
    commands = "\n".join(f"  {command}" for command in install_commands())
    return (
        "Claude Code has no hook of Loopwright yet, so no session drives this loop. Type:\n"
        f"{commands}\n"
        "Then open Claude Code in this folder. Another client: loop install codex. "
        "Or without a session: loop run"
    )


def agent_next_step(loop: Loop) -> str:
    if loop.status == "asking":
        return (
            "It waits for the person's yes. End your turn now, in one short sentence: at your stop "
            "Loopwright shows them the lines above and asks. What they say next decides."
        )
    return f"It runs, and you drive it. Begin now.\n\n{opening_prompt(loop)}"


def explain_vague_spec(vague: TooVague) -> int:
    """Show the scores and what would help; an agent is told to ask the person and try again."""
    output.show_text("\n".join(f"- {p.dimension}: {p.points} ({p.reason})" for p in vague.points))
    questions = list(rubric.open_questions(vague.points).values())
    if here.agent_variable():
        rows = ["", f"{vague}. Ask the person, then end your turn:"]
        rows += [f"- {question}" for question in questions]
        output.show_text("\n".join(rows))
        output.show_text(
            "With their answers: loop start - <<'ANSWERS'. "
            "What they typed before is kept; their answers are added."
        )
    else:
        output.show_warning(
            f"loop: {vague}. Say more in the spec: {' '.join(questions[:2])} "
            'Or name a command that shows it: --check "NAME=COMMAND"'
        )
    return exits.VAGUE
