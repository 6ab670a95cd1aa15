"""Words for hosts that show a person nothing of ours, or limit how often we may hold a session."""

from __future__ import annotations

NOT_DRIVEN = ("junie",)  # hosts with a cap that no runner can drive: another agent continues


def repeat_to_person(message: str) -> str:
    """Ask the agent to pass a message on."""
    return f"Repeat this to the person, word for word, and stop:\n{message}"


def hold_cap_reason(host: str, count: int, cap: int) -> str:
    """Why a loop pauses before the host ends the session."""
    command = "loop run --attach --yes --continue"
    if host not in NOT_DRIVEN:
        command += f" --agent {host}"
    return (
        f"{count} answers to one prompt were held, and {host} takes no more than {cap + 1}. "
        f"Nothing is lost. Let the runner continue: `{command}`; "
        "or here: `loop continue`, then a prompt"
    )
