"""What any command line can do for a runner: take a prompt and work.

It reports no cost, so iterations and time are its bounds. Which model it calls is unknown,
so it gets the credentials of every model provider, and no others.
"""

from ...verify.credentials import PROVIDER_PREFIXES
from ..base import About

ABOUT = About(
    "command",
    "",
    dollars="unknown",
    fenced="not held in: it may do what you may do",
    credentials=tuple((prefix, "") for prefix in (*PROVIDER_PREFIXES, "CLAUDE_")),
    silent=True,
)
