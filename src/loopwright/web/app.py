"""The web application: its routes, and the JSON that each of them returns."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any

from anyio.to_thread import run_sync
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from .. import __version__
from ..core.json_text import json_object
from ..drive.orders.person import give_order
from ..store.loop_catalog import LoopCatalog
from ..views.plain_values import plain_value
from . import loops
from .access import Access, Guard
from .answer_links import AnswerLinks
from .live import BoardWatch
from .orders import REFUSALS, parse_order, read_body

STATIC = files(__package__).joinpath("static")
TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "html": "text/html; charset=utf-8",
}
# An answer may start checks that run for minutes. The page then hears the rest from the journal.
ORDER_SECONDS = 5.0
MAX_ORDER_BYTES = 64 * 1024
MAX_DIGITS = 15
LinkPrinter = Callable[[str, str], None]  # the path of a link, and the question that it answers


class WebApp:
    """The routes, and what they share."""

    def __init__(
        self, access: Access, catalog: LoopCatalog, print_link: LinkPrinter | None = None
    ) -> None:
        self.access, self.catalog, self.print_link = access, catalog, print_link
        self.links = AnswerLinks(catalog)
        self.watch = BoardWatch(catalog)

    def build(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/", self.page),
                Route("/loop/{id}", self.page),
                Route("/static/{name}", self.static_file),
                Route("/api/session", self.session),
                Route("/api/loops", self.board),
                Route("/api/events", self.board_events),
                Route("/api/loops/{id}", self.loop),
                Route("/api/loops/{id}/page", self.loop_page),
                Route("/api/loops/{id}/timeline", self.timeline),
                Route("/api/loops/{id}/events", self.loop_events),
                Route("/api/loops/{id}/output", self.output),
                Route("/api/loops/{id}/difference", self.difference),
                Route("/api/loops/{id}/diff", self.diff),
                Route("/api/loops/{id}/orders", self.order, methods=["POST"]),
                Route("/answer/{token}", self.links.show_form),
                Route("/answer/{token}", self.links.take_answer, methods=["POST"]),
            ],
            middleware=[Middleware(Guard, access=self.access)],
            exception_handlers={HTTPException: _error_response},
            lifespan=self._lifespan,
        )

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(self.watch.run())]
        if self.print_link:
            tasks.append(asyncio.create_task(self._print_links(self.print_link)))
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()

    async def _print_links(self, print_link: LinkPrinter) -> None:
        """A link for each question that is open, and for each that opens later."""
        async for _ in self.watch.follow():
            for row in self.catalog.rows():
                is_asking = row.status == "asking"
                path = await run_sync(self.links.new_link, row.id) if is_asking else ""
                if path:
                    print_link(path, f"{row.project}: {row.why}")

    # --- Files ---

    def page(self, request: Request) -> Response:
        return _file("index.html")

    def static_file(self, request: Request) -> Response:
        return _file(request.path_params["name"])

    # --- What the pages ask for. These run in threads. ---

    def session(self, request: Request) -> Response:
        values = {"control": self.access.may_order, "csrf": "", "version": __version__}
        if self.access.may_order:
            values["csrf"] = self.access.csrf
        return JSONResponse(values)

    def board(self, request: Request) -> Response:
        start, count = _number(request, "start", 0), _number(request, "count", loops.FIRST_ROWS)
        return JSONResponse(loops.board_values(self.catalog, start, count))

    def loop(self, request: Request) -> Response:
        return JSONResponse(loops.loop_values(self.catalog, request.path_params["id"]))

    def loop_page(self, request: Request) -> Response:
        """The question of a loop on the board needs its page, and nothing of its history."""
        place, _ = self._find(request)
        return JSONResponse(plain_value(loops.read_view(self.catalog, place)[1]))

    def timeline(self, request: Request) -> Response:
        return JSONResponse(loops.older_lines(*self._find(request), _number(request, "before", 0)))

    def output(self, request: Request) -> Response:
        place, _ = self._find(request)
        return JSONResponse(loops.output_values(place, request.query_params.get("log", "")))

    def difference(self, request: Request) -> Response:
        place, _ = self._find(request)
        first, second = (request.query_params.get(name, "") for name in ("first", "second"))
        return JSONResponse(loops.difference_values(place, first, second))

    def diff(self, request: Request) -> Response:
        numbers = _number(request, "first", 0), _number(request, "second", 0)
        return JSONResponse(loops.tree_diff(*self._find(request), *numbers))

    def _find(self, request: Request) -> tuple[Any, Any]:
        return loops.find_loop(self.catalog, request.path_params["id"])

    # --- Events ---

    async def board_events(self, request: Request) -> Response:
        return _event_stream(self.watch.follow())

    async def loop_events(self, request: Request) -> Response:
        loop_id = request.path_params["id"]
        loops.find_loop(self.catalog, loop_id)
        last = request.headers.get("last-event-id", "")
        position = _parse_number("last-event-id", last, _number(request, "from", 0))
        return _event_stream(self.watch.follow_loop(loop_id, position))

    # --- Orders ---

    async def order(self, request: Request) -> Response:
        place, _ = self._find(request)
        fields = await _json_fields(request)

        def give() -> str:
            return give_order(self.catalog, place.id, parse_order(fields))

        task = asyncio.ensure_future(run_sync(give))
        try:
            message = await asyncio.wait_for(asyncio.shield(task), ORDER_SECONDS)
        except TimeoutError:
            task.add_done_callback(_take_result)
            doing = "The fleet has not replied yet." if place.row else "The checks run now."
            return JSONResponse({"message": f"Accepted. {doing}"}, 202)
        except REFUSALS as error:
            return JSONResponse({"error": str(error)}, 409)
        return JSONResponse({"message": message})


def _take_result(task: asyncio.Future[str]) -> None:
    """Take the result of an order that took long; without this, asyncio would print a warning."""
    if not task.cancelled():
        task.exception()


async def _json_fields(request: Request) -> dict[str, Any]:
    body = await read_body(request, MAX_ORDER_BYTES)
    if body is None:
        raise HTTPException(413, "this order is too long")
    fields = json_object(body)
    if fields is None:
        raise HTTPException(400, "an order is a JSON object")
    return fields


def _number(request: Request, name: str, default: int) -> int:
    return _parse_number(name, request.query_params.get(name, ""), default)


def _parse_number(name: str, text: str, default: int) -> int:
    if not text:
        return default
    if not (text.isascii() and text.isdecimal()) or len(text) > MAX_DIGITS:
        raise HTTPException(400, f"{name} is a number")
    return int(text)


def _file(name: str) -> Response:
    path = STATIC.joinpath(name)
    kind = TYPES.get(name.rpartition(".")[2], "")
    if not kind or "/" in name or not path.is_file():
        raise HTTPException(404, "no such page")
    return FileResponse(str(path), media_type=kind)


def _event_stream(events: AsyncIterator[bytes]) -> Response:
    return StreamingResponse(events, media_type="text/event-stream")


async def _error_response(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": error.detail}, error.status_code)
