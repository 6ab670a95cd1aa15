"""The durable engine (DBOS): it runs each segment of a job as a workflow and records its steps.

A worker has an executor id of its own for each process, so the engine never recovers by itself what
another process began: liveness.py decides who continues.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from dbos import DBOS, DBOSClient, DBOSConfig, SetWorkflowID
from dbos import DBOSPortableJSONSerializer as JSONSerializer

from .database import Database

APPLICATION = "loopwright-fleet"
QUEUE_POLL_SECONDS = 0.5


def launch_engine(database: Database, executor: str, release: str) -> None:
    """Start the engine of this process. Its queue has the executor's name; no other reads it."""
    logging.getLogger("dbos").setLevel(logging.CRITICAL)
    config: DBOSConfig = {
        "name": APPLICATION,
        "system_database_url": database.engine_address,
        "executor_id": executor,
        # Workers of two releases never run each other's workflows.
        "application_version": release,
        # JSON: nothing that is read from a shared database is executed.
        "serializer": JSONSerializer(),
        "log_level": "CRITICAL",
        "console_log_level": "CRITICAL",
        "enable_otlp": False,
        "use_listen_notify": False,
        # A machine that is gone must not hold up whoever continues its workflows.
        "sys_db_idle_transaction_timeout_sec": 5.0,
    }
    DBOS(config=config)
    DBOS.listen_queues([executor])
    DBOS.launch()
    DBOS.register_queue(
        executor, polling_interval_sec=QUEUE_POLL_SECONDS, on_conflict="always_update"
    )


def start_segment(segment: Callable[[str], Any], workflow: str, job_id: str) -> None:
    """Begin a segment as a new workflow on this process."""
    with SetWorkflowID(workflow):
        DBOS.start_workflow(segment, job_id)


def continue_segment(workflow: str, executor: str) -> None:
    """Continue the workflow of a dead process here: its recorded steps are not repeated."""
    DBOS.resume_workflows([workflow], queue_name=executor)


def can_continue(workflow: str) -> bool:
    """Is this workflow recorded, and neither over nor cancelled?"""
    status = DBOS.get_workflow_status(workflow)
    return status is not None and status.status in ("PENDING", "ENQUEUED")


def cancel_segment(workflow: str) -> None:
    """Make sure that the engine never continues this workflow."""
    if can_continue(workflow):
        DBOS.cancel_workflow(workflow)


def stop_engine(seconds: int = 0) -> None:
    DBOS.destroy(workflow_completion_timeout_sec=seconds)


def open_client(database: Database) -> DBOSClient:
    """The engine for a process that runs no workflow: it manages old workflows."""
    logging.getLogger("dbos").setLevel(logging.CRITICAL)
    DBOS.migrate(database.engine_address)  # the first worker may not have been here yet
    return DBOSClient(
        system_database_url=database.engine_address,
        serializer=JSONSerializer(),
        application_name=APPLICATION,
    )
