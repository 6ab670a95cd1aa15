"""Sentences that ask for behaviour of the product, told from background and from other requests."""

from __future__ import annotations

from ... import lazy_re as re

VERB = (
    r"(?:accept|add|align|allow|apply|assign|avoid|block|bring|build|cache|calculate|cap|change"
    r"|check"
    r"|clamp|clean|clear|close|collapse|compare|complete|compress|compute|convert|correct|count"
    r"|crash|create|cut|default|delete|deny|detect|disable|disallow|display|drop|emit|enable"
    r"|encode|encrypt|ensure|escape|exclude|exit|expire|export|expose|extend|extract|fail|fall"
    r"|fetch|filter|fix|flag|flush|format|generate|give|guarantee|guard|guess|handle|hash|hide"
    r"|highlight|honou?r|ignore|implement|import|improve|include|increase|init|initiali[sz]e"
    r"|insert|introduce|invalidate|keep|leak|let|limit|list|load|lock|log|lose|lower|make|map"
    r"|mark|mask|match|merge|move|neutrali[sz]e|normali[sz]e|notify|offer|omit|order|paginate"
    r"|parse|pass"
    r"|persist|preserve|prevent|print|produce|propagate|protect|provide|prune|put|queue|quote|raise"
    r"|read|record|redact|redo|redirect|reduce|reject|release|remember|remove|rename|render|repair"
    r"|replace|report|reset|resolve|respect|restrict|retry|return|reuse|reverse|round|sanitize"
    r"|save|send|serve|set|show|skip|sort|split|stop|store|stream|strip|support|suppress|swap"
    r"|switch|teach|throttle|throw|tolerate|translate|treat|trim|truncate|turn|undo|unify|update"
    r"|upgrade|use|validate|verify|warn|wrap|write)"
)
LEAD = (
    r"(?:(?:please|do not|don't|never|also|then|and|but|finally|first|second|third|next|lastly"
    r"|additionally|furthermore|instead|otherwise|in addition|\w{1,3}\d+:?|\d+[.)])[,:]? +)*"
)
IMPERATIVE = re.compile(rf"^{LEAD}{VERB}\b(?!['’]s|:)", re.I)
# Words with which no request begins: they join or qualify, or only ask to think of something.
NO_VERB = (
    r"(?:about|above|across|after|against|all|along|although|among|an?|and|any|are|around|as|assume"
    r"|at|because|before|being|below|besides|between|beyond|both|but|by|can|consider|could|despite"
    r"|did|do|does|during|each|either|even|every|except|for|from|given|had|half|has|have|hence|here"
    r"|how|however|if|imagine|in|inside|instead|into|is|just|like|many|may|maybe|meanwhile|might"
    r"|most|near|neither|no|none|nor|not|note|now|of|off|often|on|once|only|onto|or|otherwise|out"
    r"|outside|over|past|per|perhaps|quite|rather|recall|say|see|several|since|so|some|sometimes"
    r"|still|such|suppose|than|that|then|there|though|through|throughout|till|to|today|tomorrow"
    r"|too|toward|twice|under|unless|unlike|until|up|upon|via|was|were|what|whatever|when|whenever"
    r"|where|whereas|wherever|whether|which|while|who|whom|whose|why|will|with|within|without"
    r"|would|yesterday|yet)"
)
# Any other verb in front of its object: "Rework the queue". Not "Adds the" or "Adding the".
OTHER_IMPERATIVE = re.compile(
    rf"^{LEAD}(?!{NO_VERB}\b)(?!\w*(?:[^s]s|ed|ing|ly)\b)[a-z]{{3,}}"
    r" (?:the|an?|all|each|every|both|our|its|their)\b",
    re.I,
)
QUALIFIES = re.compile(rf"^{NO_VERB}\b", re.I)
# What a function or an option does, behind its name: «`area(shape)`: the area in square metres».
SPECIFIED = re.compile(r"^`[^`]+`(?: \([^()]*\))?: ")
# A condition first: "If the list is empty, return 0", "Below zero there is no root: raise it".
CONDITION = re.compile(
    rf"^{LEAD}(?:if|when(?:ever)?|while|unless|for|on|in|with|without|after|before|once|above|below"
    rf"|under|over|beyond|between|except)\b[^.]*?[,:] (?:then |do not |don't |never )?{VERB}\b",
    re.I,
)
MODAL = re.compile(
    r"\b(?:should|must|shall|ought to|may not|mustn't|shouldn't|can no longer|ha(?:s|ve) to"
    r"|needs? to (?!know|be aware|ship|talk|decide|understand)"
    r"|needs (?:an?|another|two|some|the|this|these)\b|needs (?=`)"
    r"|(?:is|are) (?:not )?(?:required|expected|allowed|supposed)"
    r"|(?:i|we)(?: would|'d) like|(?:i|we|users?|people) (?:also |really )?(?:want|need)"
    r"|wants? to be able|(?:nothing|nobody|none|no one|no(?: \w+){1,2}) may)(?!\w)",
    re.I,
)
ASKS = (IMPERATIVE, OTHER_IMPERATIVE, SPECIFIED, CONDITION, MODAL)
# What is wanted, behind what is wrong: «Expected: …», «m() returns nonsense: reject it».
EXPECTED = re.compile(r"^(?:expected|wanted|desired)(?: behaviou?r| results?| output)?: +", re.I)
# Who says it, or why: no statement about what the product does.
NO_STATEMENT = re.compile(
    r"^(?:(?:two|three|several) \w+ have|we|i|you|he|she|who|our|my|their|this|that|these|those"
    r"|so|because|since|here|i'?d|let'?s|users|customers|people|someone|some|most|many|feel"
    r"|for (?:instance|now)|probably)\b"
    r"|^\(?(?:clos|fix|resolv|ref|relat)\w*:? (?:to )?\S*#\d+|^\[[^]]*\]\([^)]*\)\W*$"
    r"|^\W*(?:generated|created|made) (?:with|by|using) \W*[A-Z]"
    r"|\b(?-i:MAY)\b",
    re.I,
)
# A fault that is there, said behind the request to mend it; "wrong input" says nothing of a fault.
FAULT = re.compile(
    r"\b(?:wrong|incorrect|broken|red)(?:ly)?\b"
    r"(?=[.,;:!]?$|[.,;:!]? (?:for|when|if|in|on|with|because|by|at|as)\b)",
    re.I,
)
# It asks only for what another sentence or the red check says: "Fix it", "Fix the build".
BARE_REPAIR = re.compile(
    rf"^{LEAD}(?:fix|repair|correct|mend|resolve|close)(?:e?s)?:? (?:it|this|that|them|these|those"
    r"|\S*#\d+|https?:\S+|what(?:ever)? [^.,;]{1,40}"
    r"|(?:the|this|that) (?:build|bug|errors?|failures?|problem|issue))(?:[.,;!]|$)",
    re.I,
)
# Beside a failure that is told, the same in a few words: "make test fails; fix the input". A check
# shows that tests are fixed.
SHORT_REPAIR = re.compile(
    rf"^{LEAD}(?:fix|repair|correct|mend|resolve) (?!.*\btests?\b)(?:\S+ ){{0,2}}\S+?[.,;:!]?$",
    re.I,
)
# It names the files that the work changes, and no behaviour: "Update a.go and a_test.go".
BARE_CHANGE = re.compile(
    rf"^{LEAD}(?:update|change|adapt|adjust|edit|write|create|touch|extend|improve|finish)"
    r"(?: (?:the|and|all|both|its|their|in|too|also|accordingly|as well|golden|snapshots?|files?"
    r"|tests?|[\w./*-]*[\w*]\.\w+),?)+(?: which [^.]*)?[.:]?$",
    re.I,
)
# It only says how many there will be: "words.py should learn two options."
COUNTS = re.compile(
    r"^[^,:;]{1,60} (?:two|three|four|five|some|a few|the following|these) (?:new )?"
    r"(?:options|flags|commands|functions|rules|things|changes|features)[.:]?$",
    re.I,
)
FAILURE = re.compile(r"\b(?:fail(?:s|ed|ing)?|red|broken|wrong(?:ly)?|crash(?:es|ed)?)\b", re.I)
CODE = re.compile(r"`[^`]+`")
SUBORDINATE = re.compile(
    r"\b(?:that|which|who|whose|until|after|before|when|if|how|what|where|why|whether)\b", re.I
)
# Its main clause tells whether it is background: "When five come, we give them single seats".
FIRST_CLAUSE = re.compile(
    r"^(?:if|when(?:ever)?|while|after|before|once|because|since)\b[^,]*, ", re.I
)
# «Quote each field, and strip tabs; a bad line is an error»: one sentence that asks for more than
# one thing. The next one begins with its verb, or it has a subject and a verb of its own.
FINITE = (
    r"(?:is|are|must|should|shall|has|have|gets?|raises?|returns?|throws?|fails?|stays?|keeps?"
    r"|becomes?|counts?|shows?|prints?|ends?|does|do)"
)
NEXT_CLAUSE = re.compile(
    rf"(?:; |, and )(?=(?:also )?{VERB} |(?!(?:so|then|otherwise|that|which|where|this|it)\b)"
    rf"(?:(?!as |if |when |that |which |who |where |than |with )[^\s,;.]+ ){{1,8}}{FINITE}\b)"
    # «Quote them and add an option»
    r"| and (?=(?:also )?(?:add|support|provide|expose|reject|raise|print|log|update|remove|delete)"
    r" (?:an?|the|all|each|every|support) )"
    # «… and the list `warnings`, with one warning for each date in the future»
    r"|, (?=with (?:an?|one|exactly one) (?:[^\s,;.]+ ){1,4}(?:for each|for every|per) )",
    re.I,
)
# «Some options: `-i` ignores case, `-c` counts»: an enumeration of names with what they do.
NEXT_NAME = re.compile(r"(?:, and |, | and )(?=`[^`]+` (?:\(|[a-z]))")
CLOSED = re.compile(r"`[^`]+`|\([^()]+\)|\"[^\"]+\"")  # nothing is split in there
BACKGROUND = re.compile(
    r"^(?:currently|today|right now|at the moment|at present|previously|before this|until now"
    r"|so far|historically|originally|note\b|notice\b|fyi|for (?:context|reference|example)"
    r"|background|as you know|e\.g\.|i\.e\.|users? (?:report|complain|say|see)|(?:we|i) noticed"
    r"|i (?:think|believe|guess)|maybe|perhaps|thanks|thank you|hi|hello|hey|see\b|the reason"
    r"|this (?:is|was|means|happens|breaks|used|will|would|came|comes|bug|causes)"
    r"|that(?:'s| is| was)|there (?:is|are|was|were)|it (?:is|was|used|seems|looks|turns)"
    r"|we (?:have|had|are|use|already|also have)|nobody|yesterday|last week"
    # How the input is written; what is printed, is wanted.
    r"|`?[\w./-]*test[\w./-]*`? (?:describe|specif|define|show|say|tell|contain)\w*"
    r"|(?!(?:\w+ )*(?:it|output|report|result|answer|message)s? )(?:\w+ ){1,3}looks? like)\b",
    re.I,
)
PAST = re.compile(
    r"\b(?:was|were|would|(?:has|have) been|had|already|because|used to|currently)\b", re.I
)
# Requests that no test of the product can show: documents, process, how the code is written.
NO_BEHAVIOUR = re.compile(
    "|".join(
        (
            r"\b(?:pull requests?|PRs?|branch|readme|changelog|docs?|docstrings?|release notes"
            r"|documentation|document (?:it|this|the|how)|code style|style guide|type hints?"
            r"|annotations?|dependenc(?:y|ies)|lint\w*|code review|commit message|jira|standup)\b",
            r"^(?:with|including|plus)\b[^,]{0,40}\btests?\b",
            r"^(?:please )?test (?:it|this|that|them|both|each|all)\b",
            r"^(?:(?:unit|new|also|some) )*tests?\b(?![^.]*\b(?:must|should|pass|fail|run)\b)",
            r"^(?:each|all|both)\b[^.]{0,20}\bwith (?:an? |its |own |new |unit )*tests?\b",
            # It is asked for by what it says about the fault.
            r"^(?:(?:please|and|so|then|just|can you|could you) )*(?:fix|repair|correct|solve)"
            r"(?: (?:it|this|that|them|these|both|the (?:bug|fault|issue|problem|code)))?"
            r"(?: (?:in|at|for) \S+)?[.!]?$",
            r"\b(?:is|are) (?:also )?(?:useful|helpful|needed|wanted) (?:for|by|in|to)\b",
            r"\bcommit (?:often|early|each|after|your|the change)",
            r"^(?:reviewed|approved|merged|deployed|released|announced)\b",
            r"\b(?:add|write|update|extend|cover|include|have|remove|delete|drop|move|rename)\b"
            r"[^.]{0,40}\btests?\b",
            r"\b(?:keep|make) (?:it|this|the (?:code|change|diff|implementation|patch))"
            r"[^.]{0,20}\b(?:simple|small|minimal|readable|clean|short|focused)\b",
            r"\buse (?:the |our |an? )?"
            r"(?:existing|same|current|standard|stdlib|built-?in|pytest|unittest|vitest|jest)\b",
            r"\b(?:do not|don't|never) "
            r"(?:touch|edit|modify|worry|bother|forget|hesitate|add|use|install|refactor)\b",
            r"\b(?:put|place|move|extract|split)\b.*\b(?:into|in|to) (?:an? |its |the )?"
            r"(?:new |own |separate )+(?:module|file|class|function|helper|package)\b",
            r"\b(?:move|migrate|port|convert)\b.*\bto `?[\w.-]+\.(?:toml|cfg|ini|ya?ml)\b",
            r"\b(?:nothing else|no (?:other )?behaviou?rs?) (?:may |should )?changes?\b",
            r"\b(?:feel free|let me know|ask me|talk to|make sure (?:you|to))\b",
            r"\b(?:should|must) (?:we|i|you)\b",
            r"\b(?:should|must) be (?:easy|simple|fun|quick|straightforward|fine|ok(?:ay)?)\b",
            r"\b(?:you|we|i) (?:should|must|may|need to|want to|have to|would like to|'d like to) "
            r"(?:probably |also |first )?"
            r"(?:find|look|see|start|begin|read|know|ask|talk|ship|discuss|consider|use|get"
            r"|move|avoid|keep|release|deliver|finish)\b",
        )
    ),
    re.I,
)
ENGLISH = re.compile(
    r"\b(?:the|a|an|and|to|of|is|are|it|should|must|when|with|for|not|that|this|if|be|as|from|by|on"
    r"|in|all|no|make|fix|add|return|returns|support|remove|show|raise|tests?|empty)\b",
    re.I,
)
OTHER_LANGUAGES = re.compile(
    r"\b(?:der|die|das|den|dem|und|nicht|ist|soll|sollen|muss|müssen|ein|eine|einen|wenn|für|mit"
    r"|auf|wird|werden|le|la|les|des|du|une|et|est|doit|pas|dans|pour|avec|el|los|las|una|que|con"
    r"|para|debe|cuando|il|della|deve|quando|het|een|niet|moet|voor|och|att|ska|inte|uma|não|os"
    r"|ao|se|jest|nie|musi|gdy)\b",
    re.I,
)
# Behind a full stop a sentence may begin with a small letter, as that of a name does: «add() must».
SENTENCE_END = re.compile(
    r"(?<=[.!?;])[\"')\]]*\s+(?=[A-Z`\"'(*])|(?<=[!?])\s+"
    r"|(?<=\w\w\.)\s+(?=[a-z])|(?<=[)`]\.)\s+(?=[a-z])"
)
ABBREVIATION = re.compile(
    r"\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|excl|resp|no|fig|mr|dr|ca)\.$", re.I
)


