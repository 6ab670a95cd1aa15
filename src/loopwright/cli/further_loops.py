"""The loops of a fleet for the dashboards; nothing is imported where no fleet is set up."""

from __future__ import annotations

from ..drive.errors import UserError
from ..store.further_loops import FurtherLoops
from . import output

MISSING_EXTRA = (
    'fleet: its jobs are not shown. Install what they need: pip install "loopwright[fleet]"'
)


def find_further_loops() -> FurtherLoops | None:
    """The jobs of the user's fleet; None without a fleet. What is wrong with it is only told."""
    from ..fleet.settings import database_address, is_fleet_set_up

    if not is_fleet_set_up():
        return None
    try:
        from ..fleet.dashboard import FleetLoops

        return FleetLoops(database_address("")).start()
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("sqlalchemy", "psycopg"):
            raise
        output.show_warning(MISSING_EXTRA)
    except UserError as error:
        output.show_warning(f"fleet: {error}")
    return None
