"""One-time links: each answers one open question without signing in, for the person's tunnel."""

from __future__ import annotations

import secrets
from html import escape
from urllib.parse import parse_qsl

from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from ..core.prompts.phrases import clip_text, strip_control_characters
from ..core.record import Record
from ..drive.orders.person import give_order
from ..store.further_loops import PersonOrder
from ..store.loop_catalog import LoopCatalog
from ..views.gate_content import GateSection
from ..views.loop_page import LoopPage
from .orders import REFUSALS, read_body

MAX_LINKS = 200
MAX_BODY = 20_000
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1"><title>Answer: Loopwright</title>
<link rel="stylesheet" href="/static/loopwright.css"></head>
<body class="answer-page"><main><h1>{title}</h1>{body}</main></body></html>"""
FORM = """<p class="spec">{spec}</p>{danger}<p class="question">{question}</p>{sections}
<form method="post"><label for="text">Your words (optional)</label>
<textarea id="text" name="text" rows="3" maxlength="2000"></textarea>
<div class="buttons"><button name="answer" value="yes" class="primary">{yes}</button>
<button name="answer" value="no">{no}</button>
<button name="answer" value="">Send my words only</button></div></form>
<p class="hint">This link works once.</p>"""


class AnswerLink(Record):
    """What a link answers: this question of this loop, and no other."""

    loop_id: str
    gate: str
    question: str


class AnswerLinks:
    """The links that are valid now."""

    def __init__(self, catalog: LoopCatalog) -> None:
        self._catalog = catalog
        self._links: dict[str, AnswerLink] = {}

    def new_link(self, loop_id: str) -> str:
        """A link for the open question; "" if the loop asks nothing or has a link for it."""
        found = self._read_question(loop_id)
        if found is None or found[0] in self._links.values():
            return ""
        while len(self._links) >= MAX_LINKS:
            del self._links[next(iter(self._links))]
        token = secrets.token_urlsafe(32)
        self._links[token] = found[0]
        return f"/answer/{token}"

    def _read_question(self, loop_id: str) -> tuple[AnswerLink, LoopPage] | None:
        """The open question of a loop, and its page; None if it asks nothing."""
        place = self._catalog.find(loop_id)
        try:
            row, page = self._catalog.read_view(place) if place else (None, None)
        except (OSError, *REFUSALS):
            return None
        if row is None or page is None or row.status != "asking" or not page.question:
            return None
        return AnswerLink(loop_id, page.gate, page.question), page

    def open_question(self, token: str) -> tuple[AnswerLink, LoopPage] | None:
        """The question of a link and the page, as long as the loop still asks it."""
        link = self._links.get(token)
        found = self._read_question(link.loop_id) if link else None
        return found if found and found[0] == link else None

    def show_form(self, request: Request) -> Response:
        found = self.open_question(request.path_params["token"])
        if found is None:
            return _page("This link is used up", "<p>The question is answered or gone.</p>", 410)
        link, page = found
        form = FORM.format(
            spec=_escape_text(page.spec, 300),
            danger=f'<p class="danger">⚠ {page.danger}</p>' if page.danger else "",
            question=_escape_text(link.question),
            sections="".join(map(_section_html, page.gate_sections)),
            yes=_escape_text(f"Yes: {page.yes_does}" if page.yes_does else "Yes"),
            no=_escape_text(f"No: {page.no_does}" if page.no_does else "No"),
        )
        return _page("The loop asks", form)

    async def take_answer(self, request: Request) -> Response:
        token = request.path_params["token"]
        fields = await _form_fields(request)
        words = " ".join(fields.get("text", "").split())
        answer = fields.get("answer", "")
        text = f"{answer}, {words}" if answer and words else answer or words
        if not text:
            return _page("No answer", "<p>Choose yes or no, or write something.</p>", 400)
        found = self.open_question(token)
        if found is None:
            return _page("This link is used up", "<p>The question is answered or gone.</p>", 410)
        del self._links[token]  # before the answer: two taps must not answer twice
        link = found[0]
        order = PersonOrder("answer", text=text, question=link.question)
        try:
            message = await run_sync(give_order, self._catalog, link.loop_id, order)
        except REFUSALS as error:
            return _page("Refused", f"<p>{_escape_text(str(error))}</p>", 409)
        return _page("Thank you", f"<p>{_escape_text(message)}</p>")


async def _form_fields(request: Request) -> dict[str, str]:
    """The fields of a small form. (Starlette's own form parser needs another package.)"""
    body = await read_body(request, MAX_BODY) or b""
    return dict(parse_qsl(body.decode("utf-8", "replace")))


def _section_html(section: GateSection) -> str:
    rows = _escape_text("\n".join(section.rows), 20_000)
    return f'<h2>{_escape_text(section.title)}</h2><pre tabindex="0">{rows}</pre>'


def _escape_text(text: str, most: int = 4_000) -> str:
    return escape(strip_control_characters(clip_text(text, most)))


def _page(title: str, body: str, status: int = 200) -> Response:
    return HTMLResponse(PAGE.format(title=escape(title), body=body), status)