def requests_in(paragraph: str, has_asked: bool = False) -> list[str]:
    """The sentences of a paragraph that ask for behaviour.

    Behind a request, also in a paragraph before, a sentence that states what happens asks for it.
    """
    requests: list[str] = []
    asks_nothing = [
        BARE_CHANGE,
        BARE_REPAIR,
        COUNTS,
        *([SHORT_REPAIR] if FAILURE.search(paragraph) else []),
    ]
    expected = EXPECTED.match(paragraph)
    has_asked = has_asked or bool(expected)
    for sentence in sentences_of(paragraph[expected.end() if expected else 0 :]):
        sentence = _request_behind_colon(sentence)
        names = named_parts(sentence)
        if names or is_request(sentence):
            parts = names or clauses_of(sentence)
            requests += [part for part in parts if not any(p.match(part) for p in asks_nothing)]
            has_asked = has_asked or bool(COUNTS.match(sentence))
        elif (has_asked or requests) and states_behaviour(sentence):
            requests += clauses_of(sentence)
        elif NO_BEHAVIOUR.search(sentence):
            requests += filter(is_request, clauses_of(sentence))
    return requests


def _request_behind_colon(sentence: str) -> str:
    """What a sentence asks for behind what is wrong: «m() returns nonsense: reject it».

    A condition belongs to it: «Below zero there is no root: raise `NoRoot`».
    """
    fault, colon, request = sentence.partition(": ")
    if not colon or not IMPERATIVE.match(request) or is_request(fault):
        return sentence
    return sentence if QUALIFIES.match(fault) or BACKGROUND.match(fault) else request


