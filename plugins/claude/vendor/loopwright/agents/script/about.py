"""The scripted agent: it plays a prepared script, one entry a turn. For demos, tests and rehearsals; no model, no network."""

from ..base import About

ABOUT = About("script", "", dollars="reported", fenced="not held in: it does what its script says")
