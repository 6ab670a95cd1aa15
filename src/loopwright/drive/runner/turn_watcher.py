"""Watches the output of a turn for its runner, and looks at the files before it ends the turn."""

from __future__ import annotations

import time

from ...agents.base import TurnOutput
from ...core.loop import Loop
from ...core.runner.turn_watch import (
    TURN_BUDGET,
    TurnNews,
    add_news,
    forget_before_change,
    reason_to_end,
    watch_turn,
)
from ...repo.tree import read_tree
from ..turn_facts import TurnCheckout

# Output may reach us in a burst, long after the files changed: so soon after a change that we saw,
# an unchanged tree says nothing.
SECONDS_AFTER_CHANGE = 1.0


class TurnWatcher:
    """The watch of one turn. `breaker` names what ended it; "" if nothing did."""

    def __init__(
        self, loop: Loop, reserve: float, is_capped: bool, checkout: TurnCheckout | None
    ) -> None:
        self.breaker = ""
        self._watch = watch_turn(loop, reserve, is_capped)
        self._heard = TurnOutput()
        self._checkout = checkout
        self._volatile = loop.settings.volatile_globs
        self._changed_at = 0.0
        self._tree = "" if loop.plan else loop.tree  # a lane has another tree than the loop
        if checkout and not self._tree:
            self._have_files_changed()

    def end_reason(self, output: TurnOutput) -> str:
        """Why the turn must end after this output; "" while it may continue."""
        news, self._heard = news_between(self._heard, output, time.monotonic()), output
        if news is None:
            return ""
        self._watch = add_news(self._watch, news)
        reason = reason_to_end(self._watch)
        if reason is None:
            return ""
        self.breaker, why = reason
        if self.breaker != TURN_BUDGET and self._is_working():
            self._watch = forget_before_change(self._watch)
            self.breaker = ""
            return ""
        return why

    def _is_working(self) -> bool:
        """Does the agent change files, as far as we can see?"""
        now = time.monotonic()
        if self._changed_at and now - self._changed_at < SECONDS_AFTER_CHANGE:
            return True
        changed = self._have_files_changed()
        if changed:
            self._changed_at = now
        return changed

    def _have_files_changed(self) -> bool:
        """Has a file changed since the start of the turn, or since we last looked?"""
        if self._checkout is None:
            return False
        reading = read_tree(self._checkout.root, self._checkout.state_folder, self._volatile)
        changed = bool(reading.problem) or reading.tree != self._tree
        self._tree = reading.tree
        return changed


def news_between(before: TurnOutput, now: TurnOutput, at: float) -> TurnNews | None:
    """What the newer output tells that the older did not; None: nothing that a breaker counts."""
    calls, finished = now.tools - before.tools, now.finished_calls - before.finished_calls
    has_error_line = now.error_lines != before.error_lines
    if not (calls or finished or has_error_line) and now.cost <= before.cost:
        return None
    return TurnNews(
        calls=calls,
        outcomes=now.outcomes[-finished:] if finished else (),
        files_edited=now.edits != before.edits,
        dollars=now.cost,
        error_line=now.error_line if has_error_line else "",
        at=at,
    )
