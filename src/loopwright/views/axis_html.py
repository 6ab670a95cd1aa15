"""The picture of the time axis as HTML without a script: titles tell the details. Pure."""

from __future__ import annotations

from html import escape

from ..core.prompts.phrases import strip_control_characters
from .axis_picture import AxisPicture, AxisRow, Box

STYLE = """
.axis{--name:64px;font-size:12.5px;margin:14px 0}.axis-row,.axis-clock{display:grid;
grid-template-columns:var(--name) 1fr;gap:8px;align-items:center;margin:3px 0}
.axis-name{color:var(--m);overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.axis-track{position:relative;height:18px;background:var(--s);border:1px solid var(--l);
border-radius:5px;overflow:hidden}.axis-track i,.axis-marks b,.key{position:absolute;bottom:0}
.axis-track i{min-width:3px;height:100%}.axis-marks{grid-column:2;position:relative;height:15px}
.axis-marks b{width:14px;margin-left:-7px;text-align:center;font-size:12px;line-height:15px}
.kind-turn{background:var(--a)}.kind-failed-turn{background:repeating-linear-gradient(135deg,
var(--b) 0 3px,var(--as) 3px 7px)}.kind-passed{background:var(--ok)}
.kind-failed{background:repeating-linear-gradient(0deg,var(--b) 0 3px,transparent 3px 5px)}
.kind-wait{background:radial-gradient(circle,var(--w) 1.3px,transparent 1.8px) 0 0/6px 6px}
.kind-question{background:repeating-linear-gradient(45deg,var(--w) 0 2px,var(--ws) 2px 6px)}
.kind-pause{background:repeating-linear-gradient(90deg,var(--w) 0 3px,transparent 3px 8px)}
.kind-cost{background:var(--m)}
b.kind-refuted,b.kind-breaker,b.kind-task-failed{color:var(--b)}
b.kind-done{color:var(--ok)}.axis-clock div{position:relative;height:16px;color:var(--m)}
.axis-clock div span{position:absolute;white-space:nowrap}
@media(max-width:640px){.axis-clock div span:nth-child(even){display:none}}
.axis-legend{display:flex;flex-wrap:wrap;gap:4px 16px;margin:6px 0 0;padding:0;list-style:none;
color:var(--m)}.axis-legend .key{position:static;display:inline-block;width:12px;height:12px;
margin-right:6px;font-size:11px;line-height:12px;text-align:center;vertical-align:-1px}
"""


def axis_html(picture: AxisPicture) -> str:
    """Rows, clock and legend; "" before anything has happened."""
    if not picture.rows:
        return ""
    rows = "".join(map(_row, picture.rows))
    # A late tick would stick out on the right; it ends where it points at.
    ticks = "".join(
        f'<span style="{"right" if tick.left > 0.85 else "left"}:'
        f'{(1 - tick.left if tick.left > 0.85 else tick.left) * 100:.2f}%">{tick.text}</span>'
        for tick in picture.ticks
    )
    legend = "".join(
        f"<li>{_key(kind, sign)}{escape(words)}</li>" for kind, words, sign in picture.legend
    )
    return (
        f'<div class="axis">{rows}<div class="axis-clock"><span></span><div>{ticks}</div></div>'
        f'<ul class="axis-legend">{legend}</ul></div>'
    )


def _row(row: AxisRow) -> str:
    boxes = "".join(map(_box, row.boxes))
    marks = "".join(
        f'<b class="kind-{_class(m.kind)}" style="left:{m.left * 100:.2f}%" '
        f'title="{_text(m.title)}">{m.sign}</b>'
        for m in row.marks
    )
    name = _text(row.name)
    strip = f'<div class="axis-marks">{marks}</div>' if marks else ""
    return (
        f'<div class="axis-row">{strip}<span class="axis-name" title="{name}">{name}</span>'
        f'<div class="axis-track" role="img" aria-label="{_text(row_words(row))}">'
        f"{boxes}</div></div>"
    )


def _box(box: Box) -> str:
    place = f"left:{box.left * 100:.2f}%;width:{box.width * 100:.2f}%;height:{box.height:.0%}"
    return f'<i class="kind-{_class(box.kind)}" style="{place}" title="{_text(box.title)}"></i>'


def _key(kind: str, sign: str) -> str:
    name = "b" if sign else "span"
    return f'<{name} class="key kind-{_class(kind)}" aria-hidden="true">{sign}</{name}>'


def row_words(row: AxisRow) -> str:
    """The row for someone who does not see it: how many there are of each kind."""
    kinds = [box.kind for box in (*row.boxes, *row.marks)]
    counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
    return f"{row.name}: {counts}"


def _class(kind: str) -> str:
    """`failed turn` is a class of its own, and not also `failed`."""
    return kind.replace(" ", "-")


def _text(text: str) -> str:
    return escape(strip_control_characters(text))
