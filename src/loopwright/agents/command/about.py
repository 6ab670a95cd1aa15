"""What any command line can do for a runner: take a prompt and work. It says nothing of cost; iterations and time bound it."""

from ..base import About

ABOUT = About("command", "", dollars="unknown", fenced="not held in: it may do what you may do")
