"""Sentences that ask for behaviour of the product, told from background and from other requests."""

from __future__ import annotations

import re

VERB = (
    r"(?:accept|add|allow|apply|assign|avoid|block|bring|build|cache|calculate|cap|change|check"
    r"|clamp|clean|clear|close|collapse|compare|complete|compress|compute|convert|correct|count"
    r"|crash|create|cut|default|delete|deny|detect|disable|disallow|display|drop|emit|enable"
    r"|encode|encrypt|ensure|escape|exclude|exit|expire|export|expose|extend|extract|fail|fall"
    r"|fetch|filter|fix|flag|flush|format|generate|give|guarantee|guard|guess|handle|hash|hide"
    r"|highlight|honou?r|ignore|implement|import|improve|include|increase|init|initiali[sz]e"
    r"|insert|introduce|invalidate|keep|leak|let|limit|list|load|lock|log|lose|lower|make|map"
    r"|mark|mask|match|merge|move|normali[sz]e|notify|offer|omit|order|paginate|parse|pass"
    r"|persist|preserve|prevent|print|produce|propagate|protect|provide|prune|put|queue|raise"
    r"|read|record|redact|redirect|reduce|reject|release|remember|remove|rename|render|repair"
    r"|replace|report|reset|resolve|respect|restrict|retry|return|reuse|reverse|round|sanitize"
    r"|save|send|serve|set|show|skip|sort|split|stop|store|stream|strip|support|suppress|swap"
    r"|switch|teach|throttle|throw|tolerate|translate|treat|trim|truncate|turn|unify|update"
    r"|upgrade|use|validate|verify|warn|wrap|write)"
)
LEAD = (
    r"(?:(?:please|do not|don't|never|also|then|and|but|finally|first|second|third|next|lastly"
    r"|additionally|furthermore|instead|otherwise|in addition|\w{1,3}\d+:?|\d+[.)])[,:]? +)*"
)
IMPERATIVE = re.compile(rf"^{LEAD}{VERB}\b(?!['’]s|:)", re.I)
# A condition first: "If the list is empty, return 0".
CONDITION = re.compile(
    rf"^{LEAD}(?:if|when(?:ever)?|while|unless|for|on|in|with|without|after|before|once)\b[^.]*?, "
    rf"(?:then |do not |don't |never )?{VERB}\b",
    re.I,
)
MODAL = re.compile(
    r"\b(?:should|must|shall|ought to|may not|mustn't|shouldn't|can no longer|ha(?:s|ve) to"
    r"|needs? to (?!know|be aware|ship|talk|decide|understand)"
    r"|(?:is|are) (?:not )?(?:required|expected|allowed|supposed)"
    r"|(?:i|we)(?: would|'d) like|(?:i|we|users?|people) (?:also |really )?(?:want|need)"
    r"|wants? to be able)\b",
    re.I,
)
# What it does, said as if it were there: only behind a sentence that asks for something new.
STATED = re.compile(
    r"^(?:it|they|each|every|all|any|no|only|both|invalid|unknown|empty|missing|the (?:new )?"
    r"(?:flag|option|command|function|method|endpoint|page|button|field|output|result|default))\b"
    r"[^,]{0,80}?\b\w+(?:s|ed)?\b",
    re.I,
)
ASKS_FOR_NEW = re.compile(
    rf"^{LEAD}(?:add|implement|create|build|write|introduce|provide|support|make|offer|extend)\b",
    re.I,
)
BACKGROUND = re.compile(
    r"^(?:currently|today|right now|at the moment|at present|previously|before this|until now"
    r"|so far|historically|originally|note\b|notice\b|fyi|for (?:context|reference|example)"
    r"|background|as you know|e\.g\.|i\.e\.|users? (?:report|complain|say|see)|(?:we|i) noticed"
    r"|i (?:think|believe|guess)|maybe|perhaps|thanks|thank you|hi|hello|hey|see\b|the reason"
    r"|this (?:is|was|means|happens|breaks|used|will|would|came|comes|bug|causes)"
    r"|that(?:'s| is| was)|there (?:is|are|was|were)|it (?:is|was|used|seems|looks|turns)"
    r"|we (?:have|had|are|use|already|also have)|nobody|yesterday|last week)\b",
    re.I,
)
PAST = re.compile(r"\b(?:was|were|(?:has|have) been|had|already|because|used to|currently)\b", re.I)
# Requests that no test of the product can show: documents, process, how the code is written.
NO_BEHAVIOUR = re.compile(
    "|".join(
        (
            r"\b(?:pull requests?|PRs?|branch|readme|changelog|docs?|docstrings?|release notes"
            r"|documentation|document (?:it|this|the|how)|code style|style guide|type hints?"
            r"|annotations?|dependenc(?:y|ies)|lint\w*|code review|reviewers?|ticket|jira"
            r"|milestone|roadmap|deadline|team|commit message|standup|designer|marketing)\b",
            r"\bcommit (?:often|early|each|after|your|the change)",
            r"\b(?:add|write|update|extend|cover|include|have|remove|delete|drop|move|rename)\b"
            r"[^.]{0,40}\btests?\b",
            r"\b(?:keep|make) (?:it|this|the (?:code|change|diff|implementation|patch))"
            r"[^.]{0,20}\b(?:simple|small|minimal|readable|clean|short|focused)\b",
            r"\buse (?:the |our |an? )?"
            r"(?:existing|same|current|standard|stdlib|built-?in|pytest|unittest|vitest|jest)\b",
            r"\b(?:do not|don't|never) "
            r"(?:touch|edit|modify|worry|bother|forget|hesitate|add|use|install|refactor)\b",
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
SENTENCE_END = re.compile(r"(?<=[.!?;])[\"')\]]*\s+(?=[A-Z`\"'(*])|(?<=[!?])\s+")
ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|approx|no|fig|mr|dr|ca)\.$", re.I)


def requests_in(paragraph: str) -> list[str]:
    """The sentences of a paragraph that ask for behaviour."""
    requests: list[str] = []
    asked_for_new = False
    for sentence in sentences_of(paragraph):
        if is_request(sentence):
            requests.append(sentence)
            asked_for_new = asked_for_new or bool(ASKS_FOR_NEW.match(sentence))
        elif asked_for_new and _states_behaviour(sentence):
            requests.append(sentence)
    return requests


def is_request(sentence: str) -> bool:
    """Does the sentence ask for behaviour of the product?"""
    text = sentence.strip("*_ ")
    if text.endswith("?") or BACKGROUND.match(text) or NO_BEHAVIOUR.search(text):
        return False
    return any(pattern.search(text) for pattern in (IMPERATIVE, CONDITION, MODAL))


def _states_behaviour(sentence: str) -> bool:
    if sentence.endswith("?") or BACKGROUND.match(sentence) or PAST.search(sentence):
        return False
    return bool(STATED.match(sentence)) and not NO_BEHAVIOUR.search(sentence)


def sentences_of(paragraph: str) -> list[str]:
    """The sentences of a paragraph, by their ends and capital letters."""
    sentences: list[str] = []
    for part in SENTENCE_END.split(paragraph):
        if sentences and ABBREVIATION.search(sentences[-1]):
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
