"""A turn is over: the lease, the cost of the turn, and what the person is told at a Stop."""

from __future__ import annotations

from .. import events as ev
from ..directives import Ask, Directive, Stop
from ..draft import Draft
from ..loop import Gate, Loop
from ..pausing import breakers
from ..prompts import messages
from ..proof.state import CheckRound
from ..signals import TurnOver
from ..status import ENDED
from .check_rounds import pause_for_tree, start_check_round

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..signals import ClientEvent


def handle_turn_over(draft: Draft, turn: TurnOver) -> Directive:
    """The agent wants to stop: decide whether it may."""
    if draft.loop.status in ENDED or not turn.session:
        return Stop()
    binds = is_free(draft.loop, turn)  # an attended turn takes it then
    if not acquire_lease(draft, turn):
        return notify_foreign_session(draft, turn)
    priced_before = not draft.loop.spend.unpriced
    if turn.runner_report:
        from .runner_report import judge_despite_exit_code

        turn = judge_despite_exit_code(turn, draft.loop)
    directive = _handle_own_turn(draft, turn)
    if priced_before and draft.loop.spend.unpriced and not turn.runner_report:
        notice = messages.unknown_cost_notice(draft.loop)
        directive = directive.but(message=f"{notice}\n{directive.message}".strip())
    if draft.loop.dialogue.refused_orders:
        message = f"{refused_orders_notice(draft)}\n{directive.message}".strip()
        directive = directive.but(message=message)
    if draft.loop.room.must_announce:
        from .clean_checkout_runs import announce_unusable_checkout

        directive = announce_unusable_checkout(draft, directive)
    if not binds:
        return directive
    notice = messages.binding_notice(draft.loop)
    return directive.but(message=f"{notice}\n{directive.message}".strip())


def _handle_own_turn(draft: Draft, turn: TurnOver) -> Directive:
    """A turn of the session or runner that drives the loop."""
    before = draft.loop
    if turn.runner_report and before.status != "running":
        from .runner_report import record_report

        _record_cost(draft, turn)
        record_report(draft, turn, tree_changed=True)
    if before.gate:
        return _show_question(draft, before.gate, turn)
    if before.waits_for_person:
        return _pass_by_person_turn(draft, turn)
    if before.status != "running" or _is_ignored(before, turn):
        if before.dialogue.turn_continued and (turn.plan_mode or turn.busy):
            draft.record(ev.TurnReleased())  # a prompt that follows interrupts nothing
            return Stop(message=messages.BACKGROUND_NOTICE if turn.busy else "")
        return Stop()
    _record_turn(draft, turn, before)
    if turn.runner_report:
        from .runner_report import handle_runner_report

        if directive := handle_runner_report(draft, turn, before):
            return directive
    _count_turn(draft, turn, before)
    if turn.api_failure:
        # The API failed: this is not an iteration, and there is no answer to check.
        return breakers.pause_if_tripped(draft, turn.at) or Stop()
    if ask := _ask_to_allow_checks(draft, turn):
        return ask
    following = draft.policy.read_turn(draft, turn, before)
    if turn.tree_problem:
        return pause_for_tree(draft, following, turn.tree_problem, turn.at)
    if isinstance(following, CheckRound):
        return start_check_round(draft, following, turn.at)
    return following


def _show_question(draft: Draft, gate: Gate, turn: TurnOver) -> Directive:
    from ..prompts.questions import question_text

    if gate.unseen:
        draft.record(ev.QuestionShown(turn.at, turn.prompt_id))
    return Ask(gate.question, question_text(draft.loop))


def _ask_to_allow_checks(draft: Draft, turn: TurnOver) -> Directive | None:
    """Ask about checks that may not run, if there are some."""
    if not draft.loop.waiting_checks or _judges_lane_first(draft.loop, turn):
        return None
    from .permission import ask_for_permission

    return ask_for_permission(draft, turn.at)


def _judges_lane_first(loop: Loop, turn: TurnOver) -> bool:
    """Judge the work of a lane before a person is asked about the checks of other tasks.

    A task that is added while lanes work must not cost each of them another turn.
    """
    if not turn.lane_result or not loop.plan:
        return False
    waiting = {c.name for c in loop.waiting_checks}
    return waiting.isdisjoint(loop.plan.proving_criteria(turn.lane_result.task))


