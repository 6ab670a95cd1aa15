"""The notice to the person that the final proof cannot run in a clean checkout."""

from __future__ import annotations

from ..directives import Directive
from ..draft import Draft
from ..prompts.clean_checkout import calibration_message
from ..proof.events import RoomAnnounced


def announce_room(draft: Draft, directive: Directive) -> Directive:
    """Tell the person once that the proof cannot run in a clean checkout."""
    draft.record(RoomAnnounced())
    message = f"{calibration_message(draft.loop)}\n{directive.message}".strip()
    return directive.but(message=message)
