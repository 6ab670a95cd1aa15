"""The report of one loop or of a whole night as one HTML file, with drawings and folded evidence.

Standard library only, and no network: style and drawings are in the file, and it has no script.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from time import localtime, strftime

from ..core.loop import Loop
from ..core.prompts.open_questions import TO_DECIDE
from ..core.prompts.phrases import count_phrase, duration, strip_control_characters
from ..core.record import Record
from .axis_html import STYLE as AXIS_STYLE
from .axis_html import axis_html
from .axis_picture import AxisPicture
from .board_of_loops import BoardRow, board_row, board_totals
from .curves import loop_curves
from .loop_history import CheckRun, IterationPoint
from .loop_page import CriterionView, LoopPage, loop_page
from .report_style import STYLE
from .svg_drawings import curve_svg, plan_svg

MAX_COLUMNS = 40  # iterations in the lanes of the criteria
MAX_RUNS = 60  # runs of checks that are listed
CARRIED_WORDS = "= not run again: the files are as they were."
# The policy forbids all that a hostile text could try, even if it were taken for markup.
HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>{title}</title><style>{style}</style></head><body><main>
"""


class LoopReport(Record):
    """What the report needs to know about one loop."""

    loop: Loop
    root: str
    changed_at: float
    points: tuple[IterationPoint, ...] = ()
    runs: tuple[CheckRun, ...] = ()
    stat: str = ""  # the diffstat since the start
    axis: AxisPicture = AxisPicture()
    runner_gone: bool = False


def html_report(reports: Sequence[LoopReport], title: str) -> str:
    """One page with every loop; several are a table of all of them, and each is folded below."""
    rows = [board_row(r.loop, r.root, r.changed_at, r.runner_gone) for r in reports]
    parts = [HEAD.format(title=_text(title), style=STYLE + AXIS_STYLE)]
    is_single = len(reports) == 1
    if not is_single:
        parts.append(_overview(rows, title))
    for report, row in zip(reports, rows, strict=True):
        section = _loop_section(report, row, level=1 if is_single else 2)
        parts.append(section if is_single else _folded(row, section))
    return "".join([*parts, "</main></body></html>\n"])


def _text(text: object) -> str:
    return escape(strip_control_characters(str(text)))


