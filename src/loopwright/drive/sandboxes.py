"""The boxes for checks and reviewers, and for trying one by hand."""

from __future__ import annotations

import os

from ..sandbox import profiles
from ..sandbox.mounts import Box
from ..sandbox.places import agent_homes
from ..sandbox.profiles import OPEN, access_of
from ..sandbox.tables import AGENT_HOMES


def box_of_profile(profile: str, root: str) -> Box:
    """The box of this profile around the project, as `loop sandbox try` shows it."""
    agents = agent_homes(AGENT_HOMES, os.environ) if profile != profiles.CHECK else []
    return Box(
        profile=profile,
        root=os.path.realpath(root),
        network=access_of(profiles.NETWORK, profile) == OPEN,
        agents=tuple(agents),
    )
