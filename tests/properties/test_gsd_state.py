"""Whatever stands in STATE.md: what was written is read, a second write changes nothing, and no byte around the block changes."""

from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.core.plan.plan import EXECUTE, VERIFY, HistoryEntry
from loopwright.formats import gsd_state
from loopwright.formats.gsd_block import clamp_loop
from loopwright.formats.gsd_state import GsdLoop
from tests.torture.size import size

WORDS = ["a: b", "#3", "null", "20", "'", '"', "- x", "{", "[x] y", "\\", "é", "it's", "a: {b"]
words = st.text(max_size=8) | st.sampled_from(WORDS)
numbers = st.integers(0, 10**9 - 1)
ids = st.sampled_from(["01", "2", "T03", "US-1", "1.2"]) | words
rounds = st.builds(HistoryEntry, numbers, words, words, st.lists(words, max_size=3).map(tuple))
loops = st.builds(
    GsdLoop,
    active=st.booleans(),
    kind=st.sampled_from(["", EXECUTE, VERIFY]),
    phase=words,
    iteration=numbers,
    most=numbers | st.none(),
    retries=st.lists(st.tuples(ids, numbers), max_size=4).map(tuple),
    gaps=numbers,
    started=words,
    last=words,
    paused=st.booleans(),
    reason=words,
    error=words,
    history=st.lists(rounds, max_size=3).map(tuple),
    completed=st.booleans(),
    final=numbers,
).map(clamp_loop)

# Keys of somebody else, in all styles, some of them with our words in them.
OTHERS = [
    "milestone: v1",
    "# a comment",
    "",
    "tags: [a, 'b: c']",
    '"a key": x',
    "empty:",
    "x: y  # z",
]
OTHERS += [
    "notes: |\n  loop:\n    active: true\n",
    'said: "two\n  lines"',
    "nested:\n  loop:\n    iteration: 9",
]
OTHERS += ["list:\n- a\n- b: c\n  d: e", "map: {a: 1,\n  b: [2]}"]
# Keys in the block: ours in odd spellings, and others.
KEPT = ["mood: >-", "# alone", "tags: [a, {b: c}]"]
OWN = [
    "active: true",
    "paused: 'true'  # mine",
    "completed: True",
    "final_iteration: 4",
    "type:",
    "phase: &here 2",
    "",
    *KEPT[1:],
]
OWN += [
    "history: []",
    "history:\n- iteration: 1\n  gaps: [a]",
    "task_retries: {T09: 1}",
    "max_iterations: '20'",
]
OWN += [
    "task_retries:\n  T01: 1 # flaky\n  '2': x",
    f"{KEPT[0]}\n  good\n\n  day",
    "pause_reason: two\n  lines",
]
OWN += ["last_error: |\n  boom\n  # bang"]
FLOWS = [
    "loop: {active: true, mood: 'a: b', history: [{iteration: 1, gaps: [x]}]}",
    "loop: {\n  phase: 1 # x\n}",
]
FLOWS += ["loop:", "loop: ~"]
BODIES = [
    "",
    "# Body\n",
    "text\n---\nloop: over\n  active: true\n",
    "```yaml\nloop:\n  active: true\n```",
    "\n\n\tend",
]


@st.composite
def blocks(draw):
    indent = draw(st.sampled_from(["  ", "    "]))
    parts = draw(
        st.lists(st.sampled_from(OWN), max_size=5, unique_by=lambda part: part.split(":")[0])
    )
    return "".join(
        f"{row}\n"
        for row in ["loop:", *(indent + row for part in parts for row in part.split("\n"))]
    )


@st.composite
def states(draw):
    """A text with valid front matter: what stands before the block, the block if there is one, and what stands after it."""
    before, after = (
        draw(st.lists(st.sampled_from(OTHERS), max_size=3, unique=True)) for _ in range(2)
    )
    block = draw(blocks() | st.sampled_from(FLOWS).map("{}\n".format) | st.just(""))
    parts = ["\n".join(["---", *before, *(after if not block else []), ""]), block]
    parts.append("\n".join([*(after if block else []), "---", draw(st.sampled_from(BODIES))]))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    first, middle, last = (part.replace("\n", end) for part in parts)
    return draw(st.sampled_from(["", "\ufeff"])) + first, middle, last


@settings(max_examples=size(commit=20, long=100))
@given(states(), loops)
def test_what_was_written_is_read_and_no_byte_around_it_changes(parts, loop):
    before, block, after = parts
    written = gsd_state.update_block(before + block + after, loop)

    assert gsd_state.read_block(written) == loop
    assert written.startswith(before)
    assert written.endswith(after)
    assert {row for row in block.splitlines() if row.strip() in KEPT} <= set(written.splitlines())
    assert gsd_state.update_block(written, loop) == written


@settings(max_examples=size(commit=15, long=50))
@given(states(), loops, loops)
def test_it_does_not_matter_what_was_written_before(parts, earlier, loop):
    written = gsd_state.update_block(gsd_state.update_block("".join(parts), earlier), loop)

    assert gsd_state.read_block(written) == loop
    assert written.startswith(parts[0])
    assert written.endswith(parts[2])


@settings(max_examples=size(commit=15, long=50))
@given(states())
def test_what_was_read_is_there_already(parts):
    found = gsd_state.read_block("".join(parts)) or GsdLoop()
    complete = gsd_state.update_block("".join(parts), found)

    assert gsd_state.read_block(complete) == clamp_loop(found)
    assert gsd_state.update_block(complete, found) == complete


ODD = [
    "---",
    "loop:",
    "  - x",
    "\t: ",
    "a: {",
    "b: '",
    "  }",
    "? k",
    "%",
    "```",
    "loop: {active: true",
    "  history: [",
]
ODD += ["\titeration: 1", "loop: over", "      words", "  phase: 1"]
odd = st.lists(st.sampled_from([*OTHERS, *OWN, *FLOWS, *ODD]), max_size=12).map("\n".join)
texts = st.text(st.characters(), max_size=80) | odd | odd.map("---\n{}\n---\n".format)


@settings(max_examples=size(commit=20, long=100))
@given(texts, loops)
def test_any_text_can_be_read_and_written_and_a_second_write_changes_nothing(text, loop):
    found = gsd_state.read_block(text)
    written = gsd_state.update_block(text, loop)

    assert found is None or clamp_loop(found).retries == found.retries
    assert gsd_state.update_block(written, loop) == written
    assert gsd_state.read_block(written) == loop
