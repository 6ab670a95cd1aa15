"""Whatever an agent or a person writes, we read it, and show it straight."""

import unicodedata

from hypothesis import example, given
from hypothesis import strategies as st

from loopwright.core.criteria import Check, Criterion
from loopwright.core.findings import HIGH, MEDIUM, Finding
from loopwright.core.limits import Spend, Streak
from loopwright.core.loop import Dialogue, Step, Workflow
from loopwright.core.pausing.errors import signature
from loopwright.core.prompts import end_screen, parts, phrases
from loopwright.core.prompts.messages import continue_prompt, opening_prompt
from loopwright.core.proof.state import Verdict
from loopwright.core.replies.markers import claims_in
from loopwright.core.signals import Claims
from loopwright.core.start import intake, rubric, workflow
from tests.support.builders import a_loop, a_loop_without_checks, proof, with_check

any_text = st.text(st.characters())
words = [
    "---LOOP_STATUS---",
    "---END_STATUS---",
    "<loop-complete>",
    "EXIT_SIGNAL: true",
    'CRITERIA: {"a": true}',
    "CRITERIA: {",
]
words += ["CONFIDENCE: ²", "POINTS: ٣", "STEP_DONE: |", "BLOCKED:", "ASK: x"]
words += ["```", "~~~", "````", "> ", "    ", "\n", "\r\n", "\u2028", "x"]
markup = st.lists(st.sampled_from(words), max_size=20)
messages = any_text | markup.map("".join) | markup.map("\n".join)


@given(messages)
def test_every_message_can_be_read(text):
    claims = claims_in(text)

    assert isinstance(claims, Claims)
    assert claims.exit in (None, True, False)


@given(messages)
def test_a_message_in_a_fence_claims_nothing(text):
    """The fence is longer than anything that a message of ours could close."""
    assert claims_in("`" * 300 + f"\n{text}\n") == Claims()


@given(messages)
def test_a_quoted_message_claims_nothing(text):
    assert claims_in("\n".join(f"> {line}" for line in text.splitlines())) == Claims()


@given(messages)
def test_an_indented_message_claims_nothing(text):
    assert claims_in("\n".join(f"    {line}" for line in text.splitlines())) == Claims()


@given(st.dictionaries(st.text(min_size=1, max_size=30), st.booleans(), max_size=8), st.booleans())
def test_our_own_block_is_read_back(criteria, leave):
    loop = a_loop_without_checks(*criteria, exit_claimed=leave)
    claims = claims_in(parts.status_block(loop, "go on"))

    assert {claim.name: claim.met for claim in claims.criteria} == dict.fromkeys(criteria, False)
    assert claims.exit == leave


def columns(line):
    return sum(
        0
        if unicodedata.category(c) in ("Mn", "Me", "Cf")
        else 1 + (unicodedata.east_asian_width(c) in "WF")
        for c in line
    )


@given(st.text(st.characters(), max_size=120), st.text(max_size=120))
@example("日" * 60, "e\u0301" * 60)
def test_the_box_is_straight_for_any_text(alternative, risk):
    criteria = (with_check("a", proof=proof("a")),)
    loop = a_loop(
        criteria=criteria,
        tree="tree-1",
        verdict=Verdict("SHIP", True),
        alternative=alternative,
        risk=risk,
    )
    lines = end_screen.verdict_box(loop).split("\n")

    assert {columns(line) for line in lines} == {56}
    assert len(lines) >= 5 + bool(alternative or risk) + bool(alternative) + bool(risk)


@given(any_text)
def test_every_spec_can_be_scored_and_taken_in(spec):
    points = rubric.score_spec(spec)

    assert 0 <= sum(point.points for point in points) <= 10
    assert workflow.detect_workflow(spec).letter in "ABC"
    assert workflow.reversibility(spec) in ("1", "2A", "2B")
    assert intake.criteria_of(spec, {})
    assert intake.steps_of(spec, (), ("usual",))


@given(any_text, any_text)
def test_an_error_is_the_same_as_itself(key, text):
    assert signature(key, text) == signature(key, f"  {text}\n")
    assert len(signature(key, text)) <= 700


long_text = st.text(min_size=1, max_size=40).map(lambda text: text * 60)


@given(
    st.lists(long_text, max_size=30, unique=True),
    st.lists(long_text, max_size=30),
    long_text,
    st.integers(0, 5),
    st.sampled_from(("first", "whole", "short")),
)
def test_no_prompt_is_too_long_whatever_a_loop_holds(names, steps, text, stuck, kind):
    loop = a_loop_without_checks(
        *names,
        steps=tuple(map(Step, steps)),
        spec=text * 9,
        guidance=text,
        mismatched_criteria=tuple(names),
        protocol_due=kind == "whole",
    )
    loop = loop.but(streak=loop.streak.but(stuck=stuck))
    prompt = opening_prompt(loop) if kind == "first" else continue_prompt(loop)

    assert len(prompt) <= 9_000
    assert phrases.STATUS_OPEN in prompt
    assert (phrases.STATUS_CLOSE in prompt) == (kind != "short")


lines = st.text(st.characters(), max_size=80) | st.sampled_from(words)
many_lines = st.lists(lines, max_size=30).map("\n".join)
checked = st.builds(
    lambda name, detail, passed, allowed: with_check(
        name or "a",
        proof=proof(name or "a", fine=passed, detail=detail, log="evidence/1.log"),
    ).but(check=Check("make\ntest", allowed=allowed)),
    many_lines,
    many_lines,
    st.booleans(),
    st.booleans(),
)
unchecked = st.builds(Criterion, many_lines, planned=many_lines)
findings = st.builds(
    Finding,
    severity=st.sampled_from((HIGH, MEDIUM)),
    rule=st.sampled_from(("test-deleted", "skip-added", "unheard of")),
    file=lines,
    before=many_lines,
    after=many_lines,
)


@given(
    st.lists(checked | unchecked, max_size=20, unique_by=lambda c: c.name),
    st.lists(checked, max_size=4),
    st.lists(findings, max_size=20),
    st.builds(
        Dialogue,
        guidance=many_lines,
        mismatched_criteria=st.lists(many_lines, max_size=9).map(tuple),
    ),
    many_lines,
    st.integers(0, 9),
)
def test_after_the_first_turn_a_prompt_has_at_most_twelve_lines(
    criteria, final_checks, found, dialogue, text, count
):
    loop = a_loop(
        criteria=tuple(criteria),
        final_checks=tuple(final_checks),
        findings=tuple(found),
        dialogue=dialogue,
        tree="tree-1",
        spec=text,
        steps=(Step(text),),
        workflow=Workflow("B", text),
        spend=Spend(iterations=1),
        streak=Streak(stuck=count, toolless=count, toolless_cap=8, unmet=((text,),)),
    )
    prompt = continue_prompt(loop)

    assert len(prompt.splitlines()) <= 12
    assert len(prompt) <= 9_000
    assert prompt.splitlines()[-1].startswith("End your answer with the `---LOOP_STATUS---` block")
    assert claims_in(prompt).exit is None, "an agent that repeats its prompt claims nothing"
