"""What Goose can do."""

from ..base import About

ABOUT = About(
    name="goose",
    program="goose",
    dollars="unknown",
    fenced="not held in: it may do what you may do",
    reads=("AGENTS.md", ".goosehints"),
    credentials=(("GOOSE_", ""), ("OPENAI_", ""), ("ANTHROPIC_", "")),
    install="https://block.github.io/goose/docs/getting-started/installation",
    headless="goose run --output-format stream-json",
)
