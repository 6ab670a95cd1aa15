"""What Cursor can do."""

from ..base import MESSAGE, About

ABOUT = About(
    name="cursor",
    program="cursor-agent",
    dollars="unknown",
    resumes=True,
    fenced="not held in: --force allows commands too, but for the rules of its own configuration",
    reads=("AGENTS.md", ".cursor/rules"),
    credentials=(("CURSOR_", ""),),
    install="curl https://cursor.com/install -fsS | bash",
    hold=MESSAGE,
    commands="/loop-start",
    headless="cursor-agent -p --output-format stream-json",
)
