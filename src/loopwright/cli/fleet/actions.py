"""The actions of `loop fleet`, in the order of its help. No database is imported here."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from . import options


@dataclass(frozen=True)
class Action:
    """One action of `loop fleet`. Agents may use those that only read."""

    summary: str
    add: Callable[[argparse.ArgumentParser], None]
    examples: str
    only_reads: bool = False
    module: str = ""  # of cli/fleet, where it is not the action's own name


ACTIONS: dict[str, Action] = {
    "submit": Action(
        "queue a loop as a job",
        options.add_submit,
        """  loop fleet submit "fix all failing tests" --check "tests pass=pytest -q" --budget 5
  loop fleet submit --plan PLAN.md --agent claude --fallback codex --priority 5
  loop fleet submit "update the docs" --repository git@host:team/app.git --ref main
  loop fleet submit --from jobs.jsonl --agent claude --account team""",
    ),
    "worker": Action(
        "run jobs on this machine until it is drained",
        options.add_worker,
        """  loop fleet worker
  loop fleet worker --slots 8 --label gpu --account team=team.env
  loop fleet worker --drain            # the workers of this machine finish their turns and end""",
    ),
    "status": Action(
        "show jobs, workers, limits and dollars, or one job in full",
        options.add_status,
        """  loop fleet status
  loop fleet status --watch
  loop fleet status a1b2c3d4            # exit code: 0 works or proven, 6 asks, 4 paused, …
  loop fleet status --all --json | jq '.totals'""",
        only_reads=True,
    ),
    "logs": Action(
        "show what the agent of a job did and said",
        options.add_logs,
        """  loop fleet logs a1b2c3d4
  loop fleet logs a1b2c3d4 -f""",
        only_reads=True,
    ),
    "answer": Action(
        "answer the question of a job",
        options.add_order_with_text,
        """  loop fleet answer a1b2c3d4 yes
  loop fleet answer a1b2c3d4 "no: keep the old format readable" """.rstrip(),
        module="give_order",
    ),
    "steer": Action(
        "send the agent of a job a message",
        options.add_order_with_text,
        """  loop fleet steer a1b2c3d4 "leave the parser as it is" """.rstrip(),
        module="give_order",
    ),
    "pause": Action(
        "pause a job; nothing is lost",
        options.add_order,
        """  loop fleet pause a1b2c3d4""",
        module="give_order",
    ),
    "cancel": Action(
        "end a job and keep what was done",
        options.add_order,
        """  loop fleet cancel a1b2c3d4""",
        module="give_order",
    ),
    "rule": Action(
        "decide about a check of a job that the agent disputes",
        options.add_rule,
        """  loop fleet rule a1b2c3d4 "tests pass" keep
  loop fleet rule a1b2c3d4 "tests pass" drop         # then it is never proven
  loop fleet rule a1b2c3d4 "tests pass" change "pytest -q tests/unit" """.rstrip(),
        module="give_order",
    ),
    "retry": Action(
        "continue a paused or failed job, with more budget if you give it",
        options.add_retry,
        """  loop fleet retry a1b2c3d4
  loop fleet retry a1b2c3d4 --budget 10 --iterations 5""",
        module="give_order",
    ),
    "results": Action(
        "show where the results of a job are, or fetch them",
        options.add_results,
        """  loop fleet results a1b2c3d4
  loop fleet results a1b2c3d4 --fetch   # branch loop/a1b2c3d4 in the repository here""",
        only_reads=True,
    ),
    "limit": Action(
        "list or set limits of the fleet, an account or a repository",
        options.add_limit,
        """  loop fleet limit
  loop fleet limit fleet --budget 200 --at-once 16
  loop fleet limit account:team --turns 60/1h
  loop fleet limit repository:git@host:team/app.git --at-once 2
  loop fleet limit account:team --clear""",
    ),
    "init": Action(
        "keep the address of the database and create its tables",
        options.add_init,
        """  loop fleet init
  loop fleet init --database postgresql://loop@db.example.org/fleet --budget 200
  loop fleet init --results git@host:team/results.git""",
    ),
    "doctor": Action(
        "find what is wrong with the fleet, and name the fix",
        options.add_common,
        """  loop fleet doctor
  loop fleet doctor --json""",
        only_reads=True,
    ),
    "clean": Action(
        "remove jobs that were closed long ago, with their logs and checkpoints",
        options.add_clean,
        """  loop fleet clean
  loop fleet clean --older-than 7d --yes""",
    ),
}
