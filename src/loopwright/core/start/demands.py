"""The demands of a spec: list items, and sentences that ask for behaviour. Rather few than many.

A background sentence that is taken for a demand bothers a person; one demand that is not found
only leaves the verdict as it would be without demands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise, takewhile

from ..criteria import Criterion
from ..proof.demands import PROPOSED, SPLIT, TYPED, Demand, Demands
from .binding import asks_until_checks_pass, checks_wanted_by_spec, is_only_a_run, meant_checks
from .requests import (
    CODE,
    FAILURE,
    NO_BEHAVIOUR,
    clauses_of,
    is_english,
    is_request,
    requests_in,
    sentences_of,
    states_behaviour,
)
from .spec_blocks import (
    DEMAND_HEADINGS,
    ITEM,
    PROSE,
    SCENARIO,
    Block,
    blocks_of,
    is_background,
)

MAX_DEMANDS, MAX_TEXT = 12, 240
MAX_TOGETHER = 3  # demands of one passage that one test may show without a word of each
INTRODUCES = re.compile(r"\b(?:please|options|rules|wanted|needed)\b", re.I)


def demands_of(
    spec: str,
    criteria: tuple[Criterion, ...],
    typed: tuple[str, ...] = (),
    proposed: tuple[str, ...] = (),
) -> Demands | None:
    """The demands, each with the criterion whose check covers it; None if there is only one.

    A list of the person is taken as it is, also with one demand; else what the agent proposes.
    """
    texts = typed or proposed or split_demands(spec)
    origin = TYPED if typed else PROPOSED if proposed else SPLIT
    texts = group_demands(tuple(dict.fromkeys(filter(None, map(_one_line, texts)))))
    if len(texts) < 2 and not typed:
        return None
    return Demands(tuple(Demand(text, covering_check(text, criteria)) for text in texts), origin)


def covering_check(text: str, criteria: tuple[Criterion, ...]) -> str:
    """The criterion whose check shows the demand as a whole; "" if there is none."""
    with_check = [c for c in criteria if c.check]
    said = _plain_words(text)
    same = [c.name for c in with_check if _plain_words(c.name) == said]
    if same or not (is_only_a_run(text) or asks_until_checks_pass(text)):
        return same[0] if same else ""
    topics = {*(meant_checks(text) or checks_wanted_by_spec(text))}
    if not topics:
        return ""
    meant = (c.name for c in with_check if topics <= {c.name, *meant_checks(c.name)})
    return next(meant, "")


def criteria_by_demand(
    criteria: tuple[Criterion, ...], demands: Demands | None
) -> tuple[Criterion, ...]:
    """The criteria, with a mark for those without a check that are demands in the same words."""
    texts = [each.text for each in demands.items if not each.criterion] if demands else []
    return tuple(
        c.but(by_demand=True) if not c.check and any(t in _one_line(c.name) for t in texts) else c
        for c in criteria
    )


def group_demands(texts: tuple[str, ...]) -> tuple[str, ...]:
    """At most twelve; neighbours are grouped."""
    count = min(len(texts), MAX_DEMANDS)
    bounds = [number * len(texts) // count for number in range(count + 1)] if count else []
    pairs = pairwise(bounds)
    return tuple("; ".join(texts[begin:end])[: 2 * MAX_TEXT] for begin, end in pairs)


def split_demands(spec: str) -> tuple[str, ...]:
    """The demands in the words of the spec."""
    blocks = blocks_of(spec)
    if not is_english(" ".join(block.text for block in blocks)):
        return (_one_line(spec),)
    items = _listed_demands(blocks)
    if items:
        return items
    blocks = tuple(b for b in blocks if not is_background(b.heading))
    is_counted = _counted_items(blocks)
    if not any(is_counted) and not any(is_request(s) for b in blocks for s in sentences_of(b.text)):
        is_counted = _counted_items(blocks, CODE)  # «`parse(text)` reads one entry per line:»
    if not any(is_counted) and not any(is_request(s) for b in blocks for s in sentences_of(b.text)):
        is_counted = _stated_items(blocks)
    first = next((n for n, counts in enumerate(is_counted) if counts), len(blocks))
    if sum(is_counted) < 2:
        first = 0
    texts: list[str] = []
    for number, block in enumerate(blocks):
        if is_counted[number]:
            texts += _parts_of_item(block.text)
        elif block.kind == PROSE and number >= first:  # before a list, it is a summary
            texts += requests_in(block.text, bool(texts))
    return tuple(texts)


def asked_together(spec: str, demands: Iterable[str]) -> list[frozenset[str]]:
    """The demands of each list item and each sentence: one test may well be for all of one."""
    passages = (
        passage
        for block in blocks_of(spec)
        for passage in ([block.text] if block.kind == ITEM else sentences_of(block.text))
    )
    texts = tuple(demands)
    found = [
        frozenset(text for text in texts if text.removesuffix(" …") in " ".join(passage.split()))
        for passage in passages
    ]
    return [each for each in found if 1 < len(each) <= MAX_TOGETHER]


def _listed_demands(blocks: tuple[Block, ...]) -> tuple[str, ...]:
    """The items below a heading such as «acceptance criteria», and scenarios."""
    kinds = (ITEM, SCENARIO)
    listed = [block for block in blocks if block.kind == SCENARIO]
    for pattern in reversed(DEMAND_HEADINGS):
        below = [b for b in blocks if b.kind in kinds and pattern.search(b.heading)]
        listed = below or listed
    asked = [block for block in listed if not NO_BEHAVIOUR.search(block.text)]
    return tuple(part for block in asked for part in _parts_of_item(block.text))


def _parts_of_item(text: str) -> list[str]:
    """An item of a list is one demand, unless it says several things that must be so."""
    parts: list[str] = []
    for sentence in sentences_of(text):
        if parts and not (is_request(sentence) or states_behaviour(sentence)):
            parts[-1] += f" {sentence}"
        else:
            parts += clauses_of(sentence)
    return parts


def _counted_items(
    blocks: tuple[Block, ...], introduces: re.Pattern[str] = INTRODUCES
) -> list[bool]:
    """Which blocks are list items that ask for something, alone or by what stands before them."""
    counted, is_introduced, has_asked = [], False, False
    for number, block in enumerate(blocks):
        if block.kind == ITEM:
            asks = is_introduced or is_request(block.text)
            asks = asks or (has_asked and states_behaviour(block.text))
            counted.append(asks and not NO_BEHAVIOUR.search(CODE.sub("`x`", block.text)))
            continue
        counted.append(False)
        sentences = sentences_of(block.text) if block.kind == PROSE else []
        last = sentences[-1] if sentences else ""
        is_introduced = last.endswith(":") and bool(
            introduces.search(last) or is_request(last[:-1])
        )
        items = takewhile(lambda each: each.kind == ITEM, blocks[number + 1 :])
        has_asked = has_asked or any(map(is_request, sentences))
        has_asked = has_asked or any(is_request(item.text) for item in items)
    return counted


def _stated_items(blocks: tuple[Block, ...]) -> list[bool]:
    """Where nothing asks, a list that states behaviour is what is wanted; not one of symptoms."""
    items = [block.text for block in blocks if block.kind == ITEM]
    tells_fault = any(FAILURE.search(block.text) for block in blocks if block.kind == PROSE)
    is_list = not tells_fault and all(map(states_behaviour, items))
    return [is_list and block.kind == ITEM for block in blocks]


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_TEXT else f"{line[: MAX_TEXT - 2]} …"


def _plain_words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())
