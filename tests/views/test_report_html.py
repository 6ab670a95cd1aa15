"""The report as one HTML file: drawings and folded evidence, no script, no network, no markup of others."""

from __future__ import annotations

import time
from html.parser import HTMLParser
from typing import Any

import pytest

from loopwright.cli.report_pages import parse_since
from loopwright.core.events import ClaimRefuted
from loopwright.core.loop import Loop
from loopwright.drive.errors import UserError
from loopwright.views import night_report
from loopwright.views.axis_picture import axis_picture
from loopwright.views.board_of_loops import BoardRow
from loopwright.views.report_html import LoopReport, html_report
from tests.support.builders import TREE, a_loop, an_asking_loop, proof, with_check
from tests.support.night import Night, a_free_loop
from tests.views.test_loop_views import a_plan, history_of

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'&\x1b[31m"


class Elements(HTMLParser):
    """Every element of a page with its attributes, and the text outside tags."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def report_of(night: Night) -> LoopReport:
    history = history_of(night)
    runs = tuple(run for runs in history.runs.values() for run in runs)
    points, axis = tuple(history.points), axis_picture(history.axis, 9.0)
    return LoopReport(night.loop, "/home/me/shop", 5.0, points, runs, " a.py | 2 +-", axis)


def only(loop: Loop, **changes: Any) -> str:
    return html_report([LoopReport(loop, "/home/me/shop", 5.0, **changes)], "A night")


def test_a_night_has_curves_lanes_and_folded_evidence() -> None:
    night = Night(a_free_loop())
    night.whole_turn("", "tree-2", dollars=0.5)
    night.whole_turn("", "tree-3", dollars=0.75, checks={"tests pass": True})

    page = Elements(html_report([report_of(night)], "A night"))

    assert page.names.count("svg") == 2
    assert page.names.count("circle") >= 4
    assert page.names.count("details") >= 2
    assert ("class", "bad") in page.attributes
    assert ("class", "good") in page.attributes
    assert "fix all failing tests" in page.text
    assert "a.py | 2 +-" in page.text


def test_a_refuted_claim_is_on_the_time_axis_and_in_words() -> None:
    night = Night(a_free_loop())
    night.whole_turn("", "tree-2", checks={"tests pass": False})
    night.events.append(ClaimRefuted(("tests pass",), "tests pass: exit 1"))
    page = Elements(html_report([report_of(night)], "A night"))

    assert "a claim that was refuted" in page.text
    assert "claim refuted" in page.text
    titles = [value or "" for name, value in page.attributes if name == "title"]
    assert any("claim refuted: " in title for title in titles)
    assert any("iteration 1" in title for title in titles)


def test_a_plan_is_drawn_as_a_graph() -> None:
    page = Elements(only(a_loop(plan=a_plan(), policy="plan")))

    assert page.names.count("rect") == 4
    assert ("class", "edge critical") in page.attributes
    assert "Wave 3" in page.text


def test_nothing_is_loaded_or_run() -> None:
    text = only(a_loop())
    page = Elements(text)

    assert not {"script", "link", "img", "iframe", "object", "base", "form"} & set(page.names)
    assert not [name for name, _ in page.attributes if name.startswith("on") or name == "src"]
    assert "http://" not in text
    assert "https://" not in text
    assert "default-src 'none'" in text


def test_hostile_text_is_text() -> None:
    bad = with_check(HOSTILE, command=HOSTILE, proof=proof(HOSTILE, fine=False, detail=HOSTILE))
    loops = (
        a_loop(spec=HOSTILE, criteria=(bad,), tree=TREE, id='"><b>'),
        an_asking_loop("ask", HOSTILE),
    )
    for loop in loops:
        page = Elements(only(loop, stat=HOSTILE))
        assert not {"script", "img"} & set(page.names)
        assert "<script>alert(1)</script>" in page.text
        assert "\x1b" not in page.text


def test_several_loops_begin_with_a_table() -> None:
    reports = [LoopReport(a_loop(id=f"loop-{n}"), "/p", 1.0) for n in range(3)]

    page = Elements(html_report(reports, "Loops since yesterday"))

    assert page.names.count("article") == 3
    assert [v for k, v in page.attributes if k == "href"] == ["#loop-0", "#loop-1", "#loop-2"]
    assert "3 loops, $0.00" in page.text


# --- All loops of a night in Markdown ---


def test_a_night_names_first_what_needs_a_person() -> None:
    rows = [
        BoardRow("a", "shop", "/p/shop", "asking", spec="one | two", why="Go on?\n# no heading"),
        BoardRow("b", "shop", "/p/shop", "finished", spec="three", grade="proven", dollars=1.5),
    ]

    text = night_report.text(rows, "Loops since 2026-11-15")

    assert "**2 loops, $1.50: 1 need you, 0 still work, 1 are over.**" in text
    assert "- one | two: Go on? # no heading (`cd /p/shop && loop status`)" in text
    assert r"| asking | one \| two |" in text
    assert "\n# no heading" not in text


def test_a_night_without_loops_says_so() -> None:
    assert "No loop has worked since then" in night_report.text([], "Loops since now")


NOON = time.mktime((2026, 11, 16, 12, 0, 0, 0, 0, -1))


@pytest.mark.parametrize(
    ("words", "moment"),
    [
        ("yesterday", (2026, 11, 15, 0, 0)),
        ("today", (2026, 11, 16, 0, 0)),
        ("8h", (2026, 11, 16, 4, 0)),
        ("3 days ago", (2026, 11, 13, 12, 0)),
        ("90 min", (2026, 11, 16, 10, 30)),
        ("22:00", (2026, 11, 15, 22, 0)),
        ("09:30", (2026, 11, 16, 9, 30)),
        ("2026-11-14", (2026, 11, 14, 0, 0)),
        ("2026-11-14 22:15", (2026, 11, 14, 22, 15)),
    ],
)
def test_since(words: str, moment: tuple[int, ...]) -> None:
    assert parse_since(words, NOON) == time.mktime((*moment, 0, 0, 0, -1))


@pytest.mark.parametrize("words", ["", "soon", "5 lightyears", "2026-13-45", "99:99"])
def test_since_when(words: str) -> None:
    with pytest.raises(UserError, match="--since takes yesterday"):
        parse_since(words, NOON)


def test_the_command_prints_one_loop_or_all(project: Any) -> None:
    here, other = project(), project()
    here.start()
    other.start()

    assert here.run("report", "--html").out.count("<article") == 1
    assert here.run("report", "--since", "yesterday", "--html").out.count("<article") == 2
    assert "**2 loops" in here.run("report", "--since", "1h").out
    assert here.run("report", "some-id", "--since", "1h").code == 1
