"""Markers: what an agent says in its last message, and nothing that it quotes."""

import pytest

from loopwright.core.criteria import Claim
from loopwright.core.loop import Step
from loopwright.core.prompts.parts import status_block as emitted
from loopwright.core.replies.markers import claims_in, parse_percent
from loopwright.core.signals import Claims
from tests.support.builders import a_loop, a_loop_without_checks, block, with_check, without_check

BLOCK = '---LOOP_STATUS---\nEXIT_SIGNAL: true\nCRITERIA: {"a": true}\n---END_STATUS---'


def fenced(text, mark="```", info=""):
    return f"{mark}{info}\n{text}\n{mark}"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("<loop-complete>", id="alone"),
        pytest.param(
            "All is done.\n\n<loop-complete>\nAll success criteria satisfied:\n- a: ✓\n</loop-complete>",
            id="as taught",
        ),
        pytest.param("done\r\n<loop-complete>\r\n", id="with Windows line ends"),
        pytest.param("  <loop-complete>  ", id="indented by less than a code block"),
        pytest.param(fenced("x = 1") + "\n<loop-complete>", id="after a closed fence"),
        pytest.param(
            "~~~\n```\n~~~\n<loop-complete>", id="after a fence that holds the other kind"
        ),
        pytest.param(
            "```pytest``` passes.\n<loop-complete>", id="after inline code with three backticks"
        ),
        pytest.param("x" * 300_000 + "\n<loop-complete>", id="at the end of a very long message"),
    ],
)
def test_the_completion_tag_on_a_line_of_its_own_claims_the_exit(text):
    assert claims_in(text).exit is True


IGNORED = [
    pytest.param("I will write <loop-complete> when done", id="in the middle of a line"),
    pytest.param("<loop-complete> I think", id="at the beginning of a sentence"),
    pytest.param("`<loop-complete>`", id="as inline code"),
    pytest.param("> <loop-complete>", id="in a quote"),
    pytest.param("    <loop-complete>", id="in indented code"),
    pytest.param("\t<loop-complete>", id="behind a tab"),
    pytest.param(fenced("<loop-complete>"), id="in a code fence"),
    pytest.param(fenced("<loop-complete>", "~~~"), id="in a tilde fence"),
    pytest.param(fenced("<loop-complete>", info="html"), id="in a fence with a language"),
    pytest.param("```\n<loop-complete>", id="in a fence that is never closed"),
    pytest.param(
        fenced("```\n<loop-complete>\n```", "````", "markdown"),
        id="in a fence inside a longer fence",
    ),
    pytest.param(fenced("~~~\n<loop-complete>\n~~~", "```"), id="in a fence inside the other kind"),
    pytest.param(
        "```\n~~~\n<loop-complete>\n```", id="in a fence that the other kind does not close"
    ),
    pytest.param("</loop-complete>", id="the closing tag"),
    pytest.param("<LOOP-COMPLETE>", id="in capitals"),
]


@pytest.mark.parametrize("text", IGNORED)
def test_what_is_quoted_or_only_mentioned_claims_nothing(text):
    assert claims_in(text) == Claims()


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(fenced(BLOCK), id="in a code fence"),
        pytest.param("\n".join(f"> {line}" for line in BLOCK.splitlines()), id="in a quote"),
        pytest.param(
            "\n".join(f"    {line}" for line in BLOCK.splitlines()), id="in indented code"
        ),
        pytest.param(BLOCK.replace("---END_STATUS---", ""), id="without its end"),
        pytest.param(
            BLOCK.replace("---LOOP_STATUS---", "here: ---LOOP_STATUS---"),
            id="with a head in the middle of a line",
        ),
        pytest.param("EXIT_SIGNAL: true\nBLOCKED: no", id="lines outside a block"),
    ],
)
def test_a_block_that_is_not_said_plainly_claims_nothing(text):
    assert claims_in(text) == Claims()


def test_the_last_whole_block_counts():
    text = "\n".join(
        [
            block({"a": True}, exit=True),
            "on second thought",
            block({"a": False}),
            "---LOOP_STATUS---",
            "EXIT_SIGNAL: true",
        ]
    )

    assert claims_in(text) == Claims((Claim("a", False),), exit=False)