def clauses_of(sentence: str) -> list[str]:
    """The parts of a sentence that ask for something of their own."""
    return _split_outside(NEXT_CLAUSE, sentence)


def named_parts(sentence: str) -> list[str]:
    """The names that a sentence enumerates behind a colon, each with what it does."""
    head, colon, rest = sentence.partition(":")
    if not colon or not rest.lstrip().startswith("`"):
        return []
    if re.search(rf"\b{FINITE}\b", head, re.I) and not is_request(head):
        return []  # «A row is a string: `.` is free, `x` is taken» says how it is written
    parts = _split_outside(NEXT_NAME, rest.strip())
    return parts if len(parts) > 1 else []


def _split_outside(pattern: re.Pattern[str], text: str) -> list[str]:
    """Split where the pattern fits outside of code, quotes and parentheses."""
    outside = CLOSED.sub(lambda match: match[0][0] + "x" * (len(match[0]) - 2) + match[0][-1], text)
    ends = [match.span() for match in pattern.finditer(outside)]
    begins = [0, *(end for _, end in ends)]
    stops = [*(start for start, _ in ends), len(text)]
    return [text[begin:stop] for begin, stop in zip(begins, stops, strict=True)]


def is_request(sentence: str) -> bool:
    """Does the sentence ask for behaviour of the product?"""
    text = sentence.strip("*_ ")
    if text.endswith("?") or BACKGROUND.match(text) or NO_BEHAVIOUR.search(text):
        return False
    return any(pattern.search(text) for pattern in ASKS)


