"""The pages of `loop serve` in a real browser: content, live updates, orders, hostile text, accessibility."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from loopwright.core.proof.state import Baseline
from loopwright.core.signals import Ordered
from tests.browser.axe import violations
from tests.browser.machine import PlayedLoop, a_spec, play_machine, play_plan, play_working
from tests.support.hook import block
from tests.support.project import Project
from tests.support.runner import DONE, Runner, script, start_checked_loop
from tests.web.serving import Server

pytestmark = pytest.mark.browser
HOSTILE = (
    "<img src=x onerror=\"alert('pwned')\"><script>alert(1)</script></pre></title>"
    "\x1b[31mred\x1b[0m\x1b]0;pwned\x07 \u202eevil"
)
Pages = Callable[..., Any]


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    servers: list[Server] = []

    def start(**options: Any) -> Server:
        servers.append(Server(**options))
        return servers[-1]

    yield start
    for server in servers:
        server.__exit__()


def open_loop(page: Any, server: Server, words: str) -> Any:
    page.goto(server.url)
    page.locator("a.row-link", has_text=words).click()
    page.locator(".limit-card").first.wait_for()
    return page


def assert_no_sideways_scrolling(page: Any) -> None:
    width = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert width <= 0, f"{page.url} is {width} px too wide"


def test_the_board_shows_every_loop_and_updates_itself(
    new_page: Pages, serve: Callable[..., Server], tmp_path: Path
) -> None:
    loops = play_machine(tmp_path, demos=False)
    server = serve()
    page = new_page()
    page.goto(server.url)
    page.locator(".row").nth(3).wait_for()

    assert "token" not in page.url
    pills = page.locator(".row .pill").all_text_contents()
    assert pills == ["?Asks you", "❚❚Paused", "▶Working", "▶Working"]
    assert page.get_by_text("Loops on this machine").is_visible()
    assert page.title().startswith("(2) Board")
    assert page.locator(".row", has_text="Invoices").get_by_text("3 of 8 tasks").is_visible()

    loops["working"].tell(Ordered(0.0, "pause", reason="lunch"))
    page.locator(".row-paused", has_text="lunch").wait_for()

    page.keyboard.press("/")
    page.keyboard.type("invoices")
    page.locator(".row").nth(1).wait_for(state="detached")
    page.get_by_role("searchbox").fill("")
    page.get_by_role("button", name="Needs you").click()
    page.locator(".row").nth(2).wait_for()
    page.locator("h1").click()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url("**/loop/*")


def test_a_page_says_that_the_server_does_not_answer(
    new_page: Pages, serve: Callable[..., Server], tmp_path: Path
) -> None:
    play_working(tmp_path / "exporter")
    server = serve()
    page = open_loop(new_page(), server, "CSV export")
    page.route("**/api/**", lambda route: route.abort())
    for address in (page.url, server.url):
        page.goto(address)
        page.locator("#notice", has_text="The server does not answer").wait_for()


def test_a_killed_server_is_told_and_no_order_can_be_given(
    new_page: Pages, serve: Callable[..., Server], tmp_path: Path
) -> None:
    PlayedLoop(tmp_path / "alone", a_spec("loop-1", "wait for a driver", ("tests pass", "true")))
    server = serve(control=True)
    page = open_loop(new_page(), server, "wait for a driver")
    page.locator(".pill", has_text="Waits for a session").wait_for()
    page.locator(".connection-live").wait_for()
    page.get_by_role("button", name="Pause", disabled=False).wait_for()
    server.__exit__()

    page.locator("#notice", has_text="The server has not answered since").wait_for()
    page.get_by_role("button", name="Pause", disabled=True).wait_for()
    assert page.locator("button.order:enabled").count() == 0


def test_a_question_is_above_all_rows_with_its_content_and_is_answered_there(
    new_page: Pages, serve: Callable[..., Server], tmp_path: Path
) -> None:
    play_machine(tmp_path, demos=False)
    page = new_page()
    page.goto(serve(control=True).url)
    card = page.locator(".question-card")
    card.get_by_text("It drops the column").wait_for()

    assert card.bounding_box()["y"] < page.locator(".row").first.bounding_box()["y"]
    assert "migration reversible  ← make migrate-check" in card.locator("pre").inner_text()
    assert card.get_by_text("Careful: this is about deleting, a release").is_visible()
    card.get_by_role("button", name="Yes: continue").click()
    page.locator(".questions").wait_for(state="hidden")
    assert page.locator(".row-asking").count() == 0


def test_a_loop_page_shows_curves_criteria_plan_and_new_lines(
    new_page: Pages, serve: Callable[..., Server], tmp_path: Path
) -> None:
    played = play_working(tmp_path / "exporter")
    play_plan(tmp_path / "billing")
    server = serve()
    page = open_loop(new_page(), server, "CSV export")

    assert page.locator("figure.chart h2").all_inner_texts() == ["Cost", "Failing tests"]
    assert "16 failing; 1 now" in page.locator("svg.curve").nth(1).get_attribute("aria-label")
    assert page.locator(".criterion-failed b").all_inner_texts() == ["tests pass"]
    assert page.locator(".lanes tbody tr").count() == 3
    assert page.locator(".lanes tbody tr").first.locator(".cell-bad").count() == 6
    axis = page.get_by_role("group", name="The time axis")
    assert axis.locator(".axis-name").all_inner_texts() == ["loop", "cost"]
    assert axis.locator("i.kind-turn").count() == 7
    assert page.get_by_text("a claim that was refuted").is_visible()
    axis.press("ArrowRight")
    page.locator(".axis-told", has_text="iteration 1: 2 min, $0.31").wait_for()
    assert page.get_by_text("The empty export writes no header").is_visible()
    assert page.locator(".timeline").get_by_text("Iteration 6 is over").is_visible()

    played.turn((0, 0, 0), "The empty export has a header now.", dollars=0.4)
    page.locator(".timeline").get_by_text("Iteration 7 is over").wait_for()
    page.locator(".criterion-failed").wait_for(state="detached")
    assert page.locator("svg.curve").nth(1).get_attribute("aria-label").endswith("0 now")

    page.locator(".criterion", has_text="tests pass").get_by_text("Outputs and diff").click()
    page.locator(".line-removed", has_text="1 failed, 41 passed").wait_for()
    page.locator(".line-added", has_text="42 passed").wait_for()
    page.keyboard.press("Escape")

    page = open_loop(new_page(), server, "Invoices")
    assert page.locator(".plan .task").count() == 8
    assert page.locator(".plan .task.critical").count() == 4
    assert page.locator(".plan .wave").all_text_contents() == [
        "Wave 1",
        "Wave 2",
        "Wave 3",
        "Wave 4",
    ]
    assert page.locator(".plan .task-working", has_text="codex").count() == 1


def test_the_changes_of_the_files_between_two_iterations_are_shown(
    new_page: Pages, serve: Callable[..., Server], project: Callable[..., Project]
) -> None:
    here = project({"prices.py": f"# {HOSTILE}\nrate = 1\n"})
    start = here.git("rev-parse", "HEAD").strip()
    here.write({"prices.py": f"# {HOSTILE}\nrate = 2\n"})
    here.commit()
    loop = a_spec("loop-1", "raise the rate", ("tests pass", "true"), baseline=Baseline(start))
    played = PlayedLoop(here.root, loop)
    played.attach_runner()
    played.turn((0,), "Done.", kept_commit=here.git("rev-parse", "HEAD").strip())
    page = open_loop(new_page(), serve(), "raise the rate")

    page.get_by_role("button", name="Changes in the files").click()
    page.locator(".line-removed", has_text="-rate = 1").wait_for()
    page.locator(".line-added", has_text="+rate = 2").wait_for()
    page.locator(".stat", has_text="prices.py | 2 +-").wait_for()
    assert page.locator("dialog img, dialog script").count() == 0


def test_an_answer_in_the_page_lets_the_runner_continue(
    new_page: Pages, serve: Callable[..., Server], project: Callable[..., Project]
) -> None:
    here = start_checked_loop(project)
    asks = {"say": block({"done": False}, "ASK: may I write done.txt?")}
    with Runner(here, "--stay", "--script", script(here, asks, DONE)) as runner:
        runner.shows("Waiting for the answer")
        page = open_loop(new_page(), serve(control=True), "failing tests")
        page.get_by_text("may I write done.txt?").first.wait_for()
        assert page.get_by_text("loop run --stay continues at once").is_visible()
        page.get_by_label("Your words").fill("but only that file")
        page.get_by_role("button", name="Yes").click()
        page.locator(".timeline", has_text="answered: yes, but only that file").wait_for()
        page.locator(".pill-good, .pill-waits", has_text="roven").first.wait_for()
        assert runner.ends().code == 0


def test_a_page_that_only_reads_has_no_orders_and_the_server_refuses_forged_ones(
    new_page: Pages, serve: Callable[..., Server], tmp_path: Path
) -> None:
    loops = play_machine(tmp_path, demos=False)
    page = open_loop(new_page(), serve(), "order totals")

    assert page.locator(".gate").get_by_text("loop serve --control").is_visible()
    assert page.get_by_role("button", name="Yes").count() == 0
    assert page.get_by_role("button", name="Cancel the loop").count() == 0
    forged = """async () => {
        const path = "/api" + location.pathname.replace("/loop/", "/loops/") + "/orders";
        const body = JSON.stringify({order: "cancel"});
        const headers = {"x-loop-csrf": "forged"};
        return (await fetch(path, {method: "POST", body, headers})).status;
    }"""
    assert page.evaluate(forged) == 403
    folder = loops["asking"].folder
    loop = folder.read_loop()
    assert loop is not None
    assert loop.status == "asking"


def test_hostile_text_is_shown_as_text(
    new_page: Pages, serve: Callable[..., Server], tmp_path: Path
) -> None:
    loop = a_spec("loop-hostile", f"Fix {HOSTILE}", (f"tests {HOSTILE[:60]}", f"echo '{HOSTILE}'"))
    played = PlayedLoop(tmp_path / "pro<b>ject", loop)
    played.attach_runner()
    played.turn((2,), f"{HOSTILE}\n{'y' * 1_000_000}")
    logs = list(Path(played.folder.path_of("evidence")).iterdir())
    logs[0].write_text(f"{HOSTILE}\n{'z' * 1_000_000}\n", encoding="utf-8")
    played.log_turn(f"{HOSTILE}\n{'w' * 1_000_000}\n")
    played.tell(Ordered(0.0, "pause", reason=HOSTILE))
    page = open_loop(new_page(), serve(), "Fix <img")

    text = page.locator("main").inner_text()
    assert "<script>alert(1)</script>" in text
    assert not {"\x1b", "\x07", "\u202e"} & set(text)
    assert page.locator("main img, main script").count() == 0
    assert page.locator(".loop-why", has_text="<img src=x").is_visible()
    page.locator(".criterion").get_by_text("Outputs and differences").click()
    page.locator(".line", has_text=" characters)").wait_for()
    assert page.locator("dialog img, dialog script").count() == 0
    assert_no_sideways_scrolling(page)


def test_a_restarted_server_is_announced(
    new_page: Pages, serve: Callable[..., Server], tmp_path: Path
) -> None:
    play_plan(tmp_path / "billing")
    page = open_loop(new_page(), serve(), "Invoices")
    page.locator(".connection-live").wait_for()
    page.context.clear_cookies()

    page.reload()
    page.get_by_role("heading", name="Not signed in").wait_for()
    page.get_by_text("Open the link that `loop serve` printed").wait_for()


EDGES_OF_MARKS = """() => {
    const boxes = (names) => [...document.querySelectorAll(names)].map((e) => e.getBoundingClientRect());
    const checks = boxes(".axis-track .kind-passed, .axis-track .kind-failed");
    return [
        Math.max(...boxes(".axis-marks .kind-refuted").map((box) => box.bottom)),
        Math.min(...checks.map((box) => box.top)),
    ];
}"""
WIDE, PHONE = {"width": 1240, "height": 860}, {"width": 390, "height": 844}


def test_on_a_phone_a_refutation_hides_no_check_and_old_iterations_are_folded(
    new_page: Pages, serve: Callable[..., Server], tmp_path: Path
) -> None:
    play_working(tmp_path / "exporter")
    page = open_loop(new_page(viewport=PHONE), serve(), "CSV export")

    page.locator(".axis-marks .kind-refuted").first.wait_for()
    # In one step: the page may be drawn again between two.
    lowest_refutation, highest_check = page.evaluate(EDGES_OF_MARKS)
    assert lowest_refutation <= highest_check + 1 < math.inf
    opened = page.locator(".iterations > li > details[open] > summary")
    assert opened.all_inner_texts()[0].startswith("Iteration 7")
    assert opened.count() == 1
    page.locator("summary", has_text="Iteration 2").click()
    page.locator(".timeline").get_by_text("Iteration 2 is over").wait_for()


@pytest.mark.parametrize(
    ("theme", "size", "loops"),
    [
        pytest.param("light", WIDE, ("CSV export", "Invoices"), id="light"),
        pytest.param("dark", WIDE, ("CSV export", "order totals"), id="dark"),
        pytest.param("light", PHONE, ("Invoices", "order totals"), id="phone"),
    ],
)
def test_axe_finds_nothing(
    new_page: Pages,
    serve: Callable[..., Server],
    tmp_path: Path,
    axe_script: Path,
    theme: str,
    size: dict[str, int],
    loops: tuple[str, ...],
) -> None:
    play_machine(tmp_path, demos=False)
    server = serve(control=True, link=True)
    # Our own policy forbids the script of axe-core, as it must.
    page = new_page(viewport=size, color_scheme=theme, reduced_motion="reduce", bypass_csp=True)
    page.goto(server.url)
    page.locator(".row").first.wait_for()
    found = {"board": violations(page, axe_script)}
    assert_no_sideways_scrolling(page)
    for words in loops:
        open_loop(page, server, words)
        found[words] = violations(page, axe_script)
        assert_no_sideways_scrolling(page)
    night = Project(tmp_path / "here").run("report", "--since", "yesterday", "--html")
    (tmp_path / "night.html").write_text(night.out)
    page.goto(f"file://{tmp_path}/night.html")
    found["report"] = violations(page, axe_script)
    assert_no_sideways_scrolling(page)
    if size is PHONE:
        open_loop(page, server, "Invoices")
        wave = page.locator(".plan-list ul").nth(1)
        assert "▶ 05 Render invoices · codex · ↻ 1 · after 03, 01" in wave.inner_text()
        assert not page.locator("svg.plan").is_visible()
        page.context.clear_cookies()
        page.reload()
        page.get_by_role("heading", name="Not signed in").wait_for()
        found["signed out"] = violations(page, axe_script)
        page.goto(f"http://127.0.0.1:{server.port}{server.links.get(timeout=15)}")
        found["answer link"] = violations(page, axe_script)
    else:
        page.keyboard.press("?")
        found["help"] = violations(page, axe_script)
        page.keyboard.press("Escape")
        open_loop(page, server, "CSV export")
        page.keyboard.press("e")
        page.locator("dialog .line").first.wait_for()
        found["outputs"] = violations(page, axe_script)

    assert {place: rows for place, rows in found.items() if rows} == {}