def _overview(rows: list[BoardRow], title: str) -> str:
    totals = board_totals(rows)
    summary = (
        f"{count_phrase(len(rows), 'loop')}, ${totals.dollars:.2f}. "
        f"{totals.needs_you} need you, {totals.working} still work, {totals.over} are over."
    )
    body = "".join(
        f'<tr><td>{_pill(row)}</td><th scope="row"><a href="#{_text(row.id)}">'
        f"{_text(row.spec or row.id)}</a></th><td>{_text(row.project)}</td>"
        f'<td class="signs">{_text(row.progress_text)}</td><td>{duration(row.minutes * 60)}</td>'
        f"<td>{row.cost_text}</td><td>{_text(row.why)}</td></tr>"
        for row in rows
    )
    widths = ("status", "spec", "project", "shown", "few", "few", "why")
    columns = "".join(f'<col class="{width}">' for width in widths)
    head = "".join(
        f'<th scope="col">{name}</th>'
        for name in ("status", "loop", "project", "shown", "worked", "cost", "why")
    )
    table = (
        f'<table class="overview"><colgroup>{columns}</colgroup><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )
    return f"<h1>{_text(title)}</h1><p>{summary}</p><div class='wide'>{table if rows else ''}</div>"


def _folded(row: BoardRow, section: str) -> str:
    """A link to the id opens it."""
    head = f"{_pill(row)} <b>{_text(row.spec or row.id)}</b> {_text(row.project)}"
    return f'<details class="loop"><summary>{head}</summary>{section}</details>'


def _loop_section(report: LoopReport, row: BoardRow, level: int) -> str:
    page = loop_page(report.loop)
    started = strftime("%Y-%m-%d %H:%M", localtime(row.started_at))
    facts = f"{row.root} · {row.id} · started {started}"
    parts = [
        f'<article id="{_text(row.id)}"><h{level}>{_text(row.spec)}</h{level}>',
        f'<p class="outcome">{_pill(row)} {_text(_outcome(row, page))}</p>',
        f'<p class="muted">{_text(facts)}</p>',
        _question(page),
        _limits(page),
        _axis(report, level),
        _curves(report, row),
        _heading("Criteria", level),
        "".join(map(_criterion, page.criteria)) or "<p>None.</p>",
        _lanes(report, page, level),
        _plan(page, level),
        _list_section(
            "Findings", [f"{f.severity}: {f.file}: {f.text}" for f in page.findings], level
        ),
        _list_section("Demands of the spec", page.demands, level),
        _list_section("Strength of the checks", page.strength, level),
        _list_section(TO_DECIDE, page.to_decide, level),
        _list_section("To know", page.verdict_notes, level),
        _list_section("Backlog, open", page.backlog, level),
        _list_section("Backlog, done", page.backlog_done, level),
        _runs(report, level),
        _stat(report, level),
        _details_element("The whole request", page.spec) if page.spec != row.spec else "",
        f'<p class="muted">Next: {_text(page.next_command)}</p></article>',
    ]
    return "".join(parts)


def _outcome(row: BoardRow, page: LoopPage) -> str:
    """Why it paused or how it ended, else what it works on; an open question is shown below."""
    if page.question:
        return ""
    return row.why or page.headline.removeprefix(f"{row.status}: ")


def _heading(title: str, level: int) -> str:
    return f"<h{level + 1}>{title}</h{level + 1}>"


def _pill(row: BoardRow) -> str:
    is_good = row.verdict == "SHIP" or row.grade.startswith("proven")
    tones = {"finished": "good" if is_good else "waits", "running": "work", "cancelled": "muted"}
    tone = tones.get(row.status, "waits")
    return f'<span class="pill pill-{tone}">{_text(row.state_text)}</span>'


def _question(page: LoopPage) -> str:
    if not page.question:
        return ""
    sections = "".join(
        f"<h4>{_text(section.title)}</h4><pre>{_text(chr(10).join(section.rows))}</pre>"
        for section in page.gate_sections
    )
    danger = f'<p class="danger">⚠ {page.danger}</p>' if page.danger else ""
    return f'{danger}<p class="question">{_text(page.question)}</p>{sections}'


def _limits(page: LoopPage) -> str:
    cells = "".join(
        f"<div><dt>{limit.name}</dt><dd><b>{limit.used:g}</b> of {limit.limit:g}</dd></div>"
        for limit in page.limits
    )
    return f'<dl class="limits">{cells}</dl>'


def _curves(report: LoopReport, row: BoardRow) -> str:
    figures = "".join(
        f"<figure><figcaption>{curve.title}: {curve.latest}</figcaption>{curve_svg(curve)}</figure>"
        for curve in loop_curves(report.points, row)
    )
    return f'<div class="curves">{figures}</div>' if figures else ""


def _axis(report: LoopReport, level: int) -> str:
    drawing = axis_html(report.axis)
    return f"{_heading('Time', level)}{drawing}" if drawing else ""


def _criterion(c: CriterionView) -> str:
    command = f"<code>{_text(c.command)}</code> " if c.command else ""
    output = _details_element(_output_title(c), c.output) if c.output else ""
    return (
        f'<div class="criterion {c.state}"><p><span class="sign">{c.sign}</span> '
        f"<b>{_text(c.name)}</b> {command}{_text(c.result)}</p>{output}</div>"
    )


def _output_title(c: CriterionView) -> str:
    """A file without a script cannot scroll, so the line to read first is in the title."""
    line = c.output.splitlines()[c.useful_line] if c.useful_line else ""
    return f"Last output: {line.strip()}" if line else "Last output"


def _lanes(report: LoopReport, page: LoopPage, level: int) -> str:
    """One row for each criterion, one column for each iteration."""
    points = [p for p in report.points[-MAX_COLUMNS:] if p.results]
    names = [c.name for c in page.criteria if c.kind == "criterion"]
    if not points or not names:
        return ""
    head = "".join(f'<th scope="col">{p.number}</th>' for p in points)
    body = "".join(
        f'<tr><th scope="row">{_text(name)}</th>'
        f"{''.join(_lane_cell(dict(p.results).get(name), name in p.carried) for p in points)}</tr>"
        for name in names
    )
    return (
        f"{_heading('Criteria over the iterations', level)}<div class='wide'><table class='lanes'>"
        f'<thead><tr><th scope="col">criterion</th>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>{_notes(points)}"
    )


def _notes(points: Sequence[IterationPoint]) -> str:
    """What else happened in an iteration, such as a claim that was refuted."""
    rows = [f"{p.number}: {', '.join(p.notes)}" for p in points if p.notes]
    words = f"Iteration {'; '.join(rows)}." if rows else ""
    if any(p.carried for p in points):
        words += f" {CARRIED_WORDS}"
    return f'<p class="muted">{_text(words)}</p>' if words else ""


def _lane_cell(passed: bool | None, is_carried: bool) -> str:
    kind, sign = {True: ("good", "✓"), False: ("bad", "✗"), None: ("none", "·")}[passed]
    if is_carried:
        return f'<td class="none" title="not run again">={sign}</td>'
    return f'<td class="{kind}">{sign}</td>'


def _plan(page: LoopPage, level: int) -> str:
    if not page.graph:
        return ""
    drawing = f"<div class='wide'>{plan_svg(page.graph)}</div>"
    words = ["Strong line: critical path."]
    if page.unchecked:
        words.append(f"No command checks: {'; '.join(page.unchecked)}.")
    return f"{_heading('Plan', level)}{drawing}<p class='muted'>{_text(' '.join(words))}</p>"


def _list_section(title: str, items: Sequence[str], level: int) -> str:
    if not items:
        return ""
    rows = "".join(f"<li>{_text(item)}</li>" for item in items)
    return f"{_heading(title, level)}<ul>{rows}</ul>"


def _runs(report: LoopReport, level: int) -> str:
    """The last runs of the checks, folded."""
    runs = sorted(report.runs, key=lambda run: run.seq)[-MAX_RUNS:]
    rows = "".join(
        f"<tr><td>{run.iteration}</td><td>{_text(run.criterion)}</td>"
        f"<td>{'passed' if run.passed else 'failed'}</td><td>{_text(run.result)}</td>"
        f"<td>{run.seconds:.1f} s</td><td><code>{_text(run.log)}</code></td></tr>"
        for run in runs
    )
    if not rows:
        return ""
    return (
        f"{_heading('Evidence', level)}<details><summary>{count_phrase(len(runs), 'run')} of checks"
        f"</summary><div class='wide'><table><tbody>{rows}</tbody></table></div></details>"
    )


def _stat(report: LoopReport, level: int) -> str:
    if not report.stat.strip():
        return ""
    return _heading("Changed since the start", level) + _details_element("Files", report.stat)


def _details_element(title: str, text: str) -> str:
    return f"<details><summary>{_text(title)}</summary><pre>{_text(text)}</pre></details>"
