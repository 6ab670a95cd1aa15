"""What Amp can do."""

from ..base import MESSAGE, About

ABOUT = About(
    name="amp",
    program="amp",
    dollars="unknown",
    resumes=True,
    fenced="not held in: --dangerously-allow-all is all that it offers without a person",
    reads=("AGENTS.md",),
    credentials=(("AMP_", ""),),
    install="npm install -g @sourcegraph/amp",
    hold=MESSAGE,
    cap=50,
    cap_counts="messages in a row, set by our plugin",
    headless="amp -x --stream-json",
)