def states_behaviour(sentence: str) -> bool:
    """What it does, said as if it were there."""
    text = CODE.sub("`x`", sentence)
    main = SUBORDINATE.split(text)[0]
    if text.endswith(("?", ":")) or BACKGROUND.match(text) or PAST.search(main):
        return False
    if FAULT.search(main):
        return False
    text = FIRST_CLAUSE.sub("", text)
    return not NO_STATEMENT.search(text) and not NO_BEHAVIOUR.search(text)


def sentences_of(paragraph: str) -> list[str]:
    """The sentences of a paragraph, by their ends and capital letters."""
    sentences: list[str] = []
    for part in SENTENCE_END.split(paragraph):
        in_code = bool(sentences) and sentences[-1].count("`") % 2 == 1
        if in_code or (sentences and ABBREVIATION.search(sentences[-1])):
            sentences[-1] += f" {part}"
        elif part.strip():
            sentences.append(part.strip())
    return sentences


def is_english(text: str) -> bool:
    """Can its sentences be read? A list of a few words is English unless it looks like another."""
    letters = [char for char in text if char.isalpha()]
    if sum(char > "ɏ" for char in letters) * 5 > len(letters):  # another script
        return False
    return len(ENGLISH.findall(text)) >= len(OTHER_LANGUAGES.findall(text))
