"""What Qwen Code can do."""

from ..base import VETO, About

ABOUT = About(
    name="qwen",
    program="qwen",
    dollars="from tokens",
    resumes=True,
    fenced="--approval-mode auto-edit: edits files of the project, "
    "other commands only where they begin with those of a check",
    reads=("QWEN.md", "AGENTS.md"),
    credentials=(("OPENAI_", ""), ("DASHSCOPE_", ""), ("QWEN_", "")),
    install="npm install -g @qwen-code/qwen-code",
    hold=VETO,
    cap=8,
    cap_counts="answers to one prompt, with or without tool calls",
    commands="/loop:status",
    headless="qwen -p --output-format stream-json",
    sandbox="container or Seatbelt, off by default",
    measured="0.24.4",
)
