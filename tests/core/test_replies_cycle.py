"""<cycle_complete>: what an agent did and found, where it says so itself."""

import pytest

from loopwright.core.prompts import discovery
from loopwright.core.replies.cycle import CycleReport, cycle_in
from loopwright.core.replies.markers import claims_in
from loopwright.core.signals import Claims
from tests.support.builders import a_discovery_loop, cycle

WHOLE = "<cycle_complete>\ndone: the menu\nfound: a typo\n</cycle_complete>"
READ = CycleReport(("the menu",), ("a typo",))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(WHOLE, id="nothing else"),
        pytest.param(f"I fixed it.\n\n{WHOLE}\n\nOn we go.", id="prose around it"),
        pytest.param(WHOLE.replace("\n", "\r\n"), id="the line ends of Windows"),
        pytest.param(WHOLE.replace("\n", "\n  "), id="set in by two"),
        pytest.param(WHOLE.replace("done", "DONE").replace("found", "Found"), id="capitals"),
        pytest.param(
            WHOLE.replace("done:", "- done:").replace("found:", "- found:"),
            id="the words as bullets",
        ),
        pytest.param(
            WHOLE.replace("done:", "**done**:").replace("found:", "**found**:"),
            id="the words in bold",
        ),
        pytest.param(
            WHOLE.replace("done:", "done :").replace("found:", "found :"),
            id="a space before the colon",
        ),
        pytest.param(
            WHOLE.replace("done: ", "done:\n- ").replace("found: ", "found:\n* "),
            id="lists below the words",
        ),
        pytest.param(
            WHOLE.replace("done: ", "done:\n\n- [x] ").replace("found: ", "found:\n- [ ] "),
            id="lists with boxes",
        ),
        pytest.param(
            WHOLE.replace("done:", "Here is what I did, as asked\ndone:"),
            id="a line before the first word",
        ),
        pytest.param(f"```\nsome code\n```\n{WHOLE}", id="a fence before it that is closed"),
        pytest.param(f"{WHOLE}\n</cycle_complete>", id="closed twice"),
        pytest.param(
            f"{WHOLE}\n```\n{cycle('something else')}\n```", id="another one in a fence after it"
        ),
    ],
)
def test_a_cycle_is_read_however_it_is_laid_out(text):
    assert cycle_in(text) == READ


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("I went on with the menu", id="prose"),
        pytest.param(f"```\n{WHOLE}\n```", id="a fence"),
        pytest.param(f"~~~text\n{WHOLE}\n~~~", id="a fence of tildes"),
        pytest.param(f"````\n```\n{WHOLE}\n```\n````", id="a fence in a fence"),
        pytest.param(f"```\n{WHOLE}", id="a fence that never ends"),
        pytest.param("\n".join(f"> {line}" for line in WHOLE.splitlines()), id="a quote"),
        pytest.param("\n".join(f"    {line}" for line in WHOLE.splitlines()), id="indented code"),
        pytest.param("done: the menu\nfound: a typo", id="the words without the tag"),
        pytest.param("<cycle_complete>\ndone: the menu", id="never closed"),
        pytest.param("done: the menu\n</cycle_complete>", id="never opened"),
    ],
)
def test_what_is_quoted_or_broken_off_is_no_cycle(text):
    assert cycle_in(text) is None


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "I shall end with `<cycle_complete>` when I am done.",
            id="the tag in a sentence, as code",
        ),
        pytest.param(
            "You asked me to write <cycle_complete> and </cycle_complete>: not yet.",
            id="both tags in a sentence",
        ),
        pytest.param(
            "still working on <cycle_complete>\ndone: nothing yet\n</cycle_complete>, soon",
            id="tags at odd places",
        ),
    ],
)
def test_s31_a_sentence_that_names_the_tag_completes_nothing(text):
    assert cycle_in(text) is None


