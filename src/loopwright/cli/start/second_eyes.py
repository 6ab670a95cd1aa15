"""`--checks-by`: asks a second agent for checks before the work, and shows them to the person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.loop import Loop
from ...core.prompts.second_eyes import SELF_TASK
from ...drive.errors import UserError
from ...store import holdouts
from ...store.folder import LoopFolder
from .. import here, output

if TYPE_CHECKING:
    from ...drive.second_eyes.agent import SecondAgent
    from ...drive.second_eyes.propose import Proposed

AUTO, SELF = "auto", "self"
VENDORS = ("codex", "claude", "gemini", "copilot", "opencode", "qwen")


def parse_agents(text: str, worker: str = "claude") -> tuple[SecondAgent, ...]:
    """One or two agents; `auto` is one of another vendor than the worker, if one is installed."""
    from ...drive.runner.run_config import program_path
    from ...drive.second_eyes.agent import parse_agent

    if text == AUTO:
        others = sorted(VENDORS, key=lambda name: name == worker)
        installed = [name for name in others if program_path(name)]
        if not installed:
            raise UserError(f"--checks-by auto: none of {', '.join(VENDORS)} is installed")
        return (parse_agent(installed[0]),)
    agents = tuple(map(parse_agent, text.split(",")))
    if len(agents) > 2:
        raise UserError("--checks-by takes one agent, or two: --checks-by codex,claude")
    return agents


def require_sandbox(folder: LoopFolder, loop: Loop) -> None:
    from ...drive.second_eyes import agent  # slow to import, and most loops have no second agent

    agent.require_sandbox(folder, loop)


def ask_for_checks(
    text: str, loop: Loop, folder: LoopFolder, is_shown: bool, worker: str = "claude"
) -> Loop:
    """The loop with what is kept. Without `is_shown` an agent reads along, and hears no more than
    the sentences.
    """
    from ...drive.second_eyes.propose import await_own_writings, propose_checks

    if loop.policy != "spec":
        raise UserError("--checks-by is for a spec: a plan and a discovery loop have checks")
    if text == SELF:
        if not here.agent_variable():
            raise UserError("--checks-by self is for a session: /loop:start SPEC --checks-by self")
        await_own_writings(loop)
        output.show_text(SELF_TASK)
        return loop
    report = output.show_text if is_shown else output.show_warning
    proposed = propose_checks(folder, loop, parse_agents(text, worker), report)
    return with_checks(loop, proposed, is_shown)


def with_checks(loop: Loop, proposed: Proposed, is_shown: bool) -> Loop:
    """The loop with the checks that are kept; what they run is stored outside the project."""
    from ...drive.second_eyes.propose import kept_commands, proposed_text

    if is_shown:
        output.show_text(proposed_text(proposed))
    else:
        count = len(proposed.kept)
        output.show_text(f"Independent checks: {count} kept; see them: loop criteria")
    holdouts.save_commands(loop.id, kept_commands(proposed.kept))
    criteria = tuple(check.criterion for check in proposed.kept)
    return loop.but(final_checks=(*criteria, *loop.final_checks))
