"""The tables of the fleet. Whoever can read them knows everything about every job.

Times are seconds by the clock of the database, so the clocks of the workers do not matter.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

# Raised when a table changes; an older release then refuses the database. A further table changes
# nothing for it.
FORMAT = 2
METADATA = MetaData()

# The states of a job.
QUEUED = "queued"  # waits for a worker; `waits_for` says for what else
RUNNING = "running"  # a worker holds it
ASKING = "asking"  # waits for the answer of a person
PAUSED = "paused"  # waits for `loop fleet retry JOB`
ENDED = "ended"  # its loop is over; `grade` says how
FAILED = "failed"  # could not be prepared; `reason` says why
CANCELLED = "cancelled"
STATES = (QUEUED, RUNNING, ASKING, PAUSED, ENDED, FAILED, CANCELLED)
OPEN_STATES = (QUEUED, RUNNING, ASKING, PAUSED)
CLOSED_STATES = (ENDED, FAILED, CANCELLED)

versions = Table("fleet_format", METADATA, Column("number", Integer, primary_key=True))

jobs = Table(
    "fleet_jobs",
    METADATA,
    Column("id", String(40), primary_key=True),
    Column("name", Text, nullable=False),
    Column("state", String(16), nullable=False),
    Column("waits_for", Text, nullable=False, default=""),
    Column("not_before", Float, nullable=False, default=0.0),
    Column("created_at", Float, nullable=False),
    Column("changed_at", Float, nullable=False),
    Column("ended_at", Float, nullable=False, default=0.0),
    Column("priority", Integer, nullable=False, default=0),
    Column("labels", JSON, nullable=False),
    Column("account", Text, nullable=False),
    # The work: a repository, a commit in it, and the words of `loop start` and `loop run`.
    Column("repository", Text, nullable=False),
    Column("address", Text, nullable=False, default=""),  # "": the work came as a bundle
    Column("base_commit", String(64), nullable=False),
    Column("start_words", JSON, nullable=False),
    Column("run_words", JSON, nullable=False),
    Column("files", JSON, nullable=False),  # files that the words name: name -> text
    Column("results", Text, nullable=False, default=""),  # where the results are pushed
    # Who holds it. A claim raises the fence; whoever writes with an older one is refused.
    Column("worker", String(80), nullable=False, default=""),
    Column("fence", Integer, nullable=False, default=0),
    Column("workflow", String(80), nullable=False, default=""),
    Column("release", String(40), nullable=False, default=""),
    Column("failures", Integer, nullable=False, default=0),  # in a row, without a settled turn
    Column("progress_at", Float, nullable=False, default=0.0),
    Column("turn_seconds", Float, nullable=False, default=3600.0),
    # What is known of its loop.
    Column("loop", String(40), nullable=False, default=""),
    Column("loop_facts", JSON, nullable=False),
    Column("budget", Float, nullable=False, default=0.0),
    Column("turns", Integer, nullable=False, default=0),
    Column("question", Text, nullable=False, default=""),
    Column("reason", Text, nullable=False, default=""),
    Column("grade", String(32), nullable=False, default=""),
    Column("published", Text, nullable=False, default=""),
    Index("fleet_jobs_worker", "worker"),
)

# In the order in which jobs are claimed.
Index("fleet_jobs_claim", jobs.c.state, jobs.c.priority.desc(), jobs.c.created_at)

# The dollar ledger: one row for each attempt at a turn.
RESERVED, SETTLED, LOST = "reserved", "settled", "lost"
turns = Table(
    "fleet_turns",
    METADATA,
    Column("job", String(40), ForeignKey("fleet_jobs.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("fence", Integer, primary_key=True),
    Column("account", Text, nullable=False),
    Column("repository", Text, nullable=False),
    Column("state", String(16), nullable=False),
    Column("reserved", Float, nullable=False),
    Column("known", Float, nullable=False, default=0.0),
    Column("spent", Float, nullable=False, default=0.0),
    Column("started_at", Float, nullable=False),
    Column("ended_at", Float, nullable=False, default=0.0),
    Column("outcome", JSON, nullable=False),
    Index("fleet_turns_account", "account", "state"),
    Index("fleet_turns_repository", "repository", "state"),
    Index("fleet_turns_started", "started_at"),
)

# `scope` is "fleet", "account:NAME" or "repository:NAME". 0: no limit.
limits = Table(
    "fleet_limits",
    METADATA,
    Column("scope", Text, primary_key=True),
    Column("at_once", Integer, nullable=False, default=0),
    Column("turns", Integer, nullable=False, default=0),
    Column("period", Float, nullable=False, default=0.0),
    Column("budget", Float, nullable=False, default=0.0),
    Column("blocked_until", Float, nullable=False, default=0.0),  # a usage limit was reached
    Column("blocked_why", Text, nullable=False, default=""),
)

# What the turns of removed jobs have spent, by scope, so that budgets stay exact.
past = Table(
    "fleet_past",
    METADATA,
    Column("scope", Text, primary_key=True),
    Column("jobs", Integer, nullable=False),
    Column("spent", Float, nullable=False),
)

orders = Table(
    "fleet_orders",
    METADATA,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("job", String(40), ForeignKey("fleet_jobs.id", ondelete="CASCADE"), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("text", Text, nullable=False, default=""),
    Column("amounts", JSON, nullable=False),
    Column("given_at", Float, nullable=False),
    Column("done_at", Float, nullable=False, default=0.0),
    Column("reply", Text, nullable=False, default=""),
    Column("refused", Boolean, nullable=False, default=False),
    Column("kept", Boolean, nullable=False, default=False),  # its effect is in a checkpoint
    Index("fleet_orders_open", "done_at", "job"),
)

workers = Table(
    "fleet_workers",
    METADATA,
    Column("id", String(80), primary_key=True),
    Column("host", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("process_started", String(40), nullable=False),
    Column("release", String(40), nullable=False),
    Column("slots", Integer, nullable=False),
    Column("labels", JSON, nullable=False),
    Column("accounts", JSON, nullable=False),
    Column("lock_number", Integer, nullable=False),
    Column("state", String(16), nullable=False),  # working, draining, ended, dead
    Column("started_at", Float, nullable=False),
    Column("heard_at", Float, nullable=False),
    UniqueConstraint("lock_number"),
)

# Each worker that died or froze, for each job that it had. See deaths.py.
deaths = Table(
    "fleet_deaths",
    METADATA,
    Column("job", String(40), ForeignKey("fleet_jobs.id", ondelete="CASCADE"), primary_key=True),
    Column("fence", Integer, primary_key=True),
    Column("worker", String(80), nullable=False),
    Column("noticed_at", Float, nullable=False),
)

# Everything that another worker needs to continue a job after a turn.
checkpoints = Table(
    "fleet_checkpoints",
    METADATA,
    Column("job", String(40), ForeignKey("fleet_jobs.id", ondelete="CASCADE"), primary_key=True),
    Column("turn", Integer, nullable=False),
    Column("bundle", LargeBinary, nullable=False),
    Column("folder", LargeBinary, nullable=False),
    Column("holdouts", LargeBinary, nullable=False),
    Column("written_at", Float, nullable=False),
)

# Work that arrived as a git bundle; jobs of the same commit share it.
bundles = Table(
    "fleet_bundles",
    METADATA,
    Column("base_commit", String(64), primary_key=True),
    Column("bundle", LargeBinary, nullable=False),
    Column("written_at", Float, nullable=False),
)

logs = Table(
    "fleet_logs",
    METADATA,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("job", String(40), ForeignKey("fleet_jobs.id", ondelete="CASCADE"), nullable=False),
    Column("at", Float, nullable=False),
    Column("text", Text, nullable=False),
    Index("fleet_logs_job", "job", "number"),
)