PROMPTS = [
    pytest.param(discovery.opening_prompt(a_discovery_loop()), id="the first prompt"),
    pytest.param(discovery.continue_prompt(a_discovery_loop()), id="an exploration"),
    pytest.param(
        discovery.continue_prompt(a_discovery_loop("the menu")), id="an item to go on with"
    ),
    pytest.param(
        discovery.continue_prompt(a_discovery_loop("the menu", backlog={"task_mode": True})),
        id="one task",
    ),
]


@pytest.mark.parametrize("prompt", PROMPTS)
def test_s4_an_agent_that_repeats_its_prompt_has_done_and_found_nothing(prompt):
    """The seed's command held its own tag, and so every turn looked like the end of a cycle."""
    said = cycle_in(prompt) or CycleReport()

    assert (said.done, said.found) == ((), ())


@pytest.mark.parametrize("prompt", PROMPTS)
def test_s4_an_agent_that_repeats_its_prompt_neither_asks_nor_gives_up(prompt):
    assert claims_in(prompt) == Claims()


@pytest.mark.parametrize(
    ("line", "items"),
    [
        pytest.param("done: a; b ;c", ("a", "b", "c"), id="semicolons divide"),
        pytest.param("done: ;; a ; ;", ("a",), id="empty parts are nothing"),
        pytest.param(
            "done: the menu, and the footer", ("the menu, and the footer",), id="commas do not"
        ),
        pytest.param(
            "done: src/a.py:12: a typo",
            ("src/a.py:12: a typo",),
            id="further colons belong to the item",
        ),
        pytest.param(
            "done: note: the menu",
            ("note: the menu",),
            id="a colon after another word divides nothing",
        ),
        pytest.param(
            "done:\n- a\n- b; c\n* d\n+ e",
            ("a", "b", "c", "d", "e"),
            id="a list, with semicolons too",
        ),
        pytest.param("done: a\n- b", ("a", "b"), id="on the line and below it"),
        pytest.param(
            "done: a\nmore about a",
            ("a", "more about a"),
            id="a plain line below the word is an item",
        ),
        pytest.param("done: a\ndone: b", ("a", "b"), id="the word twice"),
        pytest.param(
            "done:\n- the form says: no",
            ("the form says: no",),
            id="an item with a colon in a list",
        ),
        pytest.param("done: a\x1b[31m\u2028b", ("a [31m b",), id="no letter that a terminal obeys"),
    ],
)
def test_the_items_of_a_cycle(line, items):
    assert cycle_in(f"<cycle_complete>\n{line}\n</cycle_complete>").done == items


@pytest.mark.parametrize(
    "word",
    [
        "none",
        "None.",
        "nothing",
        "NOTHING",
        "n/a",
        "N/A",
        "-",
        "...",
        "- none",
        "",
        "   ",
        "(none)",
    ],
)
def test_words_for_nothing_are_no_items(word):
    assert (
        cycle_in(f"<cycle_complete>\ndone: {word}\nfound:\n{word}\n</cycle_complete>")
        == CycleReport()
    )


def test_nothing_among_others_is_left_out():
    assert cycle_in(cycle("the menu; none", "nothing; a typo")) == READ


def test_an_item_that_begins_with_nothing_is_an_item():
    assert cycle_in(cycle(found="nothing happens on Enter")).found == ("nothing happens on Enter",)


def test_a_cycle_may_say_nothing():
    assert cycle_in("<cycle_complete>\n</cycle_complete>") == CycleReport()


def test_the_last_one_wins():
    assert cycle_in(f"{cycle('the first', 'one')}\nWait, I forgot:\n{WHOLE}") == READ


def test_one_that_is_broken_off_does_not_undo_the_one_before():
    assert cycle_in(f"{WHOLE}\n<cycle_complete>\ndone: hal") == READ


def test_one_that_begins_again_begins_anew():
    assert cycle_in(f"<cycle_complete>\ndone: hal\n{WHOLE}") == READ


def test_no_more_than_a_hundred_items_are_taken_from_one_cycle():
    said = cycle_in(cycle("; ".join(f"item {n}" for n in range(500))))

    assert said.done == tuple(f"item {n}" for n in range(100))
