"""The demands of the spec in the revert test: the checks for them, and what they show."""

from __future__ import annotations

from ..core.criteria import Criterion
from ..core.loop import Loop
from ..core.proof.clean_checkout import FINAL_TREE_RUN
from ..core.proof.demand_results import command_criteria, demand_name, named_commands
from ..core.proof.demands import DemandProof
from ..store import trust
from ..store.folder import LoopFolder
from .checkout import CheckRuns, PreparedRoom, load_runs, open_room, room_criteria, run_checks
from .demand_tests import checks_with, judge_command, judge_test, named_tests
from .final_run import FinalRun, options_of_end
from .time_limits import seconds_of_a_run


def demand_checks(loop: Loop, tree: str) -> list[Criterion]:
    """The checks in which a test runs that the agent names for a demand."""
    names = named_tests(loop)
    if not names:
        return []
    wanted = checks_with(names, load_runs(loop, f"{FINAL_TREE_RUN}-{tree}"))
    return [c for c in room_criteria(loop) if c.name in wanted]


def allowed_commands(folder: LoopFolder, loop: Loop) -> list[Criterion]:
    """The commands that the agent names and that a person allowed, like any command of a model."""
    commands = command_criteria(loop)
    return [c for c in commands if c.check and trust.is_allowed(folder, c.check)]


def run_commands(final_run: FinalRun, reverted: PreparedRoom) -> dict[str, CheckRuns]:
    """The allowed commands on the final files and on those without the work, by their demand."""
    folder, loop = final_run.folder, final_run.loop
    commands = allowed_commands(folder, loop)
    if not commands:
        return {}
    final_run.time_limit.require(seconds_of_a_run(loop), 2)
    without = run_checks(folder, loop, reverted, commands)
    with open_room(folder, loop, final_run.end, options_of_end(final_run)) as room:
        end = run_checks(folder, loop, room, commands)
    return {"end": end, "without": without}


def judge_demands(
    loop: Loop, tree: str, without: CheckRuns, commands: dict[str, CheckRuns]
) -> tuple[DemandProof, ...]:
    """What each test and each command shows that the agent names."""
    end = load_runs(loop, f"{FINAL_TREE_RUN}-{tree}")
    proofs = [judge_test(number, name, end, without) for number, name in named_tests(loop).items()]
    ended, reverted = commands.get("end", {}), commands.get("without", {})
    for number, shows in named_commands(loop).items():
        name = demand_name(number)
        sides = [runs[name].evidence if name in runs else None for runs in (ended, reverted)]
        proofs.append(judge_command(number, shows, *sides))
    return tuple(sorted(proofs, key=lambda proof: proof.number))
