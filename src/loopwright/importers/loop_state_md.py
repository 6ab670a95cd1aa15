"""Adopt a page of the original plugin, .claude/loop-state.local.md, that has no journal yet."""

from __future__ import annotations

import os

from ..core.discovery.backlog import DISCOVERY_LIMITS, Backlog, item_key, unique_items
from ..core.limits import Spend
from ..core.loop import Loop
from ..core.prompts.discovery import BACKLOG_PAGE
from ..disk.files import open_at_once
from ..drive.errors import UserError
from ..drive.new_loop import Request, loop_from_request
from ..formats.markdown_page import MAX_CHARS, BacklogPage
from ..store import config, presets
from ..store.create import create_loop, prepare_folder
from ..store.folder import LoopFolder


def adopt_page(folder: LoopFolder, session: str) -> Loop | None:
    """Create the loop that the page describes; None without a page that has a scope."""
    path = os.path.join(folder.root, BACKLOG_PAGE)
    try:
        with open(path, encoding="utf-8-sig", newline="", opener=open_at_once) as file:
            text = file.read()
    except (OSError, UnicodeDecodeError):
        return None
    if len(text) > MAX_CHARS:
        raise UserError(
            f"{BACKLOG_PAGE} is longer than {MAX_CHARS} letters. It was left as it is; "
            "shorten it, or move it away and start a new loop"
        )
    page = BacklogPage(text)
    scope = page.section_text("scope") or page.field("scope")
    if not scope:
        return None
    settings = config.settings(folder.root, DISCOVERY_LIMITS)
    limits = config.limits_from_settings(settings)
    # The page can lower the limit, but not raise it.
    most = min(page.number_field("max_iterations") or limits.iterations, limits.iterations)
    iterations = max(0, (page.number_field("iteration") or 1) - 1)
    request = Request(
        scope,
        limits=limits.but(iterations=most),
        prices=config.prices(),
        session=session,
        backlog=backlog_from_page(page),
    )
    prepare_folder(folder)
    # It is slow to import, and only a start needs it.
    from ..drive.proof.start_baseline import measure_baseline

    loop = measure_baseline(loop_from_request(request, folder, {}), folder)
    loop = loop.but(spend=Spend(iterations=min(iterations, most - 1)))
    create_loop(folder, loop, onto=True)
    return loop


def backlog_from_page(page: BacklogPage) -> Backlog:
    presets_by_name, _ = presets.usable_presets()
    generic = presets_by_name["generic"]
    preset = presets_by_name.get(page.field("preset") or "generic", generic)
    items = unique_items(page.open_items or ())
    open_keys = set(map(item_key, items))  # an item in both lists is open
    done = unique_items(page.done_items or ())
    return preset.initial_backlog(
        items,
        done=tuple(text for text in done if item_key(text) not in open_keys),
        context=page.section_text("context") or "",
        focus=page.section_text("current focus") or "",
        notes=page.section_text("notes") or "",
        found_count=page.number_field("issues_found") or 0,
        fixed_count=page.number_field("issues_fixed") or 0,
    )