def _is_ignored(loop: Loop, turn: TurnOver) -> bool:
    # The client repeats the API failure of a session when the session ends.
    repeated_failure = bool(turn.api_failure and loop.lease.session_ended)
    return turn.plan_mode or turn.busy or repeated_failure


def _record_turn(draft: Draft, turn: TurnOver, before: Loop) -> None:
    report = turn.runner_report
    without_answer = turn.api_failure or (report and (report.usage_limited or report.lost))
    draft.record(
        ev.TurnEnded(
            at=turn.at,
            tree=turn.tree,
            dollars=turn.dollars,
            cursors=turn.cursors,
            unpriced=turn.unpriced,
            unread_bytes=turn.unread_bytes,
            counts_as_iteration=not without_answer,
            head=turn.head,
            kept_commit=turn.kept_commit,
            prompt_id=turn.prompt_id,
        )
    )
    if draft.loop.pending_claims.exit:  # claimed since the last Stop: it now counts for this tree
        draft.record(ev.DoneClaimed(turn.tree, turn.at))
    elif before.exit_claimed and turn.tree != before.tree:
        draft.record(ev.DoneTakenBack("the tree has changed since"))


def _count_turn(draft: Draft, turn: TurnOver, before: Loop) -> None:
    streak = breakers.count_turn(draft.loop.streak, turn)
    if streak == draft.loop.streak:
        return
    draft.record(ev.StreakCounted(streak))
    if streak.error_text and streak.error_text != before.streak.error_text:
        draft.record(ev.ErrorSeen(streak.error_text))


def _pass_by_person_turn(draft: Draft, turn: TurnOver) -> Directive:
    """The turn was the person's own: only what the agent had spent before it is counted."""
    if turn.cursors:
        _record_cost(draft, turn)
    return Stop()


def _record_cost(draft: Draft, turn: TurnOver) -> None:
    """Record what a turn has cost whose result does not matter."""
    draft.record(
        ev.TurnEnded(
            at=turn.at,
            tree=draft.loop.tree,
            dollars=turn.dollars,
            cursors=turn.cursors,
            unpriced=turn.unpriced,
            unread_bytes=turn.unread_bytes,
            counts_as_iteration=False,
            head=draft.loop.head,
            prompt_id=turn.prompt_id,
        )
    )


def is_free(loop: Loop, signal: TurnOver | ClientEvent) -> bool:
    """May another session take the lease? Nobody has it, or the client that had it is dead."""
    return not loop.lease.holder or signal.holder_gone


def acquire_lease(draft: Draft, signal: TurnOver | ClientEvent) -> bool:
    """Does this session drive the loop? The first that stops or is prompted takes a free lease.

    A one-shot run never does: it was started for something else.
    """
    lease, session, pid = draft.loop.lease, signal.session, signal.pid
    # The client's pid is recorded as soon as it is known: it identifies the client after /clear.
    # A resumed session has another client.
    pid_is_new = lease.holder == session and pid and pid != lease.pid
    takes_lease = is_free(draft.loop, signal) and signal.attended
    if pid_is_new or takes_lease:
        draft.record(ev.LeaseTaken(signal.at, session, pid))
    if takes_lease:
        draft.record(ev.ProtocolNeeded())
    return draft.loop.lease.holder == session


def refused_orders_notice(draft: Draft) -> str:
    """Tell the person once which orders were given in their name; "" for none."""
    orders = draft.loop.dialogue.refused_orders
    if not orders:
        return ""
    from ..prompts.order_replies import refused_orders_text

    draft.record(ev.RefusalTold())
    return refused_orders_text(orders)


def notify_foreign_session(draft: Draft, signal: TurnOver | ClientEvent) -> Directive:
    """Let another session in the folder stop, and tell it once how to take over."""
    session, dialogue = signal.session, draft.loop.dialogue
    if not draft.loop.lease.holder or session in dialogue.foreign_sessions:
        return Stop()
    draft.record(ev.ForeignSessionSeen(session))
    return Stop(message=messages.foreign_session_hint(session))
