"""What any agent that speaks the Agent Client Protocol can do for a runner.

Which model it calls is unknown, so it gets the credentials of every model provider, and no others.
"""

from ...verify.credentials import PROVIDER_PREFIXES
from ..base import About

ABOUT = About(
    "acp",
    "",
    dollars="unknown",
    resumes=True,
    fenced="what it asks for is allowed inside the project; what it does unasked is not held in",
    silent=True,
    library="acp",
    install="pip install 'loopwright[acp]'",
    credentials=tuple((prefix, "") for prefix in (*PROVIDER_PREFIXES, "COPILOT_", "QWEN_")),
    headless="loop run --agent 'acp:COMMAND'",
    measured="opencode 1.18.18, gemini 0.61.0",
)
