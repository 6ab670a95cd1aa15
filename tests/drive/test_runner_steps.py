"""A runner that another program drives, turn by turn, in a thread: `begin` and `advance`."""

from __future__ import annotations

import os
import signal
import threading
import warnings
from collections.abc import Callable, Iterator

import pytest

from loopwright.agents.process import child_environment
from loopwright.agents.registry import load_agent
from loopwright.core.directives import Continue, Reply, Stop, Wait
from loopwright.drive.runner.observer import RunObserver
from loopwright.drive.runner.run import DriverBusy, open_runner
from loopwright.drive.runner.run_config import RunConfig
from loopwright.drive.runner.stop_signals import StopSignals
from loopwright.repo.sources import parse_python
from loopwright.verify import secret_patterns
from tests.support.project import Project
from tests.support.runner import DONE, program, script, start_checked_loop

SECRET = "correct horse battery staple"


@pytest.fixture(autouse=True)
def _forget_secrets() -> Iterator[None]:
    yield
    secret_patterns.KNOWN_SECRETS.clear()


def scripted(here: Project, *turns: dict[str, object]) -> RunConfig:
    return RunConfig(("script",), words=(script(here, *turns),))


def in_thread(work: Callable[[], object]) -> object:
    """What the work returns, in a thread that is not the main one."""
    results: list[object] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            results.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if isinstance(results[0], BaseException):
        raise results[0]
    return results[0]


def replies_of(here: Project, config: RunConfig) -> list[Reply]:
    """Every reply, from the first to the one after which no turn follows."""
    with open_runner(here.folder, config, RunObserver(), StopSignals()) as runner:
        replies = [runner.begin()]
        while isinstance(replies[-1], Continue | Wait):
            replies.append(runner.advance(replies[-1]))
        runner.write_result()
    return replies


def test_each_advance_is_exactly_one_turn(project) -> None:
    here = start_checked_loop(project)
    config = scripted(here, {"write": {"one.txt": "1"}, "say": "first"}, DONE)

    with open_runner(here.folder, config, RunObserver(), StopSignals()) as runner:
        reply = runner.begin()
        assert isinstance(reply, Continue)
        assert here.loop.spend.iterations == 0
        reply = runner.advance(reply)
        assert isinstance(reply, Continue)
        assert here.loop.spend.iterations == 1
        reply = runner.advance(reply)

    assert isinstance(reply, Stop)
    assert here.ended.status == "finished"
    assert here.ended.spend.iterations == 2


def test_a_wait_is_waited_for_before_the_next_turn(project) -> None:
    here = start_checked_loop(project)
    config = scripted(here, {"fail": "usage limit reached", "limit": 1}, DONE)

    replies = replies_of(here, config)

    assert [type(reply) for reply in replies] == [Continue, Wait, Stop]
    assert here.ended.status == "finished"


def test_a_loop_that_is_cancelled_meanwhile_stops_the_runner(project) -> None:
    here = start_checked_loop(project)
    with open_runner(here.folder, scripted(here, DONE), RunObserver(), StopSignals()) as runner:
        reply = runner.begin()
        assert here.run("cancel").code == 0
        reply = runner.advance(reply)

    assert isinstance(reply, Stop)
    assert "cancelled" in reply.message


def test_two_runners_cannot_open_one_folder(project) -> None:
    here = start_checked_loop(project)
    config = scripted(here, DONE)
    with (
        open_runner(here.folder, config, RunObserver(), StopSignals()),
        pytest.raises(DriverBusy),
    ):
        replies_of(here, config)


