"""Journals of format 1, read with today's names: renamed records and fields, and moved fields.

Format 1 was written by version 0.1.0. A line of it is translated before it is decoded, so that old
journals replay and a loop that was started with 0.1.0 continues. Only a journal with such lines
imports this module.
"""

from __future__ import annotations

from ..core.findings import RETIRED_RULES, RULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

RECORDS = {  # old name → new name
    "Assigned": "WorkAssigned",
    "CheckDropped": "CheckResultDropped",
    "ClaimsWaiting": "ClaimsQueued",
    "Failed": "TaskFailure",
    "FixBegan": "FixRoundStarted",
    "GapTried": "GapFixFailed",
    "GateRecorded": "StepZeroRecorded",
    "ItemsOrdered": "ItemsReordered",
    "LaneBegan": "LaneStarted",
    "LaneOver": "LaneEnded",
    "Laned": "LaneResult",
    "LeaseGiven": "LeaseReleased",
    "LookedBack": "BaselineCompared",
    "MismatchSeen": "CriteriaMismatchSeen",
    "NotesKept": "NotesReplaced",
    "NotesTaken": "EstimateRecorded",
    "Parked": "WorkParked",
    "Place": "TaskWorktree",
    "PlaceLaid": "WorktreePrepared",
    "PromptWaits": "PromptQueued",
    "ProofGiven": "CriteriaConfirmed",
    "Rewound": "FilesRewound",
    "Round": "HistoryEntry",
    "RoundBegan": "CheckRoundStarted",
    "RoundEnded": "CheckRoundEnded",
    "RunnerCame": "RunnerStarted",
    "StrangerSeen": "ForeignSessionSeen",
    "Taken": "PendingClaims",
    "Told": "RunnerReport",
    "Turn": "CheckRound",
    "TurnBegan": "TurnStarted",
    "TurnTold": "TurnReported",
    "WaitBegan": "WaitStarted",
}
FIELDS = {  # record, by its new name → old field → new field
    "AgentLimited": {
        "known": "reset_known",
    },
    "Backlog": {
        "jotted": "added_notes",
        "found": "found_count",
        "fixed": "fixed_count",
        "touched": "changed_since_stop",
        "yields": "yield_since_stop",
        "cycled": "cycle_completed",
        "sizes": "recent_sizes",
    },
    "BaselineCompared": {
        "kept": "kept_commit",
    },
    "CheckRan": {
        "left": "tree_after",
        "moved": "changed_files",
    },
    "CheckRound": {
        "round": "number",
        "second": "second_pass",
        "fresh": "is_active",
        "now": "tree_now",
        "movers": "file_changing_checks",
        "moved": "changed_files",
        "only": "only_criteria",
        "failed": "failed_tasks",
        "lane": "lane_commit",
        "gaps": "reported_gaps",
        "looked": "baseline_compared",
        "still": "baseline_recompared",
        "again": "after_write_race",
    },
    "CheckRoundStarted": {
        "turn": "check_round",
    },
    "ClaimsQueued": {
        "taken": "claims",
    },
    "Criterion": {
        "counts": "baseline_counts",
    },
    "Cursor": {
        "counted": "counted_dollars",
    },
    "FilesRewound": {
        "number": "iteration",
        "saved": "saved_commit",
    },
    "GapsFound": {
        "round": "history_entry",
    },
    "GateAnswered": {
        "delete": "delete_mirror",
    },
    "Lane": {
        "at": "started_at",
        "reserve": "reserved_dollars",
        "number": "turn_number",
    },
    "Lease": {
        "ended": "session_ended",
    },
    "Loop": {
        "forbidden": "must_not",
        "last": "final_checks",
        "gates": "gates_enabled",
        "turn": "check_round",
        "waiting": "pending_claims",
        "rounds": "rounds_started",
    },
    "LoopCancelled": {
        "keep": "keep_mirror",
    },
    "LoopResumed": {
        "rearmed": "rearmed_breaker",
    },
    "MirrorCorrected": {
        "extra": "extra_json",
    },
    "MirrorRebuilt": {
        "aside": "aside_path",
    },
    "PendingClaims": {
        "fresh": "has_news",
    },
    "Plan": {
        "rounds": "max_fix_rounds",
        "failed": "failures",
        "places": "worktrees",
        "round": "fix_rounds",
    },
    "Price": {
        "read": "cache_read",
        "write": "cache_write",
    },
    "ProofsVoided": {
        "files": "written_files",
    },
    "Run": {
        "base": "base_commit",
        "begun": "turn_started_at",
        "reserve": "reserved_dollars",
        "turns": "turns_started",
        "said": "answer_tail",
        "cut": "cut_reason",
        "denied": "denied_calls",
        "helpless": "blocked_by_denials",
        "limits": "agent_limits",
        "faults": "consecutive_faults",
        "until": "waiting_until",
        "waits": "waiting_since",
        "waiting": "waiting_reason",
        "waited": "waited_seconds",
    },
    "RunnerReport": {
        "cut": "cut_reason",
        "denied": "denied_calls",
        "limited": "usage_limited",
        "until": "limit_reset_at",
        "said": "answer_tail",
    },
    "RunnerStarted": {
        "base": "base_commit",
    },
    "Spend": {
        "behind": "unread_bytes",
    },
    "Streak": {
        "proven": "ever_proven",
        "failures": "fewest_failures",
        "error": "error_signature",
        "trouble": "blocking_error",
        "file": "most_edited_file",
        "cap": "toolless_cap",
        "steps": "recent_step_kinds",
    },
    "Task": {
        "done": "done_when",
        "reqs": "requirements",
        "alone": "runs_alone",
    },
    "TaskWorktree": {
        "base": "base_commit",
    },
    "TurnEnded": {
        "behind": "unread_bytes",
        "counts": "counts_as_iteration",
        "kept": "kept_commit",
    },
    "TurnReported": {
        "told": "report",
        "helpless": "blocked_by_denials",
    },
    "TurnStarted": {
        "reserve": "reserved_dollars",
    },
    "Workflow": {
        "gate": "step_zero",
        "recorded": "step_zero_note",
    },
    "WorktreePrepared": {
        "place": "worktree",
    },
}
# Record → old field → the field that holds it now, the record there, and its name in that record.
MOVED_FIELDS = {
    "Loop": {
        "base": ("baseline", "Baseline", "tree_id"),
        "protect": ("baseline", "Baseline", "protected_paths"),
        "tools": ("baseline", "Baseline", "tools"),
        "findings": ("baseline", "Baseline", "findings"),
        "accepted": ("baseline", "Baseline", "accepted_findings"),
        "confidence": ("estimate", "Estimate", "confidence"),
        "points": ("estimate", "Estimate", "points"),
        "alternative": ("estimate", "Estimate", "alternative"),
        "risk": ("estimate", "Estimate", "risk"),
        "cause": ("pause", "Pause", "cause"),
        "why": ("pause", "Pause", "why"),
        "guidance": ("dialogue", "Dialogue", "guidance"),
        "prompt_waits": ("dialogue", "Dialogue", "prompt_queued"),
        "held": ("dialogue", "Dialogue", "turn_continued"),
        "mismatch": ("dialogue", "Dialogue", "mismatched_criteria"),
        "errors": ("dialogue", "Dialogue", "errors"),
        "strangers": ("dialogue", "Dialogue", "foreign_sessions"),
        "refuted": ("dialogue", "Dialogue", "refuted_claims"),
        "prices": ("settings", "LoopSettings", "prices"),
        "volatile": ("settings", "LoopSettings", "volatile_globs"),
        "pass_env": ("settings", "LoopSettings", "pass_env"),
        "task_list": ("settings", "LoopSettings", "has_task_list"),
        "keep_mirror": ("settings", "LoopSettings", "keep_mirror"),
        "extra": ("settings", "LoopSettings", "extra_json"),
        "started_at": ("clock", "Clock", "started_at"),
        "since": ("clock", "Clock", "running_since"),
        "checkpoint_at": ("clock", "Clock", "checkpoint_at"),
        "ended_at": ("clock", "Clock", "ended_at"),
    },
}
VALUES = {  # record and field, by their new names → old value → new value
    # Format 1 has the words of a rule; words that are not in the table stay as they are.
    ("Finding", "rule"): {
        rule.key_words: rule_id for rule_id, rule in (RULES | RETIRED_RULES).items()
    },
    ("Pause", "cause"): {"forbidden": "must-not"},
    ("LoopPaused", "cause"): {"forbidden": "must-not"},
    ("BreakerTripped", "name"): {"forbidden": "must-not"},
    ("LoopResumed", "rearmed_breaker"): {"forbidden": "must-not"},
}


def upgrade(plain: Any) -> Any:
    """A value of format 1, as `record.decode` wants it today."""
    if isinstance(plain, list):
        return [upgrade(part) for part in plain]
    if not isinstance(plain, dict):
        return plain
    old_name = str(plain["is"])
    record = RECORDS.get(old_name, old_name)
    renamed, moved = FIELDS.get(record, {}), MOVED_FIELDS.get(record, {})
    fields: dict[str, Any] = {"is": record}
    for field, part in plain.items():
        if field == "is":
            continue
        value = upgrade(part)
        if field in moved:
            holder, kind, inner_name = moved[field]
            inner = fields.setdefault(holder, {"is": kind})
            inner[inner_name] = _upgrade_value(kind, inner_name, value)
        else:
            new_name = str(renamed.get(field, field))
            fields[new_name] = _upgrade_value(record, new_name, value)
    return fields


def _upgrade_value(record: str, field: str, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return VALUES.get((record, field), {}).get(value, value)
