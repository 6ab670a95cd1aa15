"""Limits of a loop, its spend, and the counters that the breakers compare with the limits."""

from __future__ import annotations

from .record import Record

# Above these a raise needs the person's --yes.
MAX_DOLLARS, MAX_ITERATIONS = 100.0, 50
# The dollars of one turn, unless the person says otherwise: a share of those that are left, and at
# least a share of the whole budget, so that the last turns can still do something.
TURN_SHARE_OF_LEFT, TURN_SHARE_OF_BUDGET = 0.25, 0.04


class Limits(Record):
    """The limits of one loop. A breaker pauses the loop when one is reached."""

    iterations: int = 10
    dollars: float = 25.0
    minutes: float = 240
    stuck: int = 5
    rethink: int = 3  # stuck this often: the agent is asked to change its approach
    same_error: int = 3
    same_file: int = 5
    unchanging_calls: int = 100  # tool calls of a turn that change no file; then the turn ends
    idle: int = 3
    dry: int = 3  # explorations in a row without a finding; then a discovery loop is finished
    transient: int = 2
    crashes: int = 3  # of an agent's process in a row; then a fallback works, or the loop pauses
    looks: int = 3  # answers of a held-out check or reviewer; then a person decides
    wait: float = 720  # minutes in total that a runner waits for usage limits and network faults


def turn_dollars(limits: Limits, left: float) -> float:
    """The dollars that one turn may cost at most when so many are left."""
    share = max(left * TURN_SHARE_OF_LEFT, limits.dollars * TURN_SHARE_OF_BUDGET)
    return max(0.0, min(left, share))


class Price(Record):
    """Dollars per million tokens of one model."""

    model: str
    input: float
    output: float
    cache_read: float
    cache_write: float

    def dollars(
        self, new: float, output: float, cache_read: float = 0, cache_write: float = 0
    ) -> float:
        """What so many tokens cost; `new` are those of the input that the cache did not hold."""
        return (
            new * self.input
            + output * self.output
            + cache_read * self.cache_read
            + cache_write * self.cache_write
        ) / 1_000_000


def price_of(model: str, rows: tuple[Price, ...]) -> Price | None:
    """The row with the longest name that the model's name begins with."""
    fitting = [row for row in rows if model.startswith(row.model)]
    return max(fitting, key=lambda row: len(row.model), default=None)


class Cursor(Record):
    """How far a transcript is read. The last message may grow, so its cost so far is kept."""

    file: str
    offset: int = 0
    message: str = ""
    counted_dollars: float = 0.0


class Spend(Record):
    """What the loop has used so far."""

    iterations: int = 0
    dollars: float = 0.0
    seconds: float = 0.0
    unpriced: tuple[str, ...] = ()  # models without a known price
    unread_bytes: int = 0  # bytes of transcript not read yet
    cursors: tuple[Cursor, ...] = ()


class Streak(Record):
    """The counters behind the breakers, each named like its limit."""

    unmet: tuple[tuple[str, ...], ...] = ()  # the last six sets of unmet criteria, newest last
    trees: tuple[str, ...] = ()  # the trees of those sets
    scores: tuple[tuple[int, int], ...] = ()  # their sizes, and the failures that checks counted
    stuck: int = 0
    stuck_half: bool = False  # half a count more than `stuck`: see breakers.count_stuck
    unclaimed: int = 0  # Stops in a row with all criteria met and the end not claimed
    ever_proven: tuple[str, ...] = ()  # criteria that a check has ever proven
    fewest_failures: tuple[tuple[str, int], ...] = ()  # the fewest that each check has reported
    best_numbers: tuple[tuple[str, str, float], ...] = ()  # check, number, the best it has reported
    error_signature: str = ""
    error_text: str = ""
    same_error: int = 0
    transient: int = 0
    blocking_error: str = ""  # the blocking or unknown error that ended the last turn
    same_file: int = 0
    most_edited_file: str = ""
    idle: int = 0
    dry: int = 0
    toolless: int = 0  # answers in a row without a tool call
    toolless_cap: int = 0  # how many of them the client lets us continue; 0: any number
    held: int = 0  # answers to one prompt, with or without tool calls
    hold_cap: int = 0  # how many of them the client lets us hold; 0: any number
    host: str = ""  # that client
    # First words of the last three finished steps. Three equal ones are a pattern worth learning.
    recent_step_kinds: tuple[str, ...] = ()
    guard_output: str = ""  # a digest of what the failing guards of a discovery loop printed
