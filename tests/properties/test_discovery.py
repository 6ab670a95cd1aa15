"""What must hold for every loop that finds and fixes, whatever happens to it."""

from collections import Counter
from itertools import chain, repeat

from hypothesis import example, given, settings
from hypothesis import strategies as st

from loopwright.core.directives import Continue
from loopwright.core.discovery.backlog import MAX_TEXT, item_key, item_text
from loopwright.core.prompts.messages import reply_protocol
from loopwright.core.replies.cycle import CycleReport, cycle_in
from loopwright.core.signals import BacklogEdited, TurnOver
from loopwright.core.status import ENDED
from tests.support.builders import cycle
from tests.support.strategies import (
    ALL_ORDERS,
    TREES,
    LoopTeller,
    Reply,
    answers,
    backlog_edits,
    client_events,
    discovery_loops,
    edits,
    items,
    lost_mirrors,
    moves,
    must_stay_within_bounds,
    orders,
    rebuilt_loops,
    replies,
    turns,
    weighted_choice,
    whatever_the_checks_say,
)
from tests.torture.size import size

cycles = st.builds(lambda done, found: cycle("; ".join(done), "; ".join(found)), items, items)
# Most turns are work, and most checks are answered: else every story would be over before it begins.
working = st.builds(
    TurnOver,
    at=st.just(0.0),
    session=st.just("s1"),
    text=st.sampled_from(("", "at work")) | cycles,
    tree=st.sampled_from(TREES),
    head=st.sampled_from(("", "commit-1", "commit-2")),
    dollars=st.sampled_from((0.0, 0.1)),
    tool_calls=st.sampled_from((None, 0, 1)),
)
answered = st.builds(Reply, fine=st.booleans())
trouble = st.one_of(
    turns, replies, edits, lost_mirrors, answers, client_events, orders(*ALL_ORDERS)
)
patience = st.one_of(
    turns,
    edits,
    lost_mirrors,
    answers,
    client_events,
    orders("continue", "pause", "attach", raising=False),
)


happening = weighted_choice(*[working, answered] * 3, backlog_edits, trouble)
many = st.lists(happening, max_size=8) | st.lists(happening, min_size=12, max_size=30)


def keys(texts):
    return {item_key(text) for text in texts}


@settings(max_examples=size(commit=15, long=200))
@given(discovery_loops(), many)
def test_the_journal_alone_rebuilds_the_loop(loop, said):
    assert all(folded == now for folded, now in rebuilt_loops(loop, said))


@given(discovery_loops(), many)
def test_the_same_happenings_lead_to_the_same_moves(loop, said):
    assert [move for _, _, move in moves(loop, said)] == [move for _, _, move in moves(loop, said)]


@given(discovery_loops(), many)
def test_what_is_spent_found_and_fixed_never_falls(loop, said):
    for before, _, move in moves(loop, said):
        had, has = before.spend, move.loop.spend
        assert (has.iterations, has.dollars, has.seconds) >= (
            had.iterations,
            had.dollars,
            had.seconds,
        )
        assert move.loop.backlog.found_count >= before.backlog.found_count
        assert move.loop.backlog.fixed_count >= before.backlog.fixed_count


@given(discovery_loops(), many)
def test_an_item_is_open_or_done_and_only_once(loop, said):
    for _, _, move in moves(loop, said):
        counted = Counter(map(item_key, (*move.loop.backlog.items, *move.loop.backlog.done)))
        assert set(counted.values()) <= {1}


@given(discovery_loops(), many)
def test_an_item_is_lost_only_by_being_taken_out(loop, said):
    for before, one, move in moves(loop, said):
        taken_out = keys(one.dropped) if isinstance(one, BacklogEdited) else set()
        had, has = before.backlog, move.loop.backlog
        assert keys((*had.items, *had.done)) <= keys((*has.items, *has.done)) | taken_out


@given(discovery_loops(), many)
def test_what_is_found_and_what_is_fixed_is_counted(loop, said):
    """The numbers are as many as the items that the events name: nobody else writes them."""
    found, fixed = loop.backlog.found_count, loop.backlog.fixed_count
    for _, _, move in moves(loop, said):
        found += sum(
            len(event.items) for event in move.events if type(event).__name__ == "ItemsFound"
        )
        fixed += sum(
            len(event.items) for event in move.events if type(event).__name__ == "ItemsDone"
        )
        assert (move.loop.backlog.found_count, move.loop.backlog.fixed_count) == (found, fixed)


@given(discovery_loops(), many)
def test_a_turn_is_for_mending_what_is_broken_then_for_what_is_open(loop, said):
    for _, one, move in moves(loop, said):
        b = move.loop.backlog
        if isinstance(move.directive, Continue) and isinstance(one, TurnOver | Reply):
            assert (b.mode == "repair") == bool(move.loop.failing_guards)
            assert b.mode != "exploitation" or b.items
            assert b.mode != "exploration" or not (b.items and b.task_mode)
            assert (b.changed_since_stop, b.yield_since_stop) == (False, 0), (
                "the next turn begins anew"
            )
            assert b.mode == "repair" or not b.cycle_completed, (
                "only while something is mended a cycle waits for its exploration"
            )


