"""Gaps: what verification found missing, read from a VERIFICATION.md or told by a criterion that fails."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import unescape

from ..criteria import Criterion
from ..loop import Loop
from ..replies.reports import single_line
from .plan import GAP_STRATEGIES, Gap

CI_FAILURE = "ci_failure"  # and whatever else is none of the other types
PASSED, GAPS_FOUND, HUMAN_NEEDED = "passed", "gaps_found", "human_needed"
GAP_TEXTS = {  # type of gap → what is wrong with its file
    "orphan": "nothing imports or uses {file}",
    "broken_link": "{file} and {target} are not connected",
    "stub": "{file} is a stub",
    "missing_export": "{file} does not export what others need",
    "wrong_import": "{file} imports what is not there",
    CI_FAILURE: "{file} fails",
}
MAX_FILE, MAX_GAPS, MAX_EVIDENCE = 300, 100, 1_500
MAX_PAGE, MAX_BODY = 400_000, 8_000

# At the beginning of a line: prose and tables may speak of the tag.
GAPS_BLOCK = re.compile(r"^[ \t]*<gaps\s*>(.*?)(?:</gaps\s*>|\Z)", re.I | re.M | re.S)
GAP_OPENING = re.compile(r"<gap(?=[\s/>])", re.I)
GAP_ENDING = re.compile(r"</gap\s*>|<gap(?=[\s/>])", re.I)
ATTRIBUTE = re.compile(r"""[\s,]*([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]*[^\s"'<>/]))""")
STATUS_LINE = re.compile(
    r"^[#*_ \t]{0,9}status[*_ \t]{0,4}:[^\w\n]{0,9}(passed|gaps[ _-]found|human[ _-]needed)\b(?![ \t]*[|/])",
    re.I | re.M,
)
# A path before a line number, as compilers, linters and test runners print it. One with a slash in front is not the project's.
FILE_AND_LINE = re.compile(
    r"(?<![\w/\\.@:+-])((?:[\w@.+-]{1,80}[/\\]){0,12}[\w@.+-]{1,80}\.[a-z]\w{0,7})(?=:\d|\(\d|::|\", line \d)",
    re.I,
)
FOREIGN_FOLDERS = {"node_modules", "site-packages", "dist-packages", "venv", ".venv", ".."}
HOST_SUFFIXES = {"com", "org", "net", "io", "local"}  # example.com:443 is no file


def gaps_in(text: str) -> tuple[Gap, ...]:
    """The gaps of every <gaps> block, in a fence or not, whoever wrote it."""
    found: list[Gap] = []
    for block in GAPS_BLOCK.finditer(text[:MAX_PAGE]):
        found += _gaps_in_block(block[1], MAX_GAPS - len(found))
    return tuple(found)


def status_in(text: str) -> str:
    """passed, gaps_found, human_needed, or nothing."""
    said = STATUS_LINE.search(text[:MAX_PAGE])
    return re.sub("[ -]", "_", said[1].lower()) if said else ""


def gap_of(criterion: Criterion) -> Gap:
    """What a failing criterion says is missing."""
    proof, check = criterion.proof, criterion.check
    kind = proof.outcome if proof and proof.outcome in GAP_STRATEGIES else CI_FAILURE
    looked = check.command if check and check.probe and isinstance(check.command, tuple) else ()
    detail = proof.detail if proof else criterion.claim.evidence if criterion.claim else ""
    mended = (
        2 if kind == "missing_export" and looked[:1] == ("link",) else 1
    )  # what is not offered is missing over there
    file = looked[mended] if len(looked) > mended else first_project_file(detail) or criterion.name
    target = looked[2] if looked[:1] == ("link",) and len(looked) > 2 and mended == 1 else ""
    text = _probe_text(criterion, kind, file, target) if looked else _failure_text(criterion)
    return Gap(
        kind,
        single_line(file, MAX_FILE),
        single_line(text),
        sanitize_output(detail),
        single_line(target, MAX_FILE),
        criterion.name,
    )


def objection_gaps(loop: Loop) -> tuple[Gap, ...]:
    """What speaks against a plan whose checks all pass. Nobody but who works on it can say that such a gap is closed."""
    from ..findings import HIGH
    from ..loop import open_findings
    from ..prompts.objections import final_check_objection, finding_text, objection_reason

    tries = {gap.key: gap.tries for gap in loop.plan.gaps} if loop.plan else {}
    found = [
        Gap(
            CI_FAILURE,
            single_line(f.file, MAX_FILE),
            single_line(f.text),
            sanitize_output(finding_text(f)),
        )
        for f in open_findings(loop, HIGH)
    ]
    found += [
        Gap(
            CI_FAILURE,
            single_line(c.name, MAX_FILE),
            single_line(objection_reason(loop)),
            sanitize_output(final_check_objection(c)),
        )
        for c in loop.failing_final_checks
    ]
    return tuple(gap.but(tries=tries.get(gap.key, 0)) for gap in merge_gaps(found))


def merge_gaps(gaps: Iterable[Gap]) -> tuple[Gap, ...]:
    """One gap for each key: whoever mends a file is told at once all that is wrong with it."""
    found: dict[str, Gap] = {}
    for gap in gaps:
        known = found.setdefault(gap.key, gap)
        if gap.text not in known.text:
            evidence = sanitize_output(f"{known.evidence}\n{gap.evidence}")
            found[gap.key] = known.but(
                text=single_line(f"{known.text}; {gap.text}"), evidence=evidence
            )
    return tuple(found.values())


def first_project_file(output: str) -> str:
    """The first file of the project that an output names with a line; empty: none."""
    for place in FILE_AND_LINE.finditer(output):
        path = place[1].replace("\\", "/").removeprefix("./")
        if (
            FOREIGN_FOLDERS.isdisjoint(path.split("/"))
            and path.rpartition(".")[2].lower() not in HOST_SUFFIXES
        ):
            return path
    return ""


def sanitize_output(output: str, most: int = MAX_EVIDENCE) -> str:
    """The end of an output for a fence in a prompt or on a page: it closes none, and no terminal obeys it."""
    kept = "".join(
        letter if letter.isprintable() or letter == "\n" else " " for letter in output[-most:]
    )
    return kept.replace("```", "'''").strip()


def _gaps_in_block(block: str, most: int) -> list[Gap]:
    found: list[Gap] = []
    at = 0
    while len(found) < most and (opening := GAP_OPENING.search(block, at)):
        at = opening.end()
        said: dict[str, str] = {}
        while attribute := ATTRIBUTE.match(block, at):
            said.setdefault(attribute[1].lower(), next(filter(None, attribute.groups()[1:]), ""))
            at = attribute.end()
        end = block.find(">", at)
        if end < 0:
            break
        closed, at = block[at:end].endswith("/"), end + 1
        ending = GAP_ENDING.search(block, at)
        last = at if closed else ending.start() if ending else len(block)
        found.append(_parse_gap(said, block[at : min(last, at + MAX_BODY)]))
        at = last
    return found


def _parse_gap(said: dict[str, str], body: str) -> Gap:
    """The words of a gap stand in it, or as the fix prompt has them: <file>, <to>, <description>, <evidence>."""
    kind = re.sub(r"[\s-]", "_", said.get("type", "").strip().lower())
    kind = kind if kind in GAP_STRATEGIES else CI_FAILURE
    text = single_line(unescape(_child_text(body, "description") or body))
    file = single_line(
        unescape(said.get("file") or _child_text(body, "file") or said.get("from", "")), MAX_FILE
    )
    target = single_line(unescape(said.get("to") or _child_text(body, "to")), MAX_FILE)
    file = file or first_project_file(text) or text[:80].rstrip()
    text = text or GAP_TEXTS[kind].format(file=file or "something", target=target or "its target")
    return Gap(kind, file, text, sanitize_output(unescape(_child_text(body, "evidence"))), target)


def _child_text(body: str, name: str) -> str:
    inner, closed, _ = body.partition(f"<{name}>")[2].partition(f"</{name}>")
    return inner if closed else ""


def _probe_text(criterion: Criterion, kind: str, file: str, target: str) -> str:
    """What we saw when we looked ourselves: the probe says it in a line, behind its levels."""
    line = criterion.proof.detail.strip().partition("\n")[0] if criterion.proof else ""
    said = single_line(line.partition("✗: ")[2] or line)
    known = GAP_TEXTS[kind].format(file=file, target=target)
    return said or (known if kind != CI_FAILURE else f"{criterion.name} does not hold")


def _failure_text(criterion: Criterion) -> str:
    proof, check = criterion.proof, criterion.check
    if not proof or not check:
        return f"{criterion.name}: not shown"
    how = {"timeout": f"did not end within {check.timeout} s", "missing": "cannot be run"}
    return f"{criterion.name}: {single_line(check.command_line, 300)} {how.get(proof.outcome, f'exited {proof.code}')}"
