"""Usage limits in what a failed program printed: whether it met one, and when that is reset.

A line tells of a limit if it says so at its beginning: before it there are only words that
introduce an error, and the sentence does not continue as one about limits does ("429 responses
are retried"). Code, test output and the prose of agents mention limits too.
"""

from __future__ import annotations

from .. import lazy_re as re
from .reset_times import reset_time

MAX_LINES, MAX_LINE = 12, 4000
# A limit of an account; "time limit exceeded" and "recursion limit reached" are others.
USAGE_NOUN = (
    r"(?:usage|rate|quota|requests?|tokens?|messages?|credits?|session|hour|minute|hourly|daily"
    r"|day|weekly|week|monthly|month|opus|sonnet)"
)
IS = r"(?: (?:was|is|are|has been|have been))?"
MACHINE_LIMIT = (
    r"(?:\w*(?:rate|usage|hourly|daily|weekly|monthly|session|token|request)_limit(?:ed|_\w+)"
    r"|quota_(?:exceeded|exhausted)|resource_?exhausted|\w*RateLimit\w*|Throttling\w*"
    r"|TooManyRequests\w*)\b(?![./-]\w)"
)
SPOKEN_LIMIT = (
    r"(?:too many (?:requests|tokens)"
    rf"|{USAGE_NOUN}[ -]limits?{IS} (?:reached|exceeded|hit|exhausted)"
    rf"|(?<!disk )quota{IS} (?:reached|exceeded|exhausted)|resource{IS} exhausted"
    r"|(?:hit|reached|exceed|exceeded|exhausted) (?:[\w’'-]+ ){0,5}?"
    rf"(?:(?:your|{USAGE_NOUN}) limits?|quota|capacity|token usage)"
    r"|used (?:up )?all of (?:[\w’'-]+ ){0,3}usage"
    r"|out of (?:[\w-]+ )?(?:messages|usage|requests|tokens)"
    r"|rate[ -]limited|throttled)\b"
)
STATUS = r"(?<!\bthe )(?<!\ba )(?<![\w.,#])429(?![\w.,]?\d)"
LIMIT = re.compile(
    rf"(?P<status>{STATUS})|\b{SPOKEN_LIMIT}|\bretry-after[\"']?:|(?<![\w./-]){MACHINE_LIMIT}", re.I
)
# The same as the value of a field, in what an API answered.
LIMIT_FIELD = re.compile(
    rf"[\"']\w+[\"'] ?: ?[\"']?(?:{STATUS}|\b{MACHINE_LIMIT}|\b(?:\w+ )?{SPOKEN_LIMIT})", re.I
)
INTRODUCING = (
    "api http https status body code error errors type message reason failed fatal warning "
    "info exception request requests response rejected received got returned calling call "
    "operation occurred you ve you've you’ve you're you’re have has been your the this that "
    "an a is was would we re we're receiving sorry please last attempt attempts retry retries "
    "limit max exceeded reached model account server provider client upstream stream llm "
    "agent user team organization project key individual free allocated claude codex gemini "
    "copilot openai anthropic azure bedrock vertex ai from with to of for in on at by under "
    "version and due because when current hourly daily weekly monthly per session usage rate "
    "quota number tokens token messages east west north south central us eu uk"
)
INTRODUCING_WORDS = frozenset(INTRODUCING.split())
# What may follow directly, as a word, where a program tells of its limit.
FOLLOWING = (
    "for of on in by that until per at with from please try retry wait reset resets will you "
    "your this upgrade contact access"
)
FOLLOWING_WORDS = frozenset(FOLLOWING.split())
REASONS = (
    "too rate quota resource resource_exhausted free client error provider requests request "
    "tokens usage status limit sorry throttled the litellm"
)
AFTER_STATUS = FOLLOWING_WORDS - {"of"} | frozenset(REASONS.split())
TOKEN = re.compile(r"[^\s\"'`{}()\[\],;:=<>|·∙•—]+")
ESCAPED_SPACE, BACKSLASHES = re.compile(r"\\+[nrt]"), re.compile(r"\\+")
URL = re.compile(r"\bhttps?:?/\S+", re.I)
ASIDE = re.compile(r"\([^()]*\)")
# Before the colon of such a beginning there may be any words: "[proxy] Upstream call failed: 429".
ERROR_LABEL = re.compile(r"(?:\[[a-z][\w.-]{2,}\]|error\b|failed\b|fatal\b)[^:]*:", re.I)
# A name that a machine gave: gpt-5.1, org_01kj, ChatCompletions_Create, openai.RateLimitError.
MACHINE_NAME = re.compile(
    r"\w*[\d_.-]\S*|[A-Z]\w*[a-z][A-Z]\w*|(?i:\w*(?:error|exception|warning))"
)
SOURCE_NAME = re.compile(
    r"/[a-z]|assert|expect|test|\.(?:py|[cm]?[jt]sx?|go|rs|java|rb|php|cs)$", re.I
)
# A test that passed, a line of a diff or of a list.
NO_ERROR = re.compile(r"(?:✓|✔|√|ok\b|PASS|[-+])")
# The rest of a message that began on a line before: broken words, a body, advice with an address.
CONTINUED = re.compile(r"[a-z0-9/\"'{}()\[\]]|.*https?://")
NO_MONEY = re.compile(
    r"\bbilling details\b|\bcredit balance\b|\binsufficient_quota\b|\bout of credits\b"
    r"|\binsufficient balance\b",
    re.I,
)
# Google answers so for its free tier as well, which comes back without money.
MONEY_OR_NOT = re.compile(r"\bresource_exhausted\b", re.I)


