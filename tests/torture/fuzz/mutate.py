"""What becomes of a good file: cut, doubled, spliced, retyped, nested, blown up; a little or a lot. Drawn from one Random."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

MAX = 64 * 1024
HERE = "\ue000"  # stands for a value that no JSON writer would write
# NUL, byte order mark, line ends, bidi, zero width, an order to the terminal; then what is no UTF-8; an escape, a quote.
ODD = b"\0 \xef\xbb\xbf \r\n \r \x0c \xe2\x80\xa8 \xe2\x80\xae \xe2\x80\x8b \x1b[2J \xff \xc0\xaf \xed\xa0\x80 \\ '".split(
    b" "
)
PLAIN = b'null true false 0 -1 1.5 "" [] {} [[]] [""] {"":0} "x" "7" [null] {"is":"Loop"} {"is":7}'.split()
STRANGE = (
    rb'NaN Infinity -Infinity 1e999 -1e999 1e-999 -0 01 0x1 "\ud800" "\u0000" "\u202e" "\/"'.split()
)
LONG = [
    b"9" * 400,
    b"9" * 4_300,
    b"-" + b"9" * 400,
    b"9" * 10_000,
    b"0." + b"9" * 5_000,
    b'"%b"' % (b"a" * 20_000),
]
RUNS = "a \t-#`|[{(\"'\\\n><:*=.,~_/0&!"


def mutate_sample(random: Random, samples: Sequence[bytes], words: Sequence[bytes] = ()) -> bytes:
    """One of the samples, after up to four accidents."""
    data = random.choice(samples)
    for _ in range(random.choice((1, 1, 1, 2, 3, 4))):
        if data[:1] == b"{" and random.random() < 0.7:
            data = retype_value(random, data)
        else:
            accident = random.choice((by_lines, by_bytes))
            data = accident(random, data, random.choice(samples), random.choice((*words, *ODD)))
    return data[:MAX]


def by_bytes(random: Random, data: bytes, other: bytes, word: bytes) -> bytes:
    start, stop = sorted(random.randrange(len(data) + 1) for _ in range(2))
    before, after, letter = data[:start], data[start:], bytes([random.randrange(256)])
    ways = [
        before,
        before + data[stop:],
        data[:stop] + after,
        before + other[start:],
        before + letter + after[1:],
    ]
    ways += [
        before + new + after
        for new in (run(random), word, word * random.choice((3, 2_000)), letter)
    ]
    return random.choice(
        [*ways, data.replace(b"\n", random.choice((b"\r\n", b"\r", b"\n\n", b"")))]
    )


def by_lines(random: Random, data: bytes, other: bytes, word: bytes) -> bytes:
    lines = data.split(b"\n")
    at = random.randrange(len(lines))
    begin, mark, _ = (line := lines[at]).partition(random.choice((b":", b"=", b" ", b">")))
    margin = random.choice((b" ", b"\t", b"  ", b"- ", b"# ", b"> ")) * random.choice((1, 2, 300))
    ways = [
        [],
        [line] * random.choice((2, 3, 300)),
        [random.choice(other.split(b"\n")), line],
        [word, line],
        [margin + line],
    ]
    ways += [[begin + mark + random.choice((value(random), run(random), word))], [line, lines[0]]]
    return b"\n".join([*lines[:at], *random.choice(ways), *lines[at + 1 :]])


def run(random: Random) -> bytes:
    """A long run of one letter before something that does not fit: what a regular expression may go back over for ever."""
    return random.choice(RUNS).encode() * random.choice((40, 400, 400, 20_000)) + random.choice(
        (b"", b"!", b"\n", *ODD)
    )


def value(random: Random) -> bytes:
    depth = random.choice((30, 99, 101, 330, 480, 900, random.randrange(900, 1_000), 20_000))
    deep = random.choice(
        (
            b"[" * depth + b"]" * depth,
            b"[" * depth,
            b'{"a":' * depth + b"1" + b"}" * depth,
            b'[{"a":' * depth,
        )
    )
    return random.choice(
        (
            random.choice(PLAIN),
            random.choice(PLAIN),
            random.choice(STRANGE),
            random.choice(LONG),
            deep,
        )
    )


def retype_value(random: Random, data: bytes) -> bytes:
    """A value of one of its JSON lines is another kind of value, or gone, or there twice, or under another name."""
    lines = data.split(b"\n") if b"}\n{" in data else [data]
    at = random.randrange(len(lines))
    try:
        whole = json.loads(lines[at])
        places = list(holders(whole))
        holder, key = random.choice(places)
        now = random.choice(
            (HERE, HERE, HERE, random.choice([inside[name] for inside, name in places]))
        )
        if isinstance(holder, dict) and random.random() < 0.4:
            name = random.choice(
                (f"{key}{HERE}", f"{key}{HERE}", "is", "", "status", HERE, random.choice(places)[1])
            )
            holder[str(name)] = now if random.random() < 0.5 else holder.pop(key)
        else:
            holder[key] = now
        text = json.dumps(
            whole,
            ensure_ascii=random.random() < 0.5,
            separators=random.choice(((",", ":"), (", ", ": "))),
        )
    except (
        ValueError,
        RecursionError,
        IndexError,
    ):  # no JSON, or nothing in it, or a value that was put into itself
        return data
    for spelled in (
        HERE,
        json.dumps(HERE)[1:-1],
    ):  # alone it is the odd value; in a key it makes one that is there twice
        text = text.replace(f'"{spelled}"', value(random).decode()).replace(spelled, "")
    lines[at] = text.encode("utf-8", "surrogatepass")
    return b"\n".join(lines)


def holders(one: Any) -> Iterator[tuple[Any, Any]]:
    """Every place that a value stands in: the dict or list, and its key there."""
    for key in (
        list(one) if isinstance(one, dict) else range(len(one)) if isinstance(one, list) else ()
    ):
        yield one, key
        yield from holders(one[key])
