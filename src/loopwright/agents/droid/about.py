"""What Factory Droid can do."""

from ..base import VETO, About

ABOUT = About(
    name="droid",
    program="droid",
    dollars="unknown",
    resumes=True,
    reads=("AGENTS.md",),
    credentials=(("FACTORY_", ""),),
    install="curl -fsSL https://app.factory.ai/cli | sh",
    hold=VETO,
    headless="droid exec --output-format json",
)
