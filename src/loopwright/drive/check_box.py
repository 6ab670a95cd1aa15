"""What starts a check in its sandbox. A loop without one does not pay for the import."""

from __future__ import annotations

from ..core.criteria import Check
from ..core.loop import Loop
from ..store.folder import LoopFolder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..verify.runner import Launcher


def check_launcher(folder: LoopFolder, loop: Loop, check: Check, root: str) -> Launcher | None:
    """What starts this check, in the checkout at `root`; None: it runs outside."""
    if not loop.check_box.backend:
        return None
    from . import sandboxes

    return sandboxes.check_launcher(loop, check, root, folder.path)
