"""What an agent reads of `loop mcp`: instructions, descriptions of the tools, and answers."""

from __future__ import annotations

from .phrases import count_phrase

INSTRUCTIONS = (
    "A loop keeps you working until checks prove the work done. Ask loop_status what is open and "
    "loop_why what failed. Run loop_check before you claim; not done is a normal answer of it. "
    "loop_claim records a claim, which is never proof: the loop runs its own checks. If you cannot "
    "go on, call loop_blocked; if a check is wrong, call loop_dispute and a person decides. "
    "Limits, criteria and the end of a loop are the person's: no tool changes them."
)
TITLES = {
    "loop_status": "Status of the loop",
    "loop_why": "Why the loop continues",
    "loop_check": "Run the checks",
    "loop_claim": "Claim what is done",
    "loop_blocked": "Report a blocker",
    "loop_dispute": "Dispute a check",
}
DESCRIPTIONS = {
    "loop_status": (
        "Show the loop of this project: criteria with their proof, steps, counters and the next "
        "command. Reads only."
    ),
    "loop_why": (
        "Explain why the loop continues or has paused: the counters of the breakers and the "
        "failing output. Reads only."
    ),
    "loop_check": (
        "Run the checks of the loop now and show the results. A failing check is a normal result. "
        "Only one run works in a project at a time; a second call gets the result of the running "
        "one. It may take minutes; if your call times out, the run finishes, and the next call "
        "gets its result unless a file has changed."
    ),
    "loop_claim": (
        "Claim a criterion, a step or the exit, or ask the person a question. A claim is recorded "
        "and compared with the checks when you stop. It is never proof."
    ),
    "loop_blocked": "Say why you cannot continue. The loop pauses until a person continues it.",
    "loop_dispute": (
        "Say that the check of a criterion is wrong. The loop continues with the other criteria, "
        "and a person decides."
    ),
}
FIELDS = {
    "names": "the criteria to check; without it all are checked",
    "met": "the name of a criterion that is met; needs `kind`",
    "kind": "how you verified it",
    "evidence": "what you saw",
    "step_done": "the name of a step that is finished",
    "note": "a note on the finished step",
    "gate": "the result of step 0: compared libraries, the root cause, or what was deleted",
    "shows": "`<number>: <test>`: the test that shows a demand of the spec, see loop_status",
    "exit": "true: you claim that everything is done",
    "ask": "a question for the person",
    "must_not": "must-nots that you had to break; the loop pauses",
    "confidence": "how sure you are, in percent",
    "points": "how much work it was, in story points",
    "alternative": "an alternative that you did not choose",
    "risk": "the riskiest assumption behind the work",
    "reason": "why you cannot continue",
    "criterion": "the name of a criterion of the loop",
    "why": "why its check is wrong",
}
NOT_THE_PROOF = "This run is no proof: the loop runs its own checks when you stop."
NOTHING_RAN = "No check ran."
SHARED_NOTE = (
    "This is the result of a run that another call had begun. If you have changed a file since, "
    "call loop_check again."
)
KEPT_NOTE = (
    "This run finished after its call was cancelled. No file has changed since, so its result "
    "still holds."
)
TOO_MANY_CALLS = (
    "Too many calls work at once ({most}). Wait until one of them has answered, then call again."
)
ENDED_CALL = "The command did not finish. Call again; if it fails again: loop doctor"
TAIL_LINES = 12  # of a failing check


def check_lines(results: list[dict[str, object]]) -> list[str]:
    """The results of a run of the checks, with the end of the output of each that fails."""
    if not results:
        return [NOTHING_RAN]
    failing = sum(not result["passed"] for result in results)
    checks = count_phrase(len(results), "check")
    lines = [f"Not done: {failing} of {checks} failed." if failing else f"{checks} passed."]
    for result in results:
        mark = "✓" if result["passed"] else "✗"
        lines.append(f"{mark} {result['criterion']}: {result['result']}, {result['seconds']:.1f} s")
        if not result["passed"]:
            tail = str(result["detail"]).splitlines()[-TAIL_LINES:]
            lines += [f"    {line}" for line in tail]
    return lines
