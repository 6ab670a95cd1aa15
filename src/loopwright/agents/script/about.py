"""The scripted agent: it plays a prepared script, one entry for each turn.

For demos, tests and rehearsals; it needs no model and no network.
"""

from ..base import About

ABOUT = About("script", "", dollars="reported", fenced="not held in: it does what its script says")
