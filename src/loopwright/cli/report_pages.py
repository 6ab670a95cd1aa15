"""The other forms of `loop report`: one HTML file, and all loops since a moment."""

from __future__ import annotations

import re
import time

from ..core.prompts.phrases import strip_control_characters
from ..drive.errors import WrongValue
from ..repo import user_repo
from ..store.folder import LoopFolder
from ..store.journal import JournalError
from ..store.loop_catalog import LoopCatalog
from ..store.loop_reader import LoopReader
from ..store.runner_lock import is_runner_gone
from ..views import night_report
from ..views.axis_picture import axis_picture
from ..views.board_of_loops import UNREADABLE, BoardRow
from ..views.report_html import LoopReport, html_report

DAY = 86_400
UNITS = {"m": 60, "min": 60, "h": 3_600, "hour": 3_600, "d": DAY, "day": DAY, "week": 7 * DAY}
AMOUNT = re.compile(r"(\d{1,5}) ?([a-z]+?)s?(?: ago)?")
SINCE_FORMS = "yesterday, today, 8h, 3 days, 22:00, 2026-11-15 or 2026-11-15 22:00"


def parse_since(text: str, now: float) -> float:
    """The moment that the words name, by the local clock."""
    words = " ".join(text.lower().split())
    today = _midnight_of(now)
    if words in ("today", "yesterday"):
        # Noon less a day: a day may have 23 or 25 hours.
        noon = today + DAY / 2 - DAY
        return today if words == "today" else _midnight_of(noon)
    amount = AMOUNT.fullmatch(words)
    if amount and amount[2] in UNITS:
        return now - int(amount[1]) * UNITS[amount[2]]
    for form in ("%Y-%m-%d %H:%M", "%Y-%m-%d"):
        try:
            return time.mktime((*time.strptime(words, form)[:6], 0, 0, -1))
        except ValueError:
            continue
    try:
        hour, minute = time.strptime(words, "%H:%M")[3:5]
    except ValueError:
        raise WrongValue(f"--since takes {SINCE_FORMS}, not {text!r}") from None
    at = today + hour * 3_600 + minute * 60
    return at if at <= now else at - DAY  # 22:00 in the morning means last night


def _midnight_of(moment: float) -> float:
    return time.mktime((*time.localtime(moment)[:3], 0, 0, 0, 0, 0, -1))


def print_html(folder: LoopFolder, path: str) -> None:
    """One loop as one HTML file."""
    report = _loop_report(folder.root, path, time.time())
    print(html_report([report], report.loop.spec[:80]), end="")


def print_since(words: str, html: bool) -> None:
    """All loops of this machine that have worked since then."""
    since = parse_since(words, time.time())
    title = f"Loops since {time.strftime('%Y-%m-%d %H:%M', time.localtime(since))}"
    catalog = LoopCatalog()
    catalog.refresh()
    rows = [row for row in catalog.rows() if row.changed_at >= since]
    if html:
        reports = [report for row in rows if (report := _report_of_row(catalog, row))]
        print(html_report(reports, title), end="")
    else:
        print(strip_control_characters(night_report.text(rows, title)), end="")


def _report_of_row(catalog: LoopCatalog, row: BoardRow) -> LoopReport | None:
    place = catalog.find(row.id)
    if place is None or row.group == UNREADABLE:
        return None
    try:
        return _loop_report(place.root, place.path, row.changed_at)
    except (OSError, JournalError):  # it changes at this moment
        return None


def _loop_report(root: str, path: str, changed_at: float) -> LoopReport:
    reader = LoopReader()
    while reader.read_more(path):
        pass
    loop = reader.read_loop(path)
    base = loop.run.base_commit if loop.run else ""
    return LoopReport(
        loop=loop,
        root=root,
        changed_at=changed_at,
        points=tuple(reader.history.points),
        runs=tuple(run for runs in reader.history.runs.values() for run in runs),
        stat=user_repo.diff_stat(root, base) if base else "",
        axis=axis_picture(reader.history.axis, time.time()),
        runner_gone=is_runner_gone(LoopFolder(root), loop),
    )
