"""What any command line can do for a runner: take a prompt and work.

It reports no cost, so iterations and time are its bounds.
"""

from ..base import About

ABOUT = About("command", "", dollars="unknown", fenced="not held in: it may do what you may do")
