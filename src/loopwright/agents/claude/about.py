"""What Claude Code can do."""

from ..base import VETO, About

ABOUT = About(
    name="claude",
    program="claude",
    dollars="reported",
    capped=True,
    resumes=True,
    asks_version=True,
    fenced="--permission-mode acceptEdits: edits files of the project, "
    "other commands only where --allow or a check names them",
    credentials=(
        ("ANTHROPIC_", ""),
        ("CLAUDE_", ""),
        ("AWS_", "CLAUDE_CODE_USE_BEDROCK"),
        ("GOOGLE_APPLICATION_CREDENTIALS", "CLAUDE_CODE_USE_VERTEX"),
    ),
    install="npm install -g @anthropic-ai/claude-code@latest",
    hold=VETO,
    cap=8,
    cap_counts="answers in a row without a tool call",
    commands="/loop:status",
    headless="claude -p --output-format stream-json",
    sandbox="bubblewrap or Seatbelt, off by default",
    measured="2.1.325",
)