@given(discovery_loops(), many)
def test_no_prompt_is_too_long_and_each_says_how_to_answer(loop, said):
    for _, _, move in moves(loop, said):
        if not isinstance(move.directive, Continue):
            continue
        assert len(move.directive.prompt) <= 9_000
        # At a gate, and in a turn that the person has taken, the agent only replies to the person.
        if move.loop.status == "running" and not move.loop.dialogue.person_turn_since:
            assert move.directive.prompt.endswith(reply_protocol(move.loop))


@given(discovery_loops(), many)
def test_a_finished_loop_is_dry_and_broke_nothing(loop, said):
    for before, _, move in moves(loop, said):
        if move.loop.status == "finished" and before.status != "finished":
            assert move.loop.streak.dry >= move.loop.limits.dry
            assert not move.loop.backlog.items
            assert not move.loop.failing_guards
            guards = move.loop.criteria
            assert move.loop.verdict.proven == (
                bool(guards) and all(c.proof and c.proof.by != "agent" for c in guards)
            )


@given(discovery_loops(), many)
def test_only_the_person_raises_a_limit(loop, said):
    for before, one, move in moves(loop, said):
        assert move.loop.limits == before.limits or getattr(one, "order", "") == "continue"


# --- Bounds ---

unraised = st.lists(weighted_choice(*[working] * 3, backlog_edits, patience), max_size=40)


@given(discovery_loops(), unraised, whatever_the_checks_say)
def test_every_loop_ends_or_pauses_within_its_bounds(loop, said, found):
    must_stay_within_bounds(loop, said, chain(found, repeat(Reply(True))))


def held(loop, texts, trees, found):
    """How many of these turns the loop holds, if all its guards are answered."""
    telling, results = LoopTeller(loop), chain(found, repeat(Reply(True)))
    session = loop.lease.holder or "s1"
    count = 0
    for text, tree in zip(texts, trees, strict=True):
        move = telling.tell(TurnOver(0.0, session, text, tree=tree, tool_calls=1))
        last, _ = telling.answer_all(move.directive, results)
        count += isinstance((last or move).directive, Continue)
    return telling.loop, count


def let_go(loop):
    """How a loop that holds nobody may stand: one whose checks may not run asks before it works."""
    return ("asking",) if loop.waiting_checks else ("paused", *ENDED)


@given(
    discovery_loops(),
    st.lists(cycles | st.just("on and on"), min_size=12, max_size=12),
    whatever_the_checks_say,
)
def test_an_agent_that_always_works_is_let_go_at_the_limit(loop, texts, found):
    after, count = held(loop, texts, [f"tree-{n}" for n in range(12)], found)

    assert after.status in let_go(loop)
    assert count < loop.limits.iterations


@given(discovery_loops().filter(lambda loop: loop.tree), whatever_the_checks_say)
def test_an_agent_that_only_talks_is_let_go_after_five_turns(loop, found):
    """Whatever its guards say, and whether it works or explores: nothing changes, so nothing holds it for a sixth turn."""
    still = [Reply(one.fine, "", one.outcome) for one in found]
    after, count = held(loop, ["I wonder"] * 8, [loop.tree] * 8, still)

    assert after.status in let_go(loop)
    assert count < loop.limits.idle


@given(discovery_loops().filter(lambda loop: not loop.backlog.items), st.integers(3, 8))
def test_an_agent_that_finds_nothing_is_let_go_after_three_explorations(loop, many_turns):
    guarded = [c.but(proof=None) for c in loop.criteria]
    after, count = held(
        loop.but(criteria=tuple(guarded)),
        ["looked"] * many_turns,
        [f"tree-{n}" for n in range(many_turns)],
        (),
    )

    end = "finished" if loop.limits.iterations >= loop.limits.dry else "paused"
    assert after.status == ("asking" if loop.waiting_checks else end)
    assert count <= loop.limits.dry


# --- Texts ---

marks = st.lists(
    st.sampled_from(("- ", "* ", "+ ", "[ ] ", "[x] ", "[X] ", "<!--", " ", "x")), max_size=6
).map("".join)
words = [
    "<cycle_complete>",
    "</cycle_complete>",
    "done:",
    "found: x",
    "- a; b",
    "none",
    "```",
    "~~~",
    "> ",
    "    ",
    "\n",
    "\u2028",
]
messages = st.text() | st.lists(st.sampled_from(words), max_size=20).map("\n".join)


@given(st.text() | marks)
@example("- [ ] - x")
def test_an_item_is_the_same_when_it_is_read_back_from_the_page(text):
    assert item_text(item_text(text)) == item_text(text)


@given(st.text() | marks)
def test_an_item_fits_on_one_line_and_opens_no_comment(text):
    assert len(item_text(text).splitlines()) <= 1
    assert len(item_text(text)) <= MAX_TEXT
    assert "<!--" not in item_text(text)


@given(messages)
def test_every_message_can_be_read(text):
    said = cycle_in(text) or CycleReport()

    assert all(text == item_text(text) != "" for text in (*said.done, *said.found))


@given(messages)
def test_a_message_in_a_fence_a_quote_or_an_indent_completes_no_cycle(text):
    lines = text.split("\n")

    assert cycle_in("`" * 300 + f"\n{text}\n") is None
    assert cycle_in("\n".join(f"> {line}" for line in lines)) is None
    assert cycle_in("\n".join(f"    {line}" for line in lines)) is None


@given(items, items)
def test_a_cycle_as_it_is_taught_is_read_as_it_was_meant(done, found):
    assert cycle_in(cycle("; ".join(done), "; ".join(found))) == CycleReport(done, found)
