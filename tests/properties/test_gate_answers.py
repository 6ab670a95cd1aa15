"""Gate answers: whatever a person says, only a yes passes a gate, and an unknown answer never does."""

from hypothesis import example, given
from hypothesis import strategies as st

from loopwright.core.criteria import Check, Criterion
from loopwright.core.person import answers
from loopwright.core.person.answers import NEITHER, NO, YES, lifts_gates, read_answer
from loopwright.core.signals import Answered
from tests.support.builders import Story, an_asking_loop, prompt

NON_ENGLISH = (
    *(
        "ja",
        "nein",
        "oui",
        "non",
        "sí",
        "da",
        "да",
        "нет",
        "はい",
        "いいえ",
        "是",
        "不",
        "نعم",
        "لا",
        "evet",
    ),
    *(
        "hayır",
        "tak",
        "nie",
        "não",
        "sim",
        "όχι",
        "ναι",
        "네",
        "아니요",
        "ja bitte",
        "nein danke",
        "pas encore",
    ),
)
OTHER_ENGLISH = (
    *(
        "hello",
        "why",
        "what",
        "maybe",
        "perhaps",
        "the",
        "tests",
        "parser",
        "first",
        "think",
        "explain",
    ),
    *(
        "absolutely",
        "cannot",
        "I",
        "would",
        "rather",
        "nothing",
        "none",
        "noted",
        "yesterday",
        "okra",
        "gone",
    ),
    *("starting", "continued", "nowhere", "sureness", "goat", "yesno", "y'all", "undo"),
)
case = st.sampled_from([str.lower, str.upper, str.title])
mark = st.sampled_from(["", ".", "!", ",", " ", "…", ";", "-"])
phrase = st.sampled_from(answers.YES_PHRASES + answers.NO_PHRASES + NON_ENGLISH + OTHER_ENGLISH)
mixed = st.lists(st.tuples(phrase, mark), max_size=6).map(
    lambda pairs: " ".join(a + b for a, b in pairs)
)
any_answer = mixed | st.text(max_size=60)


def first_word(text: str) -> str:
    words = answers._words(text)
    while words and words[0] in answers.FILLERS:
        words = words[1:]
    return words[0] if words else ""


@given(any_answer)
def test_an_unknown_answer_never_passes(text):
    known = {phrase.split()[0] for phrase in answers.YES_PHRASES}
    if first_word(text) not in known and not lifts_gates(text):
        assert read_answer(text).meaning != YES


@given(st.sampled_from(NON_ENGLISH + OTHER_ENGLISH), case, mark, any_answer)
def test_an_answer_that_begins_with_no_word_of_the_tables_passes_nothing(word, spell, end, rest):
    answer = read_answer(f"{spell(word)}{end} {rest}".replace(answers.LIFT_GATES, ""))

    assert answer.meaning == NEITHER or answer.lifts_gates


@given(st.sampled_from(answers.NO_PHRASES), case, mark, any_answer)
def test_a_word_of_no_never_passes(word, spell, end, rest):
    assert read_answer(f"{spell(word)}{end} {rest}").meaning == NO


@given(
    st.sampled_from(answers.YES_PHRASES),
    case,
    st.sampled_from([" ", ", ", ". ", " but ", ", and ", " then "]),
    st.sampled_from(
        [*answers.DOUBTS, *answers.DELAYS, *answers.POSTPONEMENTS, "don't", "do not", "not"]
    ),
)
def test_a_yes_that_is_taken_back_never_passes(word, spell, link, doubt):
    assert read_answer(f"{spell(word)}{link}{doubt}").meaning != YES


@given(st.sampled_from(answers.YES_PHRASES), case, st.sampled_from(["?", "??", " ?", "？"]))
def test_a_question_never_passes(word, spell, end):
    assert read_answer(f"{spell(word)}{end}").meaning == NEITHER


@given(st.sampled_from(answers.YES_PHRASES), case, st.sampled_from(["", ".", "!", " ", "\n"]))
def test_every_word_of_yes_passes_alone(word, spell, end):
    assert read_answer(f"{spell(word)}{end}") == answers.GateAnswer(YES)


@given(st.sampled_from(answers.YES_PHRASES), st.sampled_from(answers.YES_PHRASES))
def test_two_words_of_yes_are_a_plain_yes(first, second):
    answer = read_answer(f"{first}, {second}")

    assert answer.guidance == "" if answer.meaning == YES else (first, second) == ("go", "home")


@given(st.sampled_from(["G1", "G2", "G3", "retry", "wave", "fix"]), any_answer, st.booleans())
@example("G1", "cancel", True)
@example("G1", "no thanks, not now", True)
@example("G1", "don't", True)
@example("G1", "what does step 2 do?", True)
@example("G2", "not yet", True)
@example("G1", "", False)
def test_a_loop_works_and_its_checks_may_run_only_after_a_yes(gate, text, in_session):
    """The same through the whole core: from a prompt in the session, or from a terminal."""
    check = Criterion("tests pass", Check("make test", origin="proposed", allowed=False))
    story = Story(an_asking_loop(gate, criteria=(check,)))
    if in_session and text.startswith("/"):
        return

    story.tell(prompt(text) if in_session else Answered(0.0, text))

    meaning = read_answer(text).meaning
    if meaning == YES:
        return
    assert story.loop.status == ("paused" if meaning == NO else "asking")
    assert not story.loop.criteria[0].check.allowed
    assert story.loop.verdict is None
