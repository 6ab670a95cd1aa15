"""A page of the seed's own plugin, .claude/loop-state.local.md without a journal beside it: a loop that goes on from there."""

from __future__ import annotations

import os

from ..core.backlog import LIMITS, Backlog, key, unique
from ..core.coaching import PAGE
from ..core.loop import Loop, Spend
from ..drive.orders import UserError
from ..drive.start import Request, measure, plan
from ..store import config, presets
from ..store.folder import LoopFolder
from ..store.lay import lay, prepare
from ..store.page import MOST, Page


def adopt(folder: LoopFolder, session: str) -> Loop | None:
    """The loop that the page speaks of, laid in this folder; None without a page that says what it is about."""
    try:
        with open(os.path.join(folder.root, PAGE), encoding="utf-8-sig", newline="") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError):
        return None
    if len(text) > MOST:
        raise UserError(f"{PAGE} is longer than {MOST} letters. It was left as it is; shorten it, or move it away and start anew")
    page = Page(text)
    scope = page.text("scope") or page.field("scope")
    if not scope:
        return None
    settings = config.settings(folder.root, LIMITS)
    limits = config.limits(settings)
    most = min(page.number("max_iterations") or limits.iterations, limits.iterations)  # a file loosens nothing
    request = Request(scope, limits=limits.but(iterations=most), prices=config.prices(), session=session, backlog=backlog(page))
    prepare(folder)
    loop = measure(plan(request, folder, {}), folder)
    loop = loop.but(spend=Spend(iterations=min(max(0, (page.number("iteration") or 1) - 1), most - 1)))
    lay(folder, loop, onto=True)
    return loop


def backlog(page: Page) -> Backlog:
    known = presets.presets()
    preset = known.get(page.field("preset") or "generic", known["generic"])
    items = unique(page.open or ())
    done = tuple(text for text in unique(page.done or ()) if key(text) not in map(key, items))  # open in doubt
    return preset.backlog(
        items,
        done=done,
        context=page.text("context") or "",
        focus=page.text("current focus") or "",
        notes=page.text("notes") or "",
        found=page.number("issues_found") or 0,
        fixed=page.number("issues_fixed") or 0,
    )
