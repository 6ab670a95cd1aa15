"""What Gemini CLI can do."""

from ..base import VETO, About

ABOUT = About(
    name="gemini",
    program="gemini",
    dollars="from tokens",
    resumes=True,
    fenced="--approval-mode auto_edit: edits files of the project, "
    "other commands only where they begin with those of a check",
    reads=("GEMINI.md",),
    credentials=(("GEMINI_", ""), ("GOOGLE_", "")),
    install="npm install -g @google/gemini-cli",
    hold=VETO,
    commands="/loop:status",
    headless="gemini -p --output-format stream-json",
    sandbox="container or Seatbelt, off by default",
    measured="0.61.0",
)