def usage_limit_in(errors: str, answer: str, at: float) -> tuple[bool, float]:
    """Does what a failed program printed tell of a usage limit, and when is it reset; 0.0: unknown.

    The end of its errors counts; without errors the last message of its answer does.
    """
    lines = last_lines(errors)
    if lines:
        limited = any(map(tells_limit, lines))
    else:
        lines = last_lines(answer)
        limited = _ends_with_limit(lines, at)
    if not limited:
        return False, 0.0
    text = "\n".join(lines)
    until = reset_time(text, at)
    if not until and NO_MONEY.search(URL.sub("", text)) and not MONEY_OR_NOT.search(text):
        return False, 0.0
    return True, until


def last_lines(text: str) -> list[str]:
    """The last lines with words; a line with only an address belongs to the one before it."""
    lines = [line.strip()[:MAX_LINE] for line in text.splitlines()]
    return [line for line in lines if URL.sub("", line).strip()][-MAX_LINES:]


def _ends_with_limit(lines: list[str], at: float) -> bool:
    """Is the last message of an answer one about a limit that was met?"""
    for line in reversed(lines):
        if tells_limit(line):
            return True
        if not (CONTINUED.match(line) or reset_time(line, at)):
            return False
    return False


def tells_limit(line: str) -> bool:
    """Is this line how a program tells that it has met a limit?"""
    if NO_ERROR.match(line):
        return False
    line = BACKSLASHES.sub("", ESCAPED_SPACE.sub(" ", line))  # a body inside a body
    if LIMIT_FIELD.search(line) and _introduces(line.partition("{")[0]):
        return True
    return any(
        _introduces(line[: limit.start()]) and _ends_there(line, limit)
        for limit in LIMIT.finditer(line)
    )


def _introduces(words: str) -> bool:
    """Do these words only lead up to an error?"""
    words = URL.sub("", words)
    if any(map(SOURCE_NAME.search, words.split())):
        return False
    label = ERROR_LABEL.match(words)
    tokens = TOKEN.findall(ASIDE.sub("", words[label.end() :] if label else words))
    return all(
        _is_introducing(token) or (number and token.istitle())
        for number, token in enumerate(tokens)
    )


def _is_introducing(token: str) -> bool:
    word = token.strip(".!?-–…*").lower()
    has_letters = any(map(str.isalpha, word))
    return word in INTRODUCING_WORDS or not has_letters or bool(MACHINE_NAME.fullmatch(token))


def _ends_there(line: str, limit: re.Match[str]) -> bool:
    """Does the sentence end after the limit, or continue as that of a program does?"""
    following = re.match(r",? (\w+)", line[limit.end() : limit.end() + 40])
    if following is None:
        return True
    allowed = AFTER_STATUS if limit["status"] else FOLLOWING_WORDS
    is_limit = bool(LIMIT.match(line, limit.end() + 1))
    return following[1].lower() in allowed or following[1].isdigit() or is_limit
