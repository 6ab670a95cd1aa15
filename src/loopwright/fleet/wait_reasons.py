"""What a queued job waits for, and the command that gives it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .deaths import SUSPECT_DEATHS
from .limits import Limit
from .liveness import WORKING
from .placement import scopes_of
from .tables import ASKING, FAILED, PAUSED, QUEUED

NO_DEATHS: Mapping[str, int] = {}


class WaitReasons:
    """Says what a queued job waits for: a worker that fits, a place, or a time."""

    def __init__(
        self,
        living: list[dict[str, Any]],
        found: list[Limit],
        deaths: Mapping[str, int] = NO_DEATHS,
    ) -> None:
        self.deaths = deaths  # of workers, by job
        self._workers = [worker for worker in living if worker["state"] == WORKING]
        self._full = {
            limit.scope: f"{limit.scope}: {limit.at_once} at once"
            for limit in found
            if 0 < limit.at_once <= limit.used_at_once
        }
        self._full |= {
            limit.scope: f"{limit.scope}: {limit.blocked_why}"
            for limit in found
            if limit.blocked_until
        }

    def of_job(self, row: Mapping[str, Any], now: float) -> str:
        if row["state"] == ASKING:
            return f"an answer: {row['question']}"
        if row["state"] in (PAUSED, FAILED):
            return str(row["reason"])
        if row["state"] != QUEUED:
            return ""
        if row["not_before"] > now:
            return row["waits_for"] or "a time"
        scopes = scopes_of(row["account"], row["repository"])
        full = next((self._full[scope] for scope in scopes if scope in self._full), "")
        return self.missing_worker(row) or full or row["waits_for"] or self._of_slot(row)

    def _of_slot(self, row: Mapping[str, Any]) -> str:
        if self.deaths.get(row["id"], 0) < SUSPECT_DEATHS:
            return "a free slot"
        return "a worker that has no other job whose workers died"

    def missing_worker(self, row: Mapping[str, Any]) -> str:
        """What no worker has that the job needs; "" when one could take it."""
        if not self._workers:
            return "a worker; none is running"
        serving = [worker for worker in self._workers if row["account"] in worker["accounts"]]
        if not serving:
            return f"a worker with the account {row['account']}"
        missing = [sorted(set(row["labels"]) - set(worker["labels"])) for worker in serving]
        if all(missing):
            fewest = min(missing, key=lambda labels: len(labels))
            return f"a worker with {', '.join(fewest)}"
        return ""


def worker_command(missing: str) -> str:
    """The command that starts what `jobs_without_worker` names."""
    wanted = missing.removeprefix("a worker with ")
    if wanted.startswith("the account "):
        return f"loop fleet worker --account {wanted.removeprefix('the account ')}=FILE"
    labels = wanted.split(", ")
    agents = [label.removeprefix("agent:") for label in labels if label.startswith("agent:")]
    others = [label for label in labels if not label.startswith("agent:")]
    if agents:
        return f"install {', '.join(agents)} on the machine of a worker; see: loop agents"
    return f"loop fleet worker {' '.join(f'--label {label}' for label in others)}"
