"""Every cause of a pause. The ids are in journals and exit codes: never change one."""

from __future__ import annotations

# Every cause of a pause → what it means. The breakers come first, in the order of BREAKERS.
PAUSE_CAUSES = {
    "trouble": "The last turn ended with a blocking or unknown error.",
    "transient": "Transient faults of the API or the network ended several turns in a row.",
    "denied": "The agent was denied the tools that it needs, and changed nothing.",
    "stuck": "Several iterations in a row made no progress on the unmet criteria.",
    "same-error": "The same error occurred several times in a row.",
    "turn": "Two turns in a row were ended for the same reason, and no file changed.",
    "same-file": "One file was edited too often in one iteration.",
    "idle": "Several turns in a row did nothing.",
    "cap": "The client lets us continue only so many answers in a row.",
    "budget": "The budget in dollars is spent.",
    "iterations": "The limit of iterations is reached.",
    "clock": "The time limit is reached.",
    "must-not": "A must-not is broken.",
    "crash": "The process of every agent died several times in a row.",
    "blocked": "The agent says that it is blocked.",
    "person": "A person paused the loop or answered no.",
    "limit": "Waiting for the usage limit of the agents would take longer than limits.wait.",
    "last": "A final check cannot be run.",
    "disk": "A fault of the machine: a full disk, no access to a folder, no memory.",
    "tree": "The files of the project cannot be read, so no check can prove anything about them.",
    "moving": "The files changed while the final proof ran.",
    "parked": "Tasks or gaps of the plan have no retries left.",
    "gaps": "Verification found gaps, and the plan does not fix them by itself.",
    "rounds": "Verification found gaps, and all fix rounds of the plan are used.",
    "allow": "A check of the plan waits for `loop allow`.",
    "dispute": "Only criteria are open that the agent calls wrong; a person decides.",
    "landing": "Work cannot begin, land or be committed before a person has done something.",
    "looks": "A held-out check or the reviewer has answered as often as it may; a person decides.",
}