def test_runners_in_threads_share_no_state(project) -> None:
    """Two loops at once: each writes into its own folder, and the process stays as it was."""
    places = [start_checked_loop(project), start_checked_loop(project)]
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    before = (os.getcwd(), dict(os.environ), handlers)
    turns = [
        ({"write": {f"{number}.txt": "x"}, "seconds": 0.2, "say": f"turn of {number}"}, DONE)
        for number in (0, 1)
    ]
    results: dict[int, list[Reply]] = {}

    def drive(number: int) -> None:
        here = places[number]
        results[number] = replies_of(here, scripted(here, *turns[number]))

    threads = [threading.Thread(target=drive, args=(number,)) for number in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    for number, here in enumerate(places):
        assert isinstance(results[number][-1], Stop)
        assert here.ended.status == "finished"
        assert (here.root / f"{number}.txt").exists()
        assert not (here.root / f"{1 - number}.txt").exists()
        logs = here.root / ".loop/history" / here.ended.id / "logs"
        text = "".join(path.read_text() for path in sorted(logs.iterdir()))
        assert f"turn of {number}" in text
        assert f"turn of {1 - number}" not in text
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    assert before == (os.getcwd(), dict(os.environ), handlers)


def test_parsing_in_two_threads_restores_the_warning_filters() -> None:
    before = list(warnings.filters)
    texts = [f"x = '\\d{number}'\n" * 300 for number in range(40)]
    threads = [
        threading.Thread(target=lambda part=texts[start::4]: [parse_python(text) for text in part])
        for start in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert warnings.filters == before


def test_no_syntax_tree_stays_in_memory_after_a_turn(project) -> None:
    here = start_checked_loop(project)
    parse_python("x = 1\n")
    assert parse_python.cache_info().currsize

    replies_of(here, scripted(here, DONE))

    assert parse_python.cache_info().currsize == 0


# --- the credentials of an account ---


def test_the_variables_of_an_account_reach_the_agent_and_no_file(project) -> None:
    here = start_checked_loop(project)
    # It prints the secret, writes it into the project, and the check's output could show it too.
    agent = program(
        here.root.parent,
        "value = os.environ['ACCOUNT_VALUE']\n"
        "open('../seen', 'w').write(value)\n"
        "print('I have', value)\n"
        "print(json.dumps({'said': value}))\n",
    )
    config = RunConfig(("command",), words=agent, environment=(("ACCOUNT_VALUE", SECRET),))

    def one_turn() -> Reply:
        with open_runner(here.folder, config, RunObserver(), StopSignals()) as runner:
            return runner.advance(runner.begin())

    assert isinstance(in_thread(one_turn), Continue)
    assert (here.root.parent / "seen").read_text() == SECRET
    files = [path for path in (here.root / ".loop").rglob("*") if path.is_file()]
    assert files
    assert [path for path in files if SECRET.encode() in path.read_bytes()] == []
    log = next(path for path in files if path.parent.name == "logs")
    assert "[redacted]" in log.read_text()
    assert SECRET not in repr(config)


def test_a_check_that_prints_the_secret_of_an_account_is_redacted(project) -> None:
    here = project()
    here.start("--check", "done=cat kept.txt && exit 1")
    agent = program(here.root.parent, "open('kept.txt', 'w').write(os.environ['ACCOUNT_VALUE'])\n")
    config = RunConfig(("command",), words=agent, environment=(("ACCOUNT_VALUE", SECRET),))

    with open_runner(here.folder, config, RunObserver(), StopSignals()) as runner:
        runner.advance(runner.begin())

    files = [path for path in (here.root / ".loop").rglob("*") if path.is_file()]
    outside = [path for path in files if "tree" not in path.parts]
    assert [path for path in outside if SECRET.encode() in path.read_bytes()] == []


def test_an_account_replaces_the_credentials_of_the_worker(monkeypatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "of the worker")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://gateway")
    monkeypatch.setenv("CLAUDE_CODE_OAUTH_TOKEN", "of the worker too")
    about = load_agent("claude").about

    own = child_environment("loop-1", about)
    account = child_environment(
        "loop-1",
        about,
        account=(("CLAUDE_CODE_OAUTH_TOKEN", "of the account"), ("LOOP_CHILD", "x")),
    )

    assert own["ANTHROPIC_API_KEY"] == "of the worker"
    assert "ANTHROPIC_API_KEY" not in account
    assert account["CLAUDE_CODE_OAUTH_TOKEN"] == "of the account"
    assert account["ANTHROPIC_BASE_URL"] == "http://gateway"
    assert account["LOOP_CHILD"] == "loop-1"