def test_a_block_holds_everything_an_agent_can_say():
    text = block(
        {"a": {"met": True, "verification": "measurement", "evidence": "3 ms"}, "b": False},
        "STEP_DONE: find it | in the parser",
        "STEP_DONE: fix it",
        "BLOCKED: no network",
        "ASK: which port?",
        "MUST_NOT: touch the API",
        "MUST_NOT: add a dependency",
        "GATE: the cache: it was stale",
        "CONFIDENCE: 85",
        "POINTS: 5",
        "ALT: a cache",
        "RISK: load",
        exit=True,
    )

    assert claims_in(text) == Claims(
        criteria=(Claim("a", True, "measurement", "3 ms"), Claim("b", False)),
        exit=True,
        steps=(Step("find it", True, "in the parser"), Step("fix it", True)),
        blocked="no network",
        ask="which port?",
        must_not=("touch the API", "add a dependency"),
        step_zero_note="the cache: it was stale",
        confidence=85,
        points=5,
        alternative="a cache",
        risk="load",
    )


@pytest.mark.parametrize(
    ("line", "claimed"),
    [
        ("EXIT_SIGNAL: true", True),
        ("EXIT_SIGNAL: True", True),
        ("exit_signal: true", True),
        ("EXIT_SIGNAL:true", True),
        ("EXIT_SIGNAL: false", False),
        ("EXIT_SIGNAL: yes", False),
        ("EXIT_SIGNAL: 1", False),
        ("EXIT_SIGNAL: true, I think", False),
        ("EXIT_SIGNAL:", None),
        ("EXIT SIGNAL: true", None),
    ],
)
def test_m11_the_exit_signal_is_true_or_it_is_not(line, claimed):
    assert claims_in(f"---LOOP_STATUS---\n{line}\n---END_STATUS---").exit is claimed


@pytest.mark.parametrize(
    "value",
    [
        "",
        "{",
        "[]",
        '["a"]',
        '"a"',
        "null",
        "NaN",
        '{"a": NaN}',
        "{'a': True}",
        '{"a": true} and so on',
    ],
)
def test_criteria_that_are_no_json_object_claim_nothing(value):
    assert claims_in(f"---LOOP_STATUS---\nCRITERIA: {value}\n---END_STATUS---").criteria == ()


def test_a_name_with_quotes_and_colons_is_read_whole():
    name = 'prints "hello: world" \\ and 🎉'

    assert claims_in(block({name: True})).criteria == (Claim(name, True),)


def test_only_a_claim_that_is_met_has_a_kind():
    assert claims_in(block({"a": {"met": False, "verification": "observation"}})).criteria == (
        Claim("a", False),
    )


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("85", 85),
        ("~85%", 85),
        ("8pt", 8),
        (" 90 % ", 90),
        ("999", 100),
        ("1000", None),
        ("-5", None),
        ("high", None),
        ("8.5", None),
    ],
)
def test_an_estimate_is_a_whole_number_up_to_a_hundred(text, number):
    assert parse_percent(text) == number


def test_what_is_said_is_bounded():
    text = block(
        {f"criterion {n}": True for n in range(500)},
        *(f"STEP_DONE: step {n}" for n in range(500)),
        "BLOCKED: " + "x" * 9999,
    )
    claims = claims_in(text)

    assert (len(claims.criteria), len(claims.steps), len(claims.blocked)) == (100, 100, 1000)


# --- The block that we write ourselves ---


@pytest.mark.parametrize(
    "loop",
    [
        pytest.param(a_loop(), id="unmet"),
        pytest.param(a_loop_without_checks("a", "b", exit_claimed=True), id="the exit claimed"),
        pytest.param(
            a_loop(
                criteria=(
                    without_check('say "hi"', claim=Claim('say "hi"', True)),
                    with_check("naïve: 日本語"),
                )
            ),
            id="hard names",
        ),
    ],
)
def test_our_own_block_is_read_back_as_it_was_meant(loop):
    claims = claims_in(emitted(loop, "go on"))

    assert {claim.name: claim.met for claim in claims.criteria} == {
        c.name: loop.is_met(c) for c in loop.criteria
    }
    assert claims.exit == loop.exit_claimed
    assert emitted(loop, "go on").splitlines()[3:5] == [
        f"STUCK_COUNT: {loop.streak.stuck}",
        "NEXT: go on",
    ]
