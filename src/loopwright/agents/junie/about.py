"""What Junie can do."""

from ..base import VETO, About

ABOUT = About(
    name="junie",
    program="junie",
    dollars="unknown",
    credentials=(("JUNIE_", ""),),
    hold=VETO,
    cap=8,
    cap_counts="answers to one prompt, with or without tool calls",
)
