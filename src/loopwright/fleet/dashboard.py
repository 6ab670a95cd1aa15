"""The jobs of a fleet for `loop watch` and `loop serve`: see `store/further_loops.py`.

A thread of its own reads the database. A database that does not answer holds up nothing: the last
known rows stay, and one line says so.
"""

from __future__ import annotations

import os
import time
from threading import Condition, Event, Thread

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError

from ..core.loop import Loop
from ..disk.user_folders import state_home
from ..drive.errors import UserError
from ..store.further_loops import LoopPlace, OrderReply, PersonOrder
from ..views.board_of_loops import BoardRow
from ..views.loop_page import LoopPage, clean_text
from . import orders
from .database import Database, open_database
from .job_rows import JobRows
from .job_views import job_page
from .jobs import read_job
from .mirror import Mirror, OpenPages
from .tables import ASKING, RUNNING
from .tables import orders as orders_table

LOOK_SECONDS = 1.0  # between two looks at the database
SILENT_SECONDS = 6.0  # that a look may take
BRING_SECONDS = 3.0  # that a page waits for the files of its loop
REPLY_SECONDS = 4.0  # that an order waits for its reply; later ones are told when they come
KEPT_REPLIES = 100
NO_ANSWER = "fleet: the database does not answer"


class FleetLoops:
    """The jobs of one fleet. `start` begins to read; `close` ends that."""

    def __init__(self, address: str) -> None:
        self.version = 0
        self._address = address
        self._worker_root = os.path.join(os.path.realpath(state_home()), "fleet", "")
        self._database: Database | None = None
        self._rows = JobRows()
        self._pages = OpenPages(address)
        self._notice, self._notice_changes = "", 0
        self._looked_at: set[str] = set()  # jobs whose page was looked for since it was opened
        self._look_began = 0.0  # 0: no look is under way
        self._has_looked = Condition()
        self._wake, self._is_closed = Event(), Event()
        self._open_orders: dict[int, str] = {}  # whose reply has not come, with their jobs
        self._replies: list[OrderReply] = []

    def start(self) -> FleetLoops:
        Thread(target=self._run, name="fleet-dashboard", daemon=True).start()
        return self

    def close(self) -> None:
        self._is_closed.set()
        self._wake.set()

    # --- What the dashboards ask; nothing here waits for the database ---

    @property
    def notice(self) -> str:
        return self._notice

    def refresh(self) -> None:
        began = self._look_began
        if began and time.monotonic() - began > SILENT_SECONDS:
            self._set_notice(NO_ANSWER)

    def rows(self) -> list[BoardRow]:
        return [job.row for job in self._rows.jobs.values()]

    def owns_row(self, row: BoardRow) -> bool:
        # A worker of this machine has a loop in its folder before the job says which one.
        return row.id in self._rows.loops or row.root.startswith(self._worker_root)

    def find(self, row_id: str) -> LoopPlace | None:
        job = self._rows.jobs.get(row_id)
        if job is None:
            return None
        self._pages.ask_for(row_id)
        mirror = self._pages.mirrors.get(row_id, Mirror())
        return LoopPlace(
            id=row_id,
            root=job.row.root,
            path=mirror.journal,
            is_archived=False,
            row=job.row,
            changes=job.changes + mirror.changes + self._notice_changes,
        )

    def page_of(self, row_id: str, loop: Loop | None) -> LoopPage:
        job = self._rows.jobs[row_id]
        return job_page(job.facts, job.row, loop)

    def replies_after(self, number: int) -> list[OrderReply]:
        return [reply for reply in list(self._replies) if reply.number > number]

    # --- What waits for a moment ---

    def bring(self, row_id: str) -> None:
        if row_id not in self._rows.jobs or self._notice:
            return
        with self._has_looked:
            self._looked_at.discard(row_id)
            self._pages.ask_for(row_id)
            self._wake.set()
            self._has_looked.wait_for(lambda: row_id in self._looked_at, BRING_SECONDS)

    def give_order(self, row_id: str, order: PersonOrder) -> str:
        database = self._database
        if database is None:
            raise UserError(f"{self._notice or NO_ANSWER}. See: loop fleet doctor")
        amounts = {
            name: amount
            for name in ("dollars", "iterations", "minutes")
            if (amount := getattr(order, name))
        }
        try:
            _require_question(database, row_id, order)
            kind = orders.RETRY if order.name == "continue" else order.name
            text = order.text
            if kind == orders.RULE:
                text = orders.ruling_text(order.criterion, order.ruling, order.command)
            number, reply = orders.give_order(database, row_id, kind, text, amounts)
            self._wake.set()
            told = orders.wait_for_reply(database, number, REPLY_SECONDS) if number else reply
        except DBAPIError as error:
            raise UserError(
                f"{NO_ANSWER}, so nobody knows whether the order arrived. "
                f"See: loop fleet status {row_id}"
            ) from error
        if told is None:
            self._open_orders[number] = row_id
            return "Noted. The worker that holds the job or takes it next replies here."
        return told

    # --- The thread ---

    def _run(self) -> None:
        while not self._is_closed.is_set():
            self._look_began = time.monotonic()
            try:
                problem = self._look()
            except DBAPIError:
                self._set_notice(NO_ANSWER)
            except Exception as error:  # whatever is wrong, the dashboard goes on and tells it
                is_silent = isinstance(error.__cause__, DBAPIError)
                self._set_notice(NO_ANSWER if is_silent else f"fleet: {error}")
            else:
                self._set_notice(f"fleet: {problem}" if problem else "")
            self._look_began = 0.0
            self._wake.wait(LOOK_SECONDS)
            self._wake.clear()
        if self._database:
            self._database.close()

    def _look(self) -> str:
        """Read what has changed: jobs, the files of open pages, replies. What is wrong, if any."""
        if self._database is None:
            self._database = open_database(self._address)
        database, wanted = self._database, self._pages.open_pages()
        with database.reading() as connection:
            if self._rows.read(connection, database):
                self.version += 1
            jobs = self._rows.jobs
            running = {key for key in wanted if key in jobs and jobs[key].facts["state"] == RUNNING}
            self._pages.read(connection, wanted, running)
            self._take_replies(connection)
        with self._has_looked:
            self._looked_at.update(wanted)
            self._has_looked.notify_all()
        return self._pages.problem(wanted)

    def _take_replies(self, connection: Connection) -> None:
        if not self._open_orders:
            return
        table = orders_table.c
        query = sa.select(table.number, table.reply, table.refused).where(
            table.number.in_(list(self._open_orders)), table.done_at > 0.0
        )
        for row in connection.execute(query).all():
            job_id = self._open_orders.pop(row.number)
            number = self._replies[-1].number + 1 if self._replies else 1
            reply = OrderReply(number, job_id, clean_text(row.reply), bool(row.refused))
            self._replies = [*self._replies, reply][-KEPT_REPLIES:]
            self.version += 1

    def _set_notice(self, text: str) -> None:
        if text != self._notice:
            self._notice = text
            self._notice_changes += 1
            self.version += 1


def _require_question(database: Database, job_id: str, order: PersonOrder) -> None:
    """Refuse an answer to a question that is not the open one any more."""
    if not order.question:
        return
    with database.reading() as connection:
        job = read_job(connection, job_id)
    if job.state == ASKING and order.question not in (job.question, clean_text(job.question)):
        raise UserError("the question has changed meanwhile: read the new one first")
